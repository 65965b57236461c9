#include "metric/other_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 35> others = {{
    {"acc", "top1"},
    {"acc1", "top1"},
    {"acc5", "top5"},
    {"accuracy", "top1"},
    {"accuracy_score", "top1"},
    {"ap", "average_precision"},
    {"auc", "auroc"},
    {"auprc", "average_precision"},
    {"average_precision_score", "average_precision"},
    {"balanced_acc", "balanced"},
    {"balanced_accuracy", "balanced"},
    {"balanced_accuracy_score", "balanced"},
    {"cohen_kappa", "kappa"},
    {"cohen_kappa_score", "kappa"},
    {"cross_entropy", "nll"},
    {"expected_calibration_error", "ece"},
    {"log_loss", "nll"},
    {"logloss", "nll"},
    {"map", "mean_average_precision"},
    {"matthews_corrcoef", "matthews"},
    {"mcc", "matthews"},
    {"mean_per_class_accuracy", "balanced"},
    {"negative_log_likelihood", "nll"},
    {"pr_auc", "average_precision"},
    {"prec1", "top1"},
    {"prec5", "top5"},
    {"roc_auc", "auroc"},
    {"roc_auc_score", "auroc"},
    {"rocauc", "auroc"},
    {"sparse_categorical_accuracy", "top1"},
    {"sparse_categorical_crossentropy", "nll"},
    {"top1_accuracy", "top1"},
    {"top5_accuracy", "top5"},
    {"top_1", "top1"},
    {"top_5", "top5"},
}};

}  // namespace

std::string_view own_metric_name(std::string_view name) {
    std::string asked(name);
    for (char& letter : asked) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        if (letter == '-') letter = '_';
    }
    const auto found = std::ranges::find(others, std::string_view(asked),
                                         &std::pair<std::string_view, std::string_view>::first);
    return found == others.end() ? name : found->second;
}

}  // namespace assay
