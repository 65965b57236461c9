// The parts of the screen that come from stored scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/evaluate/eval.h"
#include "core/add_once.h"
#include "evaluate/default_metrics.h"
#include "evaluate/eval/eval_items.h"
#include "evaluate/eval/running_accuracy.h"
#include "evaluate/label_signs.h"

namespace assay {
namespace {

constexpr std::size_t shown_classes = 5;
constexpr std::uint64_t fewest_of_class = 5;  // the accuracy of a class with fewer images is not
                                              // meaningful

const Measurement* measured(const EvaluatedModel& model, std::string_view metric) {
    const auto found = std::ranges::find_if(model.measurements, [&](const Measurement& m) {
        return m.key.metric == metric && m.key.subgroup.empty() && m.value;
    });
    return found == model.measurements.end() ? nullptr : &*found;
}

std::string calibration_of(const EvaluatedModel& model) {
    constexpr double agree = 0.02;
    const Measurement *accuracy = measured(model, "top1"), *ece = measured(model, "ece"),
                      *confidence = measured(model, "confidence");
    if (accuracy == nullptr || confidence == nullptr) return "";
    const double above = *confidence->value - *accuracy->value;
    std::string text =
        fmt::format("mean confidence {:.1f} %, accuracy {:.1f} %: ", 100 * *confidence->value,
                    100 * *accuracy->value);
    if (std::abs(above) < agree) {
        text += "they agree within 2 points";
    } else {
        text += fmt::format("{} by {:.1f} points", above > 0 ? "overconfident" : "underconfident",
                            100 * std::abs(above));
    }
    if (ece == nullptr) return text;
    text += fmt::format("; ECE {:.3f}: confidence is {:.1f} points off, averaged over its bins",
                        *ece->value, 100 * *ece->value);
    if (!ece->note.empty()) text += fmt::format(" ({})", ece->note);
    return text;
}

std::vector<ClassResult> worst_of(const std::vector<ClassResult>& classes) {
    std::vector<ClassResult> worst;
    std::ranges::copy_if(classes, std::back_inserter(worst), [](const ClassResult& c) {
        return c.accuracy.value && c.accuracy.n >= fewest_of_class;
    });
    std::ranges::stable_sort(worst, [](const ClassResult& a, const ClassResult& b) {
        if (*a.accuracy.value != *b.accuracy.value) return *a.accuracy.value < *b.accuracy.value;
        return a.accuracy.n > b.accuracy.n;
    });
    worst.resize(std::min(worst.size(), shown_classes));
    return worst;
}

/// Returns "" if the accuracy is better than chance, or the images are too few to doubt it.
std::string chance_warning(const EvaluatedModel& model, std::size_t classes) {
    const Measurement* accuracy = measured(model, "top1");
    constexpr double no_doubt = 0.995;
    if (accuracy == nullptr || !accuracy->interval || classes < 2 || *accuracy->value >= no_doubt)
        return "";
    const double chance = 1.0 / static_cast<double>(classes);
    const Interval& interval = *accuracy->interval;
    if (interval.low > chance) return "";
    const std::string_view is = interval.high < chance       ? "below"
                                : *accuracy->value <= chance ? "no better than"
                                                             : "not shown to be better than";
    return fmt::format(
        "the accuracy, {:.3g} %, is {} chance ({:.3g} %): the classes or the preprocessing may be "
        "wrong{}",
        100 * *accuracy->value, is, 100 * chance,
        model.check.empty() ? std::string() : fmt::format("; type `{}`", model.check));
}

void mark_not_settled(Estimate& estimate) {
    estimate.note += (estimate.note.empty() ? "" : "; ") + std::string(not_settled_mark);
}

/// Marks every number that depends on a choice that is not settled.
void mark_numbers(EvalResult& result) {
    bool all_settled = true;
    for (EvaluatedModel& model : result.models) {
        if (model.settled()) continue;
        all_settled = false;
        for (Measurement& m : model.measurements) mark_not_settled(m);
        for (ClassResult& c : model.worst_classes) mark_not_settled(c.accuracy);
        mark_not_settled(model.confidence);
    }
    if (all_settled) return;
    if (result.agreement) mark_not_settled(*result.agreement);
    if (!result.comparison) return;
    const bool first = result.models.front().settled();
    for (std::size_t c = 0; c < result.comparison->pairs.size(); ++c) {
        const bool candidate = result.models.at(c + 1).settled();
        if (first && candidate) continue;
        PairReport& pair = result.comparison->pairs[c];
        mark_not_settled(pair.error_consistency);
        for (PairedMetric& metric : pair.metrics) {
            if (!first) mark_not_settled(metric.baseline);
            if (!candidate) mark_not_settled(metric.candidate);
            mark_not_settled(metric.difference);
        }
    }
}

void add_scores(EvalResult& result, std::span<const PredictionStore* const> stores,
                const MeasureOptions& options, const ProgressCallback& progress) {
    ScoreRunsOptions how;
    how.measure = options;
    ScoreResult scores = score_stores(stores, how, *self_comm(), progress);
    for (std::size_t m = 0; m < stores.size(); ++m) {
        EvaluatedModel& model = result.models.at(m);
        ScoreReport& report = scores.reports.at(m);
        model.measurements = std::move(report.measurements);
        model.worst_classes = worst_of(report.per_class);
        model.calibration = calibration_of(model);
        for (const std::string& text : report.notes) add_once(result.notes, text);
        const std::string chance = chance_warning(model, report.classes.size());
        for (const std::string& text : report.warnings) {
            // The model's own warning contains the typed command.
            if (chance.empty() || !text.starts_with(evaluate::low_accuracy_sign))
                add_once(model.warnings, text);
        }
        if (!chance.empty()) add_once(model.warnings, chance);
    }
    result.gates = std::move(scores.gates);
    for (const std::string& text : scores.notes) add_once(result.notes, text);
}

void add_comparison(EvalResult& result, std::span<const PredictionStore* const> stores,
                    const MeasureOptions& options, const ProgressCallback& progress) {
    CompareRunsOptions how;
    how.measure = options;
    how.measure.gates.clear();
    CompareResult compared =
        compare_opened(*stores.front(), stores.subspan(1), how, *self_comm(), progress);
    for (std::size_t c = 0; c < compared.pairs.size(); ++c) {
        const PairReport& pair = compared.pairs[c];
        for (const std::string& text : pair.notes) add_once(result.notes, text);
        for (const std::string& text : pair.warnings)
            add_once(result.models.at(c + 1).warnings, text);
    }
    for (const std::string& text : compared.notes) add_once(result.notes, text);
    result.comparison = std::move(compared);
}

}  // namespace

std::vector<std::string> eval_metrics(std::size_t classes, bool given_k, bool label_sets) {
    constexpr std::size_t top = 5;
    std::vector<std::string> metrics;
    if (label_sets) metrics.emplace_back("real");
    metrics.emplace_back(given_k ? "topk" : "top1");
    if (classes > top && !given_k) metrics.emplace_back("top5");
    if (classes == 2)
        metrics.insert(metrics.end(), of_positive_class.begin(), of_positive_class.end());
    metrics.insert(metrics.end(), {"ece", "nll", "confidence"});
    return metrics;
}

void measure(EvalResult& result, std::span<const PredictionStore* const> stores,
             const MeasureOptions& options, const ProgressCallback& progress) {
    const Dataset& dataset = stores.front()->dataset();
    result.items = stores.front()->rows();
    result.labelled = evaluate::count_labelled(dataset);
    MeasureOptions asked = options;
    const bool label_sets = !asked.labels.empty() || !dataset.labels.is_single();
    if (asked.metrics.empty())
        asked.metrics = eval_metrics(stores.front()->classes(), !asked.k.empty(), label_sets);
    const bool labels = result.labelled > 0 || !asked.labels.empty();
    if (labels || !asked.gates.empty()) add_scores(result, stores, asked, progress);
    if (labels && stores.size() > 1) add_comparison(result, stores, asked, progress);
    evaluate::ItemsOfScores items = evaluate::look_at_items(stores, options.threads);
    for (std::size_t m = 0; m < stores.size(); ++m)
        result.models.at(m).confidence = items.confidence.at(m);
    if (stores.size() > 1) result.agreement = items.agreement;
    result.doubted_labels = std::move(items.doubted);
    if (result.labelled == 0) result.unsure = std::move(items.unsure);
    mark_numbers(result);
}

}  // namespace assay
