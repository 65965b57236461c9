#include "metric/other_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace assay {
namespace {

// A few of Assay's own names are here for users who write them in capitals.
constexpr std::array<std::pair<std::string_view, std::string_view>, 73> others = {{
    {"acc", "top1"},
    {"acc1", "top1"},
    {"acc5", "top5"},
    {"acc@1", "top1"},
    {"acc@5", "top5"},
    {"accuracy", "top1"},
    {"accuracy@1", "top1"},
    {"accuracy@5", "top5"},
    {"accuracy_score", "top1"},
    {"ace", "ace"},
    {"ap", "average_precision"},
    {"asma", "asma"},
    {"auc", "auroc"},
    {"auprc", "average_precision"},
    {"aurc", "aurc"},
    {"auroc", "auroc"},
    {"average_precision_score", "average_precision"},
    {"balanced_acc", "balanced"},
    {"balanced_accuracy", "balanced"},
    {"balanced_accuracy_score", "balanced"},
    {"binary_ap", "average_precision.one_vs_rest.binary.log_odds"},
    {"binary_auroc", "auroc.one_vs_rest.binary.log_odds"},
    {"binary_average_precision", "average_precision.one_vs_rest.binary.log_odds"},
    {"binary_f1", "f1.binary"},
    {"binary_precision", "precision.binary"},
    {"binary_recall", "recall.binary"},
    {"binary_specificity", "specificity.binary"},
    {"brier", "brier"},
    {"cohen_kappa", "kappa"},
    {"cohen_kappa_score", "kappa"},
    {"cross_entropy", "nll"},
    {"ece", "ece"},
    {"exact_match_ratio", "exact_match"},
    {"expected_calibration_error", "ece"},
    {"f1", "f1"},
    {"f1_binary", "f1.binary"},
    {"f1_macro", "f1"},
    {"kappa", "kappa"},
    {"label_ranking_average_precision_score", "label_ranking_average_precision"},
    {"label_ranking_loss", "ranking_loss"},
    {"log_loss", "nll"},
    {"logloss", "nll"},
    {"lrap", "label_ranking_average_precision"},
    {"macro_f1", "f1"},
    {"map", "mean_average_precision"},
    {"matthews_corrcoef", "matthews"},
    {"mcc", "matthews"},
    {"mistake_severity", "ancestor_height.mistakes"},
    {"mean_per_class_accuracy", "balanced"},
    {"negative_log_likelihood", "nll"},
    {"nll", "nll"},
    {"ppv", "precision.binary"},
    {"pr_auc", "average_precision"},
    {"prec1", "top1"},
    {"prec5", "top5"},
    {"quadratic_weighted_kappa", "quadratic_kappa"},
    {"qwk", "quadratic_kappa"},
    {"roc_auc", "auroc"},
    {"roc_auc_score", "auroc"},
    {"rocauc", "auroc"},
    {"sensitivity", "recall.binary"},
    {"sparse_categorical_accuracy", "top1"},
    {"sparse_categorical_crossentropy", "nll"},
    {"subset_accuracy", "exact_match"},
    {"tnr", "specificity.binary"},
    {"top1_accuracy", "top1"},
    {"top5_accuracy", "top5"},
    {"top_1", "top1"},
    {"top_5", "top5"},
    {"top_k", "topk"},
    {"tpr", "recall.binary"},
    {"true_negative_rate", "specificity.binary"},
    {"true_positive_rate", "recall.binary"},
}};

/// Words for something similar to a metric, or for something that is not a metric here; each word
/// is surrounded by blanks.
struct Near {
    std::string_view words, instead;
};
constexpr Near near[] = {
    {" error error_rate err top1_error classification_error misclassification ",
     "`top1` is the accuracy, and the error is 1 - top1"},
    {" loss ce ", "`nll` is the mean cross-entropy"},
    {" f1_score f1score fscore ",
     "the nearest is `f1`, the mean of the classes' F1 (macro); `binary_f1` is the F1 of class 1 "
     "of two"},
    {" precision_score prec ",
     "the nearest is `precision`, the mean over the classes (macro); `binary_precision` is the "
     "precision of class 1 of two"},
    {" recall_score ",
     "the nearest is `recall`, the mean over the classes (macro); `binary_recall` is the recall of "
     "class 1 of two"},
    {" brier_score brier_score_loss ",
     "the nearest is `brier`, the sum over all classes; `binary_brier` is the Brier score of class "
     "1 of two"},
    {" calibration reliability calibration_curve reliability_diagram ",
     "`ece` is the calibration error, and `assay score RUNS --reliability` shows each bin"},
    {" mce max_calibration_error maximum_calibration_error ",
     "`ece` is the mean over the bins, and `assay score RUNS --reliability` shows each bin"},
    {" confusion confusion_matrix confusions ", "`assay score RUNS --confusion` shows confusions"},
    {" classification_report per_class class_accuracy worst_class worst_class_accuracy ",
     "`assay score RUNS --per-class` shows each class, the worst first"},
    {" worst_group worst_group_accuracy group_accuracy ",
     "`assay score RUNS --subgroup ATTRIBUTE` measures each group"},
    {" aupr pr_curve precision_recall_curve ", "`average_precision` is the area under that curve"},
    {" roc roc_curve ", "`auroc` is the area under that curve"},
    {" hamming ",
     "`hamming_loss` uses the classes that reach a threshold; `asma:agreement=hamming` uses the "
     "best ones"},
    {" jaccard jaccard_score iou ", "`asma:agreement=jaccard` compares label sets"},
    {" multilabel multi_label f1_micro micro_f1 f1_samples ",
     "`multilabel_f1` (micro, samples, ...) is for one sigmoid per class (docs/multilabel.md)"},
    {" ood ood_auroc ood_fpr95 fpr95 fpr_at_95 fpr95tpr ",
     "`assay score RUNS --ood IN=OUT` measures how well scores separate two data sets"},
    {" temperature temperature_scaling ", "`temperature_scaled_ece` is the error after scaling"},
};

/// Converts a name to the form in the tables: lower case, with _ instead of -.
std::string as_listed(std::string_view name) {
    std::string asked(name);
    for (char& letter : asked) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        if (letter == '-' || letter == ' ') letter = '_';
    }
    return asked;
}

}  // namespace

std::string_view near_metric(std::string_view name) {
    const std::string padded = " " + as_listed(name) + " ";
    for (const Near& row : near) {
        if (row.words.find(padded) != std::string_view::npos) return row.instead;
    }
    return "";
}

std::string_view own_metric_name(std::string_view name) {
    const std::string asked = as_listed(name);
    const auto found = std::ranges::find(others, std::string_view(asked),
                                         &std::pair<std::string_view, std::string_view>::first);
    return found == others.end() ? name : found->second;
}

std::vector<std::string> other_metric_names() {
    std::vector<std::string> names;
    for (const auto& [other, own] : others) {
        if (other != own) names.emplace_back(other);
    }
    return names;
}

}  // namespace assay
