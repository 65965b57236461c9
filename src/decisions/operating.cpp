#include "assay/decisions/operating.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "core/finite_number.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "decisions/judged_labels.h"
#include "decisions/rates.h"
#include "evaluate/short_threshold.h"
#include "evaluate/threshold_halves.h"
#include "store/usable_stores.h"

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

/// The threshold that the user gives: one of the two.
struct GivenThreshold {
    std::optional<double> probability, log_odds;
};

GivenThreshold given_threshold(const std::string& text) {
    constexpr std::string_view odds = "log-odds";
    const std::string_view whole = trimmed(text);
    const bool is_odds = whole.starts_with(odds);
    const std::optional<double> number =
        finite_number(is_odds ? trimmed(whole.substr(odds.size())) : whole);
    if (!number || (!is_odds && (*number < 0 || *number > 1)))
        throw Error(ErrorCode::usage,
                    fmt::format("--threshold is `{}`; allowed: a probability from 0 to 1, or "
                                "log-odds: assay decide RUNS --threshold \"log-odds 21.34\"",
                                text));
    return is_odds ? GivenThreshold{{}, number} : GivenThreshold{number, {}};
}

Outcomes outcomes_at_given(OperatingPoint& out, const ThresholdHalves& halves,
                           const GivenThreshold& given, const PredictionStore& store) {
    if (given.log_odds && !halves.are_log_odds)
        refuse(
            fmt::format("{}: it has probabilities and no logits, so give a probability from 0 to "
                        "1: assay decide RUNS --threshold 0.5",
                        store.folder().string()));
    out.threshold = given.probability;
    out.log_odds = given.log_odds;
    out.rule = given.log_odds ? fmt::format("log-odds {}", *given.log_odds)
                              : fmt::format("threshold {}", *given.probability);
    return given.log_odds ? evaluate::outcomes_at(halves.tested, *given.log_odds)
                          : evaluate::outcomes_at(halves.tested, *given.probability,
                                                  &ScoredImage::probability);
}

/// Chooses a threshold of the scores on one part.
double chosen_threshold(OperatingPoint& out, const ThresholdHalves& halves,
                        const OperatingOptions& options) {
    if (has_costs(options)) {
        out.rule = "lowest cost";
        return threshold_for_costs(halves.chosen, options.cost_false_positive,
                                   options.cost_false_negative, out.prevalence);
    }
    if (options.sensitivity > 0) {
        out.rule = fmt::format("sensitivity >= {:g}", options.sensitivity);
        return evaluate::threshold_for_sensitivity(halves.chosen, options.sensitivity);
    }
    const double wanted = options.specificity > 0 ? options.specificity : 0.95;
    out.rule = fmt::format("specificity >= {:g}", wanted);
    return evaluate::threshold_for_specificity(halves.chosen, wanted);
}

Outcomes outcomes_at_chosen(OperatingPoint& out, const ThresholdHalves& halves,
                            const OperatingOptions& options) {
    const double threshold = chosen_threshold(out, halves, options);
    const evaluate::ShownThreshold shown = evaluate::shown_threshold(halves, threshold);
    out.threshold = shown.probability;
    out.log_odds = shown.log_odds;
    return evaluate::outcomes_at(halves.tested, threshold);
}

void measure(OperatingPoint& out, const ThresholdHalves& halves, const Outcomes& found,
             const OperatingOptions& options) {
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
            halves.all,
            options.prevalence > 0 ? moved_threshold(threshold, here, point.prevalence) : threshold,
            &ScoredImage::probability);
        const double alarm = (1 - point.prevalence) * threshold / (1 - threshold);
        out.benefit = combined_rates(found, point.prevalence, -alarm, 0, options.level);
        out.all_positive = point.prevalence - alarm;
        out.sensitivity = evaluate::sensitivity_of(found, options.level);
        out.specificity = evaluate::specificity_of(found, options.level);
        result.benefits.push_back(std::move(out));
    }
}

