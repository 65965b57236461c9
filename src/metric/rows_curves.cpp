// Rows of the table: areas under the curves of one class against the others.
#include "assay/metric/metric.h"
#include "families.h"
#include "table_rows.h"

namespace assay::rows {
namespace {

std::string curve_definition(std::string_view stem, const Parameters& p) {
    return std::string(stem) + "." + p.at("average") +
           (p.at(std::string(ranked_by)) == by_stored_score ? ".stored" : ".log_odds");
}
std::string auroc_definition(const Parameters& p) {
    return curve_definition("auroc.one_vs_rest", p);
}
std::string average_precision_definition(const Parameters& p) {
    return curve_definition("average_precision.one_vs_rest", p);
}
std::string mean_average_precision_definition(const Parameters& p) {
    return curve_definition("mean_average_precision.label_sets", p);
}

}  // namespace

void add_curves(std::vector<MetricFacts>& table) {
    using enum Needs;
    const ParameterFacts average{"average",
                                 "macro",
                                 "macro: every class that has positives counts the same; weighted: "
                                 "as much as it has positives",
                                 {"macro", "weighted"}};
    const ParameterFacts scores{
        ranked_by,
        by_probability,
        "what ranks the items: the log-odds of the class, ln(p / (1 - p)), in double precision; or "
        "its score as it is stored, which is right where each class has a sigmoid of its own",
        {by_probability, by_stored_score}};
    const ParameterFacts told_by_scores{
        ranked_by,
        by_what_scores_tell,
        "what ranks the items: the log-odds of the class by the softmax of all classes, or its "
        "score as it is stored, which is right where each class has a sigmoid of its own; auto: "
        "the one that the scores tell, or an error where they fit both",
        {by_probability, by_stored_score, by_what_scores_tell}};
    table.push_back(
        {.name = "auroc",
         .title = "Area under the ROC curve, one class against the rest",
         .formula = "mean over the classes that have items of the chance that an item of the class "
                    "has higher log-odds of it than another item; ties count half",
         .parameters = {average, scores},
         .needs = labels | probabilities | full_rows,
         .origin = "Hanley and McNeil 1982; interval: DeLong, DeLong and Clarke-Pearson 1988, "
                   "summed by item over the classes; conventions of scikit-learn's roc_auc_score",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ranked,
         .definition = auroc_definition,
         .curve = Curve::roc,
         .by_default = false});
    table.push_back(
        {.name = "average_precision",
         .title = "Average precision, one class against the rest",
         .formula =
             "mean over the classes that have items of the sum over distinct log-odds "
             "of the class, the highest first, of (R_n - R_n-1) P_n; nothing is interpolated",
         .parameters = {average, scores},
         .needs = labels | probabilities | full_rows,
         .origin = "conventions of scikit-learn's average_precision_score",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ranked,
         .definition = average_precision_definition,
         .curve = Curve::precision_recall,
         .by_default = false});
    table.push_back(
        {.name = "mean_average_precision",
         .title = "Mean average precision of label sets (mAP)",
         .formula = "as average_precision, where an image is a positive of each of its valid "
                    "classes; images without valid classes are left out",
         .parameters = {average, told_by_scores},
         .needs = label_sets | probabilities | full_rows,
         .origin = "Everingham et al. 2010 (PASCAL VOC), without interpolation: conventions of "
                   "scikit-learn's average_precision_score",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ranked,
         .definition = mean_average_precision_definition,
         .curve = Curve::precision_recall,
         .by_default = false});
}

}  // namespace assay::rows
