#include "assay/decisions/operating.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "decisions/judged_labels.h"
#include "decisions/rates.h"
#include "decisions/set_scores.h"
#include "derived/fit_rows.h"

namespace assay::decisions {
namespace {

constexpr std::uint64_t point_block_rows = 4096;

/// Of two classes: the number of the positive one.
std::int32_t positive_class(const PredictionStore& store, const std::string& named) {
    if (store.classes() != 2)
        refuse(
            fmt::format("{}: it has {} classes, but an operating point needs two; add up their "
                        "probabilities and import two columns: assay import --help",
                        store.folder().string(), store.classes()));
    if (named.empty()) return 1;
    if (store.dataset().classes.empty()) {
        if (named == "0" || named == "1") return named == "1" ? 1 : 0;
        refuse(
            fmt::format("{}: `{}` is no class; its classes have no names, so 0 and 1 are "
                        "allowed: assay decide RUNS --positive 1",
                        store.folder().string(), named));
    }
    const auto found = store.dataset().classes.find(named);
    if (!found)
        refuse(
            fmt::format("{}: `{}` is no class; its classes are {} and {}: assay decide RUNS "
                        "--positive {}",
                        store.folder().string(), named, store.dataset().classes.id(0),
                        store.dataset().classes.id(1), store.dataset().classes.id(1)));
    return *found;
}

struct Halves {
    std::vector<ScoredImage> chosen, tested, all;
    std::uint64_t skipped = 0, not_scored = 0;
};

Halves read_halves(const PredictionStore& store, std::int32_t positive,
                   const OperatingOptions& options) {
    const RowReader reader(store);
    const Dataset& dataset = store.dataset();
    require_known_labels(store, dataset.labels, {});
    std::vector<double> probabilities(store.rows(), -1);
    parallel_blocks(
        (store.rows() + point_block_rows - 1) / point_block_rows, resolve_threads(options.threads),
        [&](std::size_t block) {
            throw_if_stopped();
            SortedRow sorted;
            const std::uint64_t end = std::min(store.rows(), (block + 1) * point_block_rows);
            for (std::uint64_t row = block * point_block_rows; row < end; ++row) {
                if (reader.status(row) != RowStatus::ok) continue;
                sorted.read(reader, row);
                probabilities[row] = sorted.probability(sorted.cls(0) == positive ? 0 : 1);
            }
        });
    Halves out;
    for (std::uint64_t row = 0; row < store.rows(); ++row) {
        const std::int32_t label = dataset.single_label(row);
        if (probabilities[row] < 0 || label < 0) {
            ++out.skipped;
            out.not_scored += probabilities[row] < 0 ? 1 : 0;
            continue;
        }
        const ScoredImage image{probabilities[row], label == positive};
        out.all.push_back(image);
        const bool chosen =
            RandomStream(options.seed, fmt::format("operating part of {}", dataset.ids[row]))
                .uniform() < options.split;
        (chosen ? out.chosen : out.tested).push_back(image);
    }
    for (const auto* part : {&out.chosen, &out.tested}) {
        const auto positives = std::ranges::count(*part, true, &ScoredImage::positive);
        if (positives > 0 && positives < std::ssize(*part)) continue;
        refuse(
            fmt::format("{}: the part to {} on has {} positive and {} negative images, but needs "
                        "both. Use more images, or another --split or --seed: assay decide "
                        "--help",
                        store.folder().string(), part == &out.chosen ? "choose" : "test", positives,
                        std::ssize(*part) - positives));
    }
    return out;
}

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

void choose(OperatingPoint& out, const Halves& halves, const OperatingOptions& options) {
    if (has_costs(options)) {
        out.rule = "lowest cost";
        out.threshold = threshold_for_costs(halves.chosen, options.cost_false_positive,
                                            options.cost_false_negative, out.prevalence);
    } else if (options.sensitivity > 0) {
        out.rule = fmt::format("sensitivity >= {:g}", options.sensitivity);
        out.threshold = threshold_for_sensitivity(halves.chosen, options.sensitivity);
    } else {
        const double wanted = options.specificity > 0 ? options.specificity : 0.95;
        out.rule = fmt::format("specificity >= {:g}", wanted);
        out.threshold = threshold_for_specificity(halves.chosen, wanted);
    }
}

void measure(OperatingPoint& out, const Halves& halves, const OperatingOptions& options) {
    const Outcomes found = outcomes_at(halves.tested, out.threshold);
    const double level = options.level, prevalence = out.prevalence;
    out.chosen_on = halves.chosen.size();
    out.positives = found.positives;
    out.negatives = found.negatives;
    out.sensitivity = wilson_proportion(found.true_positives, found.positives, level, "");
    out.specificity = wilson_proportion(found.true_negatives, found.negatives, level, "");
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

void add_benefits(OperatingResult& result, const OperatingPoint& point, const Halves& halves,
                  const OperatingOptions& options) {
    const double here = prevalence_of(halves.all);
    for (const double threshold : options.at) {
        NetBenefit out{point.model, point.dataset, threshold, {}, 0, {}, {}};
        const Outcomes found = outcomes_at(
            halves.all, options.prevalence > 0 ? moved_threshold(threshold, here, point.prevalence)
                                               : threshold);
        const double alarm = (1 - point.prevalence) * threshold / (1 - threshold);
        out.benefit = combined_rates(found, point.prevalence, -alarm, 0, options.level);
        out.all_positive = point.prevalence - alarm;
        out.sensitivity =
            wilson_proportion(found.true_positives, found.positives, options.level, "");
        out.specificity =
            wilson_proportion(found.true_negatives, found.negatives, options.level, "");
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
        const std::int32_t positive = positive_class(store, options.positive);
        derived::require_full(store);
        point.model = store.spec().model_name;
        point.dataset = store.spec().dataset_name;
        const ClassList& classes = store.dataset().classes;
        const auto class_name = [&](std::int32_t cls) {
            return classes.empty() ? std::to_string(cls)
                                   : classes.id(static_cast<std::size_t>(cls));
        };
        point.positive = class_name(positive);
        const Halves halves = read_halves(store, positive, options);
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
                point.model, point.dataset, point.rule, class_name(1 - positive)));
        add_benefits(result, point, halves, options);
        result.points.push_back(std::move(point));
        if (progress) progress({.step = "decide", .done = i + 1, .total = folders.size()});
    }
    return result;
}

}  // namespace assay::decisions
