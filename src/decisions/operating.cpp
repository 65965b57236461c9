#include "assay/decisions/operating.h"

#include <algorithm>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "decisions/judged_labels.h"
#include "decisions/rates.h"
#include "evaluate/threshold_halves.h"

namespace assay::decisions {
namespace {

using evaluate::ThresholdHalves;

double prevalence_of(const std::vector<ScoredImage>& images) {
    const auto positives = std::ranges::count(images, true, &ScoredImage::positive);
    return static_cast<double>(positives) / static_cast<double>(images.size());
}

double odds_of(double probability) {
    return probability / (1 - probability);
}

/// A threshold of probabilities at the prevalence `here` that decides as `threshold` does after
/// Bayes' rule has moved the probabilities to the prevalence `there`.
double moved_threshold(double threshold, double here, double there) {
    const double odds = odds_of(threshold) * odds_of(here) / odds_of(there);
    return odds / (1 + odds);
}

bool has_costs(const OperatingOptions& options) {
    return options.cost_false_positive > 0 || options.cost_false_negative > 0;
}

void choose(OperatingPoint& out, const ThresholdHalves& halves, const OperatingOptions& options) {
    if (has_costs(options)) {
        out.rule = "lowest cost";
        out.threshold = threshold_for_costs(halves.chosen, options.cost_false_positive,
                                            options.cost_false_negative, out.prevalence);
    } else if (options.sensitivity > 0) {
        out.rule = fmt::format("sensitivity >= {:g}", options.sensitivity);
        out.threshold = evaluate::threshold_for_sensitivity(halves.chosen, options.sensitivity);
    } else {
        const double wanted = options.specificity > 0 ? options.specificity : 0.95;
        out.rule = fmt::format("specificity >= {:g}", wanted);
        out.threshold = evaluate::threshold_for_specificity(halves.chosen, wanted);
    }
}

void measure(OperatingPoint& out, const ThresholdHalves& halves, const OperatingOptions& options) {
    const Outcomes found = evaluate::outcomes_at(halves.tested, out.threshold);
    const double level = options.level, prevalence = out.prevalence;
    out.chosen_on = halves.chosen.size();
    out.positives = found.positives;
    out.negatives = found.negatives;
    out.sensitivity = evaluate::sensitivity_of(found, level);
    out.specificity = evaluate::specificity_of(found, level);
    out.ppv = positive_predictive_value(found, prevalence, level);
    out.npv = negative_predictive_value(found, prevalence, level);
    out.cost.undefined = "no costs are given";
    if (has_costs(options)) {
        const double missed = options.cost_false_negative * prevalence;
        out.cost = combined_rates(found, -missed, options.cost_false_positive * (1 - prevalence),
                                  missed, level);
    }
    if (options.require > 0)
        out.passed =
            *(options.sensitivity > 0 ? out.specificity : out.sensitivity).value >= options.require;
}

void add_benefits(OperatingResult& result, const OperatingPoint& point,
                  const ThresholdHalves& halves, const OperatingOptions& options) {
    const double here = prevalence_of(halves.all);
    for (const double threshold : options.at) {
        NetBenefit out{point.model, point.dataset, threshold, {}, 0, {}, {}};
        const Outcomes found = evaluate::outcomes_at(
            halves.all, options.prevalence > 0 ? moved_threshold(threshold, here, point.prevalence)
                                               : threshold);
        const double alarm = (1 - point.prevalence) * threshold / (1 - threshold);
        out.benefit = combined_rates(found, point.prevalence, -alarm, 0, options.level);
        out.all_positive = point.prevalence - alarm;
        out.sensitivity = evaluate::sensitivity_of(found, options.level);
        out.specificity = evaluate::specificity_of(found, options.level);
        result.benefits.push_back(std::move(out));
    }
}

void check_rule(const OperatingOptions& options) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    if (!has_costs(options)) return;
    if (options.specificity > 0 || options.sensitivity > 0)
        throw Error(ErrorCode::usage,
                    "costs choose the threshold: remove --specificity and --sensitivity");
    if (options.cost_false_positive <= 0 || options.cost_false_negative <= 0)
        throw Error(ErrorCode::usage,
                    "give both costs: --cost-false-positive 1 --cost-false-negative 10");
    if (options.require > 0)
        throw Error(ErrorCode::usage,
                    "--require is about --specificity or --sensitivity: remove it, or the costs");
}

}  // namespace

OperatingResult operating_points(const OperatingOptions& options,
                                 const ProgressCallback& progress) {
    check_rule(options);
    OperatingResult result;
    result.level = options.level;
    const ModelStores found = model_stores(options.stores);
    if (const std::string note = found.note(); !note.empty()) result.notes.push_back(note);
    const std::vector<std::filesystem::path>& folders = found.folders;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        const PredictionStore store = PredictionStore::open(folders[i]);
        OperatingPoint point;
        const std::int32_t positive =
            evaluate::positive_class(store, options.positive, [](const std::string& cls) {
                return "assay decide RUNS --positive " + shell_word(cls);
            });
        require_known_labels(store, store.dataset().labels, {});
        point.model = store.spec().model_name;
        point.dataset = store.spec().dataset_name;
        point.positive = evaluate::positive_class_id(store, positive);
        const ThresholdHalves halves = evaluate::read_halves(
            store, positive, options.split, options.seed, options.threads,
            "Use more images, or another --split or --seed: assay decide --help");
        if (halves.skipped > 0)
            result.notes.push_back(
                fmt::format("{} on {}: {} without scores or a single label skipped", point.model,
                            point.dataset, how_many(halves.skipped, "image", "images")));
        result.not_scored += halves.not_scored;
        point.prevalence = options.prevalence > 0 ? options.prevalence : prevalence_of(halves.all);
        choose(point, halves, options);
        measure(point, halves, options);
        if (point.threshold > 1 && !point.ppv.value)
            result.warnings.push_back(fmt::format(
                "{} on {}: no image is called positive, because no threshold up to 1 has {}. "
                "Probabilities that are rounded to 1 cannot be distinguished, but those near 0 "
                "can: turn the rule around with --positive {}",
                point.model, point.dataset, point.rule,
                evaluate::positive_class_id(store, 1 - positive)));
        add_benefits(result, point, halves, options);
        result.points.push_back(std::move(point));
        if (progress) progress({.step = "decide", .done = i + 1, .total = folders.size()});
    }
    return result;
}

}  // namespace assay::decisions
