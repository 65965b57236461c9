// The table of metrics. README.md in this folder says how to add one.
#include <fmt/core.h>

#include "assay/metric/metric.h"
#include "families.h"

namespace assay {
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
std::string fixed_nll(const Parameters&) {
    return "nll.natural";
}
std::string fixed_brier(const Parameters&) {
    return "brier.sum";
}
std::string fixed_confidence(const Parameters&) {
    return "confidence.mean_top";
}
std::string fixed_overconfidence(const Parameters&) {
    return "overconfidence.top";
}
std::string ace_definition(const Parameters& p) {
    return "ace." + p.at("variant");
}
std::string gm_definition(const Parameters&) {
    return "calibration_error.gm";
}
std::string f_acc_definition(const Parameters& p) {
    return fmt::format("class_accuracy_balance.{}_std", p.at("std"));
}
std::string f_conf_definition(const Parameters& p) {
    return "class_confidence_balance." + p.at("spread");
}
std::string balance_definition(const Parameters& p) {
    return "class_balance." + p.at("spread");
}

std::string precision_definition(const Parameters& p) {
    return "precision." + p.at("average");
}
std::string recall_definition(const Parameters& p) {
    return "recall." + p.at("average");
}
std::string f1_definition(const Parameters& p) {
    return "f1." + p.at("average");
}
std::string fixed_matthews(const Parameters&) {
    return "matthews.multiclass";
}
std::string fixed_kappa(const Parameters&) {
    return "kappa.unweighted";
}
std::string fixed_aurc(const Parameters&) {
    return "aurc.mean_risk";
}
std::string fixed_excess_aurc(const Parameters&) {
    return "excess_aurc.best_order";
}
std::string fixed_covered_accuracy(const Parameters&) {
    return "accuracy_at_coverage.most_confident";
}
std::string fixed_calibration_ks(const Parameters&) {
    return "calibration_ks.running_sums";
}

constexpr std::string_view hesse = "Hesse et al. 2026 (TMLR), Beyond Accuracy";

ParameterFacts bins_parameter() {
    return {"bins", "15", "number of bins", {}, 1, 100};
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

ParameterFacts edges_parameter() {
    return {"edges",
            "left_closed",
            "who owns an edge; left_closed gives confidence 1 a bin of its own (torchmetrics 1.1). "
            "Confidences are 32-bit, as there: one above 1 - 2^-25 is 1",
            {"left_closed", "left_closed_merged", "right_closed"}};
}

std::vector<MetricFacts> make_table() {
    using enum Needs;
    const unsigned with_labels = static_cast<unsigned>(labels);
    std::vector<MetricFacts> table;
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
    table.push_back({.name = "nll",
                     .title = "Negative log-likelihood",
                     .formula = "mean of -ln p(label), natural logarithm",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .low = 0,
                     .high = 2000,
                     .unit = Unit::nats,
                     .origin = "Good 1952, Rational decisions",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_nll,
                     .accumulate = accumulate_losses,
                     .value = nll_value});
    table.push_back(
        {.name = "brier",
         .title = "Brier score",
         .formula = "mean of sum_c (p_c - [c = label])^2: the sum over classes, in [0, 2]",
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .low = 0,
         .high = 2,
         .origin = "Brier 1950, Verification of forecasts",
         .uncertainty = Uncertainty::jackknife,
         .definition = fixed_brier,
         .accumulate = accumulate_losses,
         .value = brier_value});
    table.push_back({.name = "confidence",
                     .title = "Mean confidence",
                     .formula = "mean of max_c p_c",
                     .needs = labels | probabilities,
                     .judges = false,
                     .unit = Unit::proportion,
                     .origin = "Guo et al. 2017, On calibration of modern neural networks",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_confidence,
                     .accumulate = accumulate_losses,
                     .value = confidence_value});
    table.push_back({.name = "overconfidence",
                     .title = "Confidence minus accuracy",
                     .formula = "mean of max_c p_c minus top-1 accuracy; above 0: too sure",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .judges = false,
                     .low = -1,
                     .high = 1,
                     .unit = Unit::proportion,
                     .origin = "Guo et al. 2017, On calibration of modern neural networks",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_overconfidence,
                     .accumulate = accumulate_losses,
                     .value = overconfidence_value});
    table.push_back(
        {.name = "ece",
         .title = "Expected calibration error",
         .formula =
             "sum over equal-width bins of the top confidence of n_b/n |accuracy_b - confidence_b|",
         .parameters = {bins_parameter(),
                        {"norm",
                         "l1",
                         "l1: as in the formula; l2: root of the mean square; max: greatest gap",
                         {"l1", "l2", "max"}},
                        edges_parameter()},
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = "Naeini et al. 2015; Guo et al. 2017, eq. 3; edges: torchmetrics 1.1.2",
         .uncertainty = Uncertainty::bootstrap,
         .definition = ece_definition,
         .accumulate = accumulate_bins,
         .value = ece_value,
         .calibrated_null = true,
         .null_replaces_note = true});
    table.push_back(
        {.name = "ece_debiased",
         .title = "Debiased squared calibration error",
         .formula = "sum over the bins of ece of n_b/n ((accuracy_b - confidence_b)^2 - accuracy_b "
                    "(1 - accuracy_b) / "
                    "(n_b - 1)); about 0 on average under perfect calibration, so that it may fall "
                    "below; a bin of one "
                    "item adds 0",
         .parameters = {bins_parameter(), edges_parameter()},
         .needs = labels | probabilities,
         .higher_is_better = false,
         .low = -1,
         .origin = "Kumar, Liang and Ma 2019, Verified uncertainty calibration, section 4",
         .uncertainty = Uncertainty::jackknife,
         .definition = ece_debiased_definition,
         .accumulate = accumulate_bins,
         .value = ece_debiased_value,
         .calibrated_null = true,
         .by_default = false});
    table.push_back(
        {.name = "ace",
         .title = "Adaptive calibration error",
         .formula = "mean over classes of sum over bins of equal counts of n_r/m |accuracy(r,c) - "
                    "confidence(r,c)|",
         .parameters = {bins_parameter(),
                        {"variant",
                         "class_wise",
                         "class_wise: published code; class_wise_equal: weights 1/B (eq. 8); "
                         "top_label: top confidence only. A probability of 1 has a bin of its own; "
                         "probabilities are 32-bit: one above 1 - 2^-25 is 1",
                         {"class_wise", "class_wise_equal", "top_label"}}},
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin =
             "Nixon et al. 2019, Measuring calibration in deep learning; Hesse et al. 2026, eq. 8",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::class_wise,
         .definition = ace_definition,
         .calibrated_null = true,
         .variants = {{}, {{"variant", "top_label"}}}});
    table.push_back({.name = "calibration_error",
                     .title = "Calibration error",
                     .formula = "sqrt(ece * ace), both with their defaults",
                     .needs = labels | probabilities | full_rows,
                     .higher_is_better = false,
                     .origin = hesse,
                     .uncertainty = Uncertainty::jackknife,
                     .source = Source::composite,
                     .definition = gm_definition,
                     .parts = {"ece", "ace"},
                     .calibrated_null = true});
    table.push_back({.name = "class_accuracy_balance",
                     .title = "Balance of class accuracies",
                     .formula = "1 - standard deviation over classes of the class's accuracy",
                     .parameters = {{"std",
                                     "sample",
                                     "sample: divisor C-1 (published code); population: C (paper)",
                                     {"sample", "population"}}},
                     .needs = with_labels,
                     .origin = hesse,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = f_acc_definition,
                     .accumulate = accumulate_classes,
                     .value = class_accuracy_balance_value,
                     .by_default = false});
    table.push_back({.name = "class_confidence_balance",
                     .title = "Balance of class confidences",
                     .formula = "1 - spread of the true class's probability, inside classes (mean) "
                                "or between their means",
                     .parameters = {{"spread",
                                     "within",
                                     "within: published code; between: paper",
                                     {"within", "between"}}},
                     .needs = labels | probabilities,
                     .origin = hesse,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = f_conf_definition,
                     .accumulate = accumulate_classes,
                     .value = class_confidence_balance_value,
                     .by_default = false});
    table.push_back(
        {.name = "class_balance",
         .title = "Class balance",
         .formula = "sqrt(class_accuracy_balance * class_confidence_balance)",
         .parameters = {{"spread",
                         "within",
                         "within: sample std and spread inside classes (published code); "
                         "between: population std and spread between class means (paper)",
                         {"within", "between"}}},
         .needs = labels | probabilities,
         .origin = hesse,
         .uncertainty = Uncertainty::jackknife,
         .definition = balance_definition,
         .accumulate = accumulate_classes,
         .value = class_balance_value,
         .variants = {{}, {{"spread", "between"}}}});
    const ParameterFacts average{"average",
                                 "macro",
                                 "macro: every class that is a label or a prediction counts the "
                                 "same; weighted: as much as it "
                                 "has items",
                                 {"macro", "weighted"}};
    constexpr std::string_view sokolova =
        "Sokolova and Lapalme 2009, A systematic analysis of performance measures; conventions of "
        "scikit-learn: 0/0 is 0";
    table.push_back({.name = "precision",
                     .title = "Precision",
                     .formula = "mean over the classes of hits / predictions of the class",
                     .parameters = {average},
                     .needs = with_labels,
                     .unit = Unit::proportion,
                     .origin = sokolova,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = precision_definition,
                     .accumulate = accumulate_classes,
                     .value = precision_value,
                     .by_default = false});
    table.push_back(
        {.name = "recall",
         .title = "Recall",
         .formula =
             "mean over the classes of hits / items of the class; macro differs from balanced "
             "accuracy where a class without items is predicted; weighted is top-1 accuracy",
         .parameters = {average},
         .needs = with_labels,
         .unit = Unit::proportion,
         .origin = sokolova,
         .uncertainty = Uncertainty::jackknife,
         .definition = recall_definition,
         .accumulate = accumulate_classes,
         .value = recall_value,
         .by_default = false});
    table.push_back(
        {.name = "f1",
         .title = "F1 score",
         .formula = "mean over the classes of 2 hits / (items + predictions) of the class",
         .parameters = {average},
         .needs = with_labels,
         .unit = Unit::proportion,
         .origin = sokolova,
         .uncertainty = Uncertainty::jackknife,
         .definition = f1_definition,
         .accumulate = accumulate_classes,
         .value = f1_value,
         .by_default = false});
    table.push_back(
        {.name = "matthews",
         .title = "Matthews correlation coefficient",
         .formula =
             "correlation of labels and predictions over several classes; 0 where all are one "
             "class",
         .needs = with_labels,
         .low = -1,
         .origin = "Gorodkin 2004, Comparing two K-category assignments; scikit-learn",
         .uncertainty = Uncertainty::jackknife,
         .definition = fixed_matthews,
         .accumulate = accumulate_classes,
         .value = matthews_value,
         .by_default = false});
    table.push_back({.name = "kappa",
                     .title = "Cohen's kappa",
                     .formula = "(top-1 accuracy - chance) / (1 - chance), chance = sum over the "
                                "classes of the proportion of labels times that of predictions",
                     .needs = with_labels,
                     .low = -1,
                     .origin = "Cohen 1960, A coefficient of agreement for nominal scales",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_kappa,
                     .accumulate = accumulate_classes,
                     .value = kappa_value,
                     .by_default = false});
    constexpr std::string_view geifman =
        "Geifman and El-Yaniv 2017, Selective classification for deep neural networks; Geifman, "
        "Uziel "
        "and El-Yaniv 2019, Bias-reduced uncertainty estimation";
    table.push_back({.name = "aurc",
                     .title = "Area under the risk-coverage curve",
                     .formula =
                         "mean over k = 1 .. n of the error rate of the k most confident items; "
                         "equal confidences share their errors",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .origin = geifman,
                     .uncertainty = Uncertainty::jackknife,
                     .source = Source::ordered,
                     .definition = fixed_aurc,
                     .of_order = aurc_of,
                     .by_default = false});
    table.push_back({.name = "excess_aurc",
                     .title = "Excess area under the risk-coverage curve",
                     .formula = "aurc minus that of the same hits and errors in the best order",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .origin = geifman,
                     .uncertainty = Uncertainty::jackknife,
                     .source = Source::ordered,
                     .definition = fixed_excess_aurc,
                     .of_order = excess_aurc_of,
                     .by_default = false});
    table.push_back(
        {.name = "accuracy_at_coverage",
         .title = "Accuracy at coverage",
         .formula =
             "top-1 accuracy of the most confident `coverage` percent of the items (the number "
             "rounded up; equal confidences share their errors)",
         .parameters = {{"coverage", "80", "percent of the items", {}, 1, 100}},
         .needs = labels | probabilities,
         .unit = Unit::proportion,
         .origin = geifman,
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ordered,
         .definition = fixed_covered_accuracy,
         .of_order = covered_accuracy_of,
         .numbered_by = "coverage",
         .by_default = false,
         .variants = {{{"coverage", "80"}}}});
    table.push_back(
        {.name = "calibration_ks",
         .title = "Kolmogorov-Smirnov calibration error",
         .formula = "greatest |sum of confidence - hit| over the items up to a confidence, over n",
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = "Gupta et al. 2021, Calibration of neural networks using splines, eq. 7",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ordered,
         .definition = fixed_calibration_ks,
         .of_order = calibration_ks_of,
         .by_default = false});
    return table;
}

}  // namespace

const std::vector<MetricFacts>& metric_table() {
    static const std::vector<MetricFacts> table = make_table();
    return table;
}

}  // namespace assay