/// A given threshold is tested on all images, so nothing is chosen.
void check_given(const OperatingOptions& options) {
    const OperatingOptions usual;
    given_threshold(options.threshold);
    for (const auto& [given, name] :
         {std::pair(options.specificity > 0, "--specificity"),
          std::pair(options.sensitivity > 0, "--sensitivity"),
          std::pair(options.cost_false_positive > 0, "--cost-false-positive"),
          std::pair(options.cost_false_negative > 0, "--cost-false-negative"),
          std::pair(options.require > 0, "--require"),
          std::pair(options.split != usual.split, "--split"),
          std::pair(options.seed != usual.seed, "--seed")}) {
        if (given)
            throw Error(
                ErrorCode::usage,
                fmt::format("--threshold is tested on all images: omit {}: assay decide RUNS "
                            "--threshold {}",
                            name, shell_word(options.threshold)));
    }
}

void check_rule(const OperatingOptions& options) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    if (!options.threshold.empty()) check_given(options);
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

/// Changes nothing if the store cannot be used.
void add_point(OperatingResult& result, const PredictionStore& store,
               const OperatingOptions& options) {
    OperatingPoint point;
    const bool chosen = options.threshold.empty();
    const std::int32_t positive = evaluate::positive_class(
        store, options.positive,
        [](const std::string& cls) { return "assay decide RUNS --positive " + shell_word(cls); });
    require_known_labels(store, store.dataset().labels, {});
    point.model = store.spec().model_name;
    point.dataset = store.spec().dataset_name;
    point.positive = evaluate::positive_class_id(store, positive);
    const ThresholdHalves halves = evaluate::read_halves(
        store, positive, chosen ? options.split : 0, options.seed, options.threads,
        chosen ? "Use more images, or another --split or --seed: assay decide --help"
               : "Use images of both classes: assay decide --help");
    point.prevalence = options.prevalence > 0 ? options.prevalence : prevalence_of(halves.all);
    const Outcomes outcomes =
        chosen ? outcomes_at_chosen(point, halves, options)
               : outcomes_at_given(point, halves, given_threshold(options.threshold), store);
    measure(point, halves, outcomes, options);
    if (halves.skipped > 0)
        result.notes.push_back(fmt::format("{} on {}: {} without scores or a single label skipped",
                                           point.model, point.dataset,
                                           how_many(halves.skipped, "image", "images")));
    result.not_scored += halves.not_scored;
    if (chosen && !halves.are_log_odds && !point.threshold && !point.ppv.value)
        result.warnings.push_back(fmt::format(
            "{} on {}: no image is called positive, because no threshold up to 1 has {}. "
            "Probabilities that are rounded to 1 cannot be distinguished, but those "
            "near 0 can: turn the rule around with --positive {}",
            point.model, point.dataset, point.rule,
            evaluate::positive_class_id(store, 1 - positive)));
    add_benefits(result, point, halves, options);
    result.points.push_back(std::move(point));
}

}  // namespace

OperatingResult operating_points(const OperatingOptions& options,
                                 const ProgressCallback& progress) {
    check_rule(options);
    OperatingResult result;
    result.level = options.level;
    const ModelStores found = model_stores(options.stores, true);
    if (const std::string note = found.note(); !note.empty()) result.notes.push_back(note);
    std::uint64_t done = 0;
    const std::vector<std::string> refusals =
        store::use_stores(found.folders, "used", [&](const std::filesystem::path& folder) {
            if (progress) progress({.step = "decide", .done = done, .total = found.folders.size()});
            ++done;
            add_point(result, PredictionStore::open(folder), options);
        });
    result.refused = refusals.size();
    result.warnings.insert(result.warnings.end(), refusals.begin(), refusals.end());
    if (progress) progress({.step = "decide", .done = done, .total = found.folders.size()});
    return result;
}

}  // namespace assay::decisions
