// Rows of the table: balances of the classes, and scores of the confusion matrix.
#include <fmt/core.h>

#include "assay/metric/metric.h"
#include "families.h"
#include "table_rows.h"

namespace assay::rows {
namespace {

using namespace families;

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

}  // namespace

void add_classes(MetricTable& table) {
    using enum Needs;
    const unsigned with_labels = static_cast<unsigned>(labels);
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
}

}  // namespace assay::rows
