// Rows of the table: accuracies, of single labels and of label sets.
#include <fmt/core.h>

#include "assay/metric/metric.h"
#include "families.h"
#include "table_rows.h"

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_top_k(const Parameters& p) {
    return p.at("k") == "1" ? "top1.first_index" : "topk.lower_index";
}
std::string fixed_real(const Parameters&) {
    return "real.in_set";
}
std::string asma_definition(const Parameters& p) {
    return "asma." + p.at("agreement");
}
std::string subgroup_definition(const Parameters& p) {
    return "subgroup_accuracy." + p.at("agreement");
}
std::string variable_definition(const Parameters& p) {
    return "variable_topk." + p.at("agreement");
}
std::string fixed_shape_bias(const Parameters&) {
    return "shape_bias.either_cue";
}
std::string fixed_balanced(const Parameters&) {
    return "balanced.present_classes";
}

constexpr std::string_view anzaku =
    "Anzaku et al., Re-assessing ImageNet: How aligned is its single-label assumption with its "
    "multi-label nature?";

ParameterFacts agreement_parameter() {
    return {"agreement",
            "recall",
            "with h of the g highest classes valid; recall: h/g (precision and F1 too); jaccard: "
            "h/(2g-h); hamming: "
            "1-2(g-h)/C as the papers print it, which with C = 1000 is above 0.98 for nearly any "
            "prediction (g = 9, "
            "h = 0 gives 0.982), so that it cannot be what their tables hold (7 to 75 %)",
            {"recall", "jaccard", "hamming"}};
}

}  // namespace

void add_accuracy(MetricTable& table) {
    using enum Needs;
    const unsigned with_labels = static_cast<unsigned>(labels);
    table.push_back({.name = "topk",
                     .title = "Top-k accuracy",
                     .formula =
                         "proportion of items whose label is among the k highest scores; equal "
                         "scores in class order",
                     .parameters = {{"k", "1", "how many of the highest scores count", {}, 1, 100}},
                     .needs = with_labels,
                     .unit = Unit::proportion,
                     .origin = "ILSVRC (Russakovsky et al. 2015)",
                     .definition = fixed_top_k,
                     .accumulate = accumulate_predictions,
                     .value = top_k_value,
                     .paired = PairedTest::mcnemar_top_k,
                     .numbered_by = "k",
                     .variants = {{{"k", "1"}}, {{"k", "5"}}}});
    table.push_back({.name = "real",
                     .title = "ReaL accuracy",
                     .formula = "proportion of items with a valid label whose predicted class is "
                                "one of the valid labels",
                     .needs = static_cast<unsigned>(label_sets),
                     .unit = Unit::proportion,
                     .origin = "Beyer et al. 2020, Are we done with ImageNet?",
                     .definition = fixed_real,
                     .accumulate = accumulate_predictions,
                     .value = real_value,
                     .paired = PairedTest::mcnemar_in_set,
                     .with_sets = true});
    table.push_back(
        {.name = "variable_topk",
         .title = "Variable top-k accuracy",
         .formula =
             "mean over the items with valid labels of the agreement between an item's g valid "
             "classes and its g highest",
         .parameters = {agreement_parameter()},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = variable_definition,
         .accumulate = accumulate_label_sets,
         .value = variable_top_k_value,
         .paired = PairedTest::agreement,
         .with_sets = true});
    table.push_back(
        {.name = "asma",
         .title = "Average subgroup multi-label accuracy (ASMA)",
         .formula = "unweighted mean over the numbers of labels g of the mean agreement of the "
                    "items with g "
                    "valid labels; items "
                    "without labels, and those with a number outside `subgroups`, are left out",
         .parameters =
             {agreement_parameter(),
              {.name = "subgroups",
               .fallback = "1-5",
               .meaning = "the numbers of labels per image: 1-5 for ImageNet, 2-4,6,9 for PatchML",
               .low = 1,
               .high = static_cast<int>(most_labels_per_image),
               .list = true},
              {"absent",
               "undefined",
               "what a number of labels without items does: makes the mean undefined, or is "
               "skipped",
               {"undefined", "skipped"}}},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = asma_definition,
         .accumulate = accumulate_label_sets,
         .value = asma_value,
         .paired = PairedTest::agreement,
         .with_sets = true});
    table.push_back(
        {.name = "subgroup_accuracy",
         .title = "Accuracy by labels per image",
         .formula = "mean agreement of the items with g valid labels",
         .parameters =
             {agreement_parameter(),
              {.name = "g",
               .fallback = "0",
               .meaning =
                   "the number of labels per image; 0: every number that occurs, a value each",
               .low = 0,
               .high = static_cast<int>(most_labels_per_image)}},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = subgroup_definition,
         .accumulate = accumulate_label_sets,
         .value = subgroup_value,
         .paired = PairedTest::agreement,
         .with_sets = true,
         .by_labels_per_image = true});
    table.push_back(
        {.name = "balanced",
         .title = "Balanced accuracy",
         .formula = "mean over the classes that have items of the class's top-1 accuracy",
         .needs = with_labels,
         .unit = Unit::proportion,
         .origin = "Brodersen et al. 2010, The balanced accuracy and its posterior distribution",
         .definition = fixed_balanced,
         .accumulate = accumulate_classes,
         .value = balanced_value});
    table.push_back(
        {.name = "shape_bias",
         .title = "Shape bias",
         .formula = "of the predictions that name the class of an image's shape or of its texture, "
                    "the proportion that name the shape's; images whose two cues are one class are "
                    "left out",
         .needs = static_cast<unsigned>(cues),
         .judges = false,
         .unit = Unit::proportion,
         .origin = "Geirhos et al. 2019, ImageNet-trained CNNs are biased towards texture",
         .definition = fixed_shape_bias,
         .accumulate = accumulate_cues,
         .value = shape_bias_value,
         .with_cues = true});
}

}  // namespace assay::rows
