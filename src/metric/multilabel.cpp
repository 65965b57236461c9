// The table rows for classifiers with a sigmoid for each class (multilabel_pass.h).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "metric/multilabel_pass.h"

namespace assay {
namespace {

std::string with_empty(std::string id, const Parameters& p) {
    const auto threshold = p.find("threshold");
    if (threshold != p.end() && threshold->second == threshold_per_class) id += ".per_class";
    return std::move(id) + (p.at(std::string(empty_items)) == counted_too ? ".with_empty" : "");
}
std::string set_score_definition(std::string_view stem, const Parameters& p) {
    return with_empty(
        fmt::format("{}.{}", stem, p.at("class") == "-1" ? p.at("average") : "one_class"), p);
}

ParameterFacts threshold_parameter() {
    return {.name = "threshold",
            .fallback = usual_threshold,
            .meaning =
                "a class is predicted if its sigmoid reaches this many percent; 0: its own "
                "threshold, from --threshold-file (ids then end in .per_class)",
            .low = 0,
            .high = 99};
}
ParameterFacts sigmoid_parameter() {
    return {ranked_by,
            by_what_scores_tell,
            "sigmoid: each class has its own, computed from the logit or stored. With auto, Assay "
            "detects this; softmax scores have no value, and logits that fit both are an error",
            {by_what_scores_tell, by_sigmoid}};
}
ParameterFacts empty_parameter() {
    return {empty_items,
            "omitted",
            "items without a valid label are omitted, as in the other metrics of label sets, or "
            "counted as items of no class",
            {"omitted", counted_too}};
}

std::string multilabel_precision_definition(const Parameters& p) {
    return set_score_definition("multilabel_precision", p);
}
std::string multilabel_recall_definition(const Parameters& p) {
    return set_score_definition("multilabel_recall", p);
}
std::string multilabel_f1_definition(const Parameters& p) {
    return set_score_definition("multilabel_f1", p);
}
std::string exact_match_definition(const Parameters& p) {
    return with_empty("exact_match.threshold", p);
}
std::string hamming_loss_definition(const Parameters& p) {
    return with_empty("hamming_loss.threshold", p);
}
std::string coverage_error_definition(const Parameters& p) {
    return with_empty("coverage_error.last_of_ties", p);
}
std::string ranking_loss_definition(const Parameters& p) {
    return with_empty("ranking_loss.ties_lose", p);
}
std::string ranking_precision_definition(const Parameters& p) {
    return with_empty("label_ranking_average_precision.last_of_ties", p);
}

}  // namespace

namespace rows {

void add_multilabel(MetricTable& table) {
    using enum Needs;
    constexpr std::string_view tsoumakas =
        "Tsoumakas, Katakis and Vlahavas 2010, Mining multi-label data; conventions of "
        "scikit-learn: 0/0 is 0";
    const std::vector<ParameterFacts> of_sets = {
        {"average",
         "macro",
         "macro: mean over all classes; micro: of all classes' counts; samples: mean over items; "
         "weighted: mean over the classes by their labels",
         {"macro", "micro", "samples", "weighted"}},
        {.name = "class",
         .fallback = "-1",
         .meaning = "value of this one class only, whatever the average; -1: off",
         .low = -1,
         .high = 1'000'000},
        threshold_parameter(),
        sigmoid_parameter(),
        empty_parameter()};
    const std::vector<ParameterFacts> of_threshold = {threshold_parameter(), sigmoid_parameter(),
                                                      empty_parameter()};
    const unsigned needs = label_sets | probabilities | full_rows;
    table.push_back({.name = "multilabel_precision",
                     .title = "Precision of classes that reach a threshold",
                     .formula = "proportion of the predicted classes that are valid",
                     .parameters = of_sets,
                     .needs = needs,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .uncertainty = Uncertainty::jackknife,
                     .pass = set_score_pass(SetScore::precision, ItemMean::precision),
                     .definition = multilabel_precision_definition,
                     .by_default = false});
    table.push_back({.name = "multilabel_recall",
                     .title = "Recall of classes that reach a threshold",
                     .formula = "proportion of the valid classes that are predicted",
                     .parameters = of_sets,
                     .needs = needs,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .uncertainty = Uncertainty::jackknife,
                     .pass = set_score_pass(SetScore::recall, ItemMean::recall),
                     .definition = multilabel_recall_definition,
                     .by_default = false});
    table.push_back({.name = "multilabel_f1",
                     .title = "F1 score of classes that reach a threshold",
                     .formula = "2 h / (v + p), with h classes that are valid and predicted, v "
                                "valid ones and p predicted ones",
                     .parameters = of_sets,
                     .needs = needs,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .uncertainty = Uncertainty::jackknife,
                     .pass = set_score_pass(SetScore::f1, ItemMean::f1),
                     .definition = multilabel_f1_definition,
                     .by_default = false});
    table.push_back(
        {.name = "exact_match",
         .title = "Exact match (subset accuracy)",
         .formula = "proportion of the items whose predicted classes are the valid ones",
         .parameters = of_threshold,
         .needs = needs,
         .unit = Unit::proportion,
         .origin = tsoumakas,
         .pass = item_mean_pass(ItemMean::exact_match),
         .definition = exact_match_definition,
         .by_default = false});
    table.push_back({.name = "hamming_loss",
                     .title = "Hamming loss",
                     .formula = "proportion of all pairs of an item and a class in which the class "
                                "is valid or predicted, and not both",
                     .parameters = of_threshold,
                     .needs = needs,
                     .higher_is_better = false,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .pass = item_mean_pass(ItemMean::hamming),
                     .definition = hamming_loss_definition,
                     .by_default = false});
    table.push_back({.name = "coverage_error",
                     .title = "Coverage error",
                     .formula = "mean over the items of how many classes score at least as high as "
                                "the valid class with the lowest score; 0 without labels",
                     .parameters = {empty_parameter()},
                     .needs = needs,
                     .higher_is_better = false,
                     .high = 1e6,
                     .origin = tsoumakas,
                     .pass = ranking_pass(ItemMean::coverage),
                     .definition = coverage_error_definition,
                     .by_default = false});
    table.push_back({.name = "ranking_loss",
                     .title = "Ranking loss",
                     .formula =
                         "mean over the items of the proportion of pairs of a valid and another "
                         "class in which the other one scores at least as high. It is 0 "
                         "without labels or with all of them",
                     .parameters = {empty_parameter()},
                     .needs = needs,
                     .higher_is_better = false,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .pass = ranking_pass(ItemMean::ranking_loss),
                     .definition = ranking_loss_definition,
                     .by_default = false});
    table.push_back({.name = "label_ranking_average_precision",
                     .title = "Label ranking average precision",
                     .formula =
                         "mean over the items and their valid classes of the proportion of valid "
                         "ones among the classes that score at least as high. It is 1 "
                         "without labels or with all of them",
                     .parameters = {empty_parameter()},
                     .needs = needs,
                     .unit = Unit::proportion,
                     .origin = tsoumakas,
                     .pass = ranking_pass(ItemMean::ranking_precision),
                     .definition = ranking_precision_definition,
                     .by_default = false});
}

}  // namespace rows
}  // namespace assay
