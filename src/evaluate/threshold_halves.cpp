#include "evaluate/threshold_halves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "store/full_rows.h"

namespace assay::evaluate {
namespace {

constexpr std::uint64_t halves_block_rows = 4096;

/// Numbers of a row; no probability if it has no scores.
struct RowNumbers {
    double score = 0, probability = -1;
};
std::vector<RowNumbers> scored_numbers(const PredictionStore& store, std::int32_t positive,
                                       bool log_odds, int threads) {
    const RowReader reader(store);
    const auto own = static_cast<std::size_t>(positive), other = 1 - own;
    std::vector<RowNumbers> out(static_cast<std::size_t>(store.rows()));
    parallel_blocks((store.rows() + halves_block_rows - 1) / halves_block_rows,
                    resolve_threads(threads), [&](std::size_t block) {
                        throw_if_stopped();
                        // Numbers above infinite log-odds exist, so that a threshold can exclude
                        // them.
                        constexpr double largest = 1e300;
                        std::vector<float> buffer;
                        std::array<double, 2> both{};
                        const std::uint64_t end =
                            std::min(store.rows(), (block + 1) * halves_block_rows);
                        for (std::uint64_t row = block * halves_block_rows; row < end; ++row) {
                            if (reader.status(row) != RowStatus::ok) continue;
                            store::read_probabilities(reader, row, buffer, both);
                            RowNumbers& to = out[static_cast<std::size_t>(row)];
                            to.score = to.probability = both[own];
                            if (!log_odds) continue;
                            const std::span<const float> scores = reader.scores(row, buffer);
                            to.score = std::clamp(static_cast<double>(scores[own]) -
                                                      static_cast<double>(scores[other]),
                                                  -largest, largest);
                        }
                    });
    return out;
}

/// From the largest.
std::vector<double> descending_scores(const std::vector<ScoredImage>& images, bool positive) {
    std::vector<double> out;
    for (const ScoredImage& one : images)
        if (one.positive == positive) out.push_back(one.score);
    std::ranges::sort(out, std::greater<>());
    return out;
}

}  // namespace

Outcomes outcomes_at(const std::vector<ScoredImage>& images, double threshold,
                     double ScoredImage::*number) {
    Outcomes out;
    for (const ScoredImage& one : images) {
        const bool called = one.*number >= threshold;
        (one.positive ? out.positives : out.negatives) += 1;
        if (one.positive && called) ++out.true_positives;
        if (!one.positive && !called) ++out.true_negatives;
    }
    return out;
}

double threshold_for_specificity(const std::vector<ScoredImage>& images, double specificity) {
    const std::vector<double> negatives = descending_scores(images, false);
    // 5 % of 100 must be five, even if the product is rounded down.
    const auto allowed = static_cast<std::size_t>(
        std::floor(static_cast<double>(negatives.size()) * (1 - specificity) + 1e-9));
    if (allowed >= negatives.size()) return -std::numeric_limits<double>::infinity();
    return std::nextafter(negatives[allowed], std::numeric_limits<double>::infinity());
}

double threshold_for_sensitivity(const std::vector<ScoredImage>& images, double sensitivity) {
    const std::vector<double> positives = descending_scores(images, true);
    const auto needed = static_cast<std::size_t>(
        std::max(1.0, std::ceil(static_cast<double>(positives.size()) * sensitivity - 1e-9)));
    return positives[needed - 1];
}

Estimate sensitivity_of(const Outcomes& outcomes, double level) {
    return wilson_proportion(outcomes.true_positives, outcomes.positives, level, "");
}

Estimate specificity_of(const Outcomes& outcomes, double level) {
    return wilson_proportion(outcomes.true_negatives, outcomes.negatives, level, "");
}

std::string positive_class_id(const PredictionStore& store, std::int32_t cls) {
    const ClassList& classes = store.dataset().classes;
    return classes.empty() ? std::to_string(cls) : classes.id(static_cast<std::size_t>(cls));
}

std::int32_t positive_class(const PredictionStore& store, const std::string& named,
                            const PositiveHint& hint) {
    if (store.classes() != 2)
        refuse(
            fmt::format("{}: it has {} classes, but an operating point needs two; add up their "
                        "probabilities and import two columns: assay import --help",
                        store.folder().string(), store.classes()));
    if (named.empty()) return 1;
    const ClassList& classes = store.dataset().classes;
    if (classes.empty()) {
        if (named == "0" || named == "1") return named == "1" ? 1 : 0;
        refuse(
            fmt::format("{}: `{}` is no class; its classes have no names, so 0 and 1 are "
                        "allowed: {}",
                        store.folder().string(), named, hint("1")));
    }
    const auto found = classes.find(named);
    if (!found)
        refuse(fmt::format("{}: `{}` is no class; its classes are {} and {}: {}",
                           store.folder().string(), named, classes.id(0), classes.id(1),
                           hint(std::string(classes.id(1)))));
    return *found;
}

ThresholdHalves read_halves(const PredictionStore& store, std::int32_t positive, double split,
                            std::uint64_t seed, int threads, const std::string& hint) {
    store::require_full(store);
    const Dataset& dataset = store.dataset();
    ThresholdHalves out;
    const ScoreKind kind = store.spec().kind;
    out.are_log_odds = kind == ScoreKind::logits || kind == ScoreKind::log_probabilities;
    const std::vector<RowNumbers> rows = scored_numbers(store, positive, out.are_log_odds, threads);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::int32_t label = dataset.single_label(row);
        if (rows[row].probability < 0 || label < 0) {
            ++out.skipped;
            out.not_scored += rows[row].probability < 0 ? 1 : 0;
            continue;
        }
        const ScoredImage image{rows[row].score, label == positive, rows[row].probability};
        out.all.push_back(image);
        const bool chosen =
            RandomStream(seed, fmt::format("operating part of {}", dataset.ids[row])).uniform() <
            split;
        (chosen ? out.chosen : out.tested).push_back(image);
    }
    for (const auto* part : {&out.chosen, &out.tested}) {
        const auto positives = std::ranges::count(*part, true, &ScoredImage::positive);
        if (positives > 0 && positives < std::ssize(*part)) continue;
        if (part == &out.chosen && split == 0) continue;
        refuse(
            fmt::format("{}: the part to {} on has {} positive and {} negative images, but needs "
                        "both. {}",
                        store.folder().string(), part == &out.chosen ? "choose" : "test", positives,
                        std::ssize(*part) - positives, hint));
    }
    return out;
}

}  // namespace assay::evaluate
