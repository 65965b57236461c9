// What the screen says that comes from stored scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/evaluate/eval.h"
#include "evaluate/eval/eval_items.h"

namespace assay {
namespace {

constexpr std::size_t shown_classes = 5;
constexpr std::uint64_t fewest_of_class = 5;  // a class of fewer images has no accuracy to speak of

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

/// "" where the accuracy is better than chance.
std::string chance_warning(const EvaluatedModel& model, std::size_t classes) {
    const Measurement* accuracy = measured(model, "top1");
    if (accuracy == nullptr || !accuracy->interval || classes == 0) return "";
    const double chance = 1.0 / static_cast<double>(classes);
    const Interval& interval = *accuracy->interval;
    if (interval.low > chance) return "";
    return fmt::format(
        "the accuracy, {:.2g} %, is {} chance ({:.2g} %): the classes or the "
        "preprocessing may be others; type `assay check -m MODEL -d IMAGES`",
        100 * *accuracy->value, interval.high < chance ? "below" : "no better than", 100 * chance);
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
        model.unreadable = report.counts.unreadable + report.counts.not_finite;
        for (const std::string& text : report.warnings) model.warnings.push_back(text);
        if (std::string text = chance_warning(model, report.classes.size()); !text.empty())
            model.warnings.push_back(std::move(text));
    }
    result.gates = std::move(scores.gates);
    result.notes.insert(result.notes.end(), scores.notes.begin(), scores.notes.end());
}

}  // namespace

std::vector<std::string> eval_metrics(std::size_t classes) {
    constexpr std::size_t top = 5;
    std::vector<std::string> metrics = {"top1"};
    if (classes > top) metrics.emplace_back("top5");
    metrics.insert(metrics.end(), {"ece", "nll", "confidence"});
    return metrics;
}

void measure(EvalResult& result, std::span<const PredictionStore* const> stores,
             const MeasureOptions& options, const ProgressCallback& progress) {
    const Dataset& dataset = stores.front()->dataset();
    result.items = stores.front()->rows();
    result.labelled = 0;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i)
        result.labelled += dataset.labels[i].empty() ? 0 : 1;
    MeasureOptions asked = options;
    if (asked.metrics.empty()) asked.metrics = eval_metrics(stores.front()->classes());
    const bool labels = result.labelled > 0 || !asked.labels.empty();
    if (labels || !asked.gates.empty()) add_scores(result, stores, asked, progress);
    if (labels && stores.size() > 1) {
        CompareRunsOptions how;
        how.measure = asked;
        how.measure.gates.clear();
        result.comparison =
            compare_opened(*stores.front(), stores.subspan(1), how, *self_comm(), progress);
    }
    evaluate::ItemsOfScores items = evaluate::look_at_items(stores, options.threads);
    for (std::size_t m = 0; m < stores.size(); ++m)
        result.models.at(m).confidence = items.confidence.at(m);
    if (stores.size() > 1) result.agreement = items.agreement;
    result.doubted_labels = std::move(items.doubted);
    if (result.labelled == 0) result.unsure = std::move(items.unsure);
}

}  // namespace assay
