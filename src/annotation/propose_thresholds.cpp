#include "annotation/propose_thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "annotation/propose_search.h"
#include "assay/error.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "core/random.h"

namespace assay::propose {
namespace {

/// Limit for the entries (items x models x depth) of the search.
constexpr std::uint64_t most_entries = 6'000'000;
constexpr float infinite = std::numeric_limits<float>::infinity();

/// For each model, the scores of the known labels on all ranks, best first. Levels are indices into
/// these lists.
using KnownScores = std::vector<std::vector<float>>;

/// A rank's sample images, and the models' best classes for each; empty if a model has no scores.
struct Sample {
    std::vector<std::uint64_t> items;
    std::vector<TopClasses> top;
};

/// The items with known labels. If they do not fit, those with the smallest draws.
std::vector<std::uint64_t> draw_sample(const Inputs& inputs) {
    std::vector<std::uint64_t> items;
    for (std::uint64_t i = 0; i < inputs.items(); ++i) {
        if (!inputs.known(i).empty()) items.push_back(i);
    }
    const std::uint64_t fitting = std::max<std::uint64_t>(
        1, most_entries / (inputs.models() * std::uint64_t{inputs.options().depth}));
    if (items.size() <= fitting) return items;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> drawn;
    for (const std::uint64_t i : items)
        drawn.emplace_back(
            RandomStream(inputs.options().seed, "labels.propose.sample", i).next_u64(), i);
    std::nth_element(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(fitting),
                     drawn.end());
    items.clear();
    for (std::uint64_t n = 0; n < fitting; ++n) items.push_back(drawn[n].second);
    std::sort(items.begin(), items.end());
    return items;
}

Sample read_sample(const Inputs& inputs, const std::vector<std::uint64_t>& items, Comm& comm,
                   const ProgressCallback& callback) {
    const RankPart mine = part_of_rank(items.size(), comm);
    Sample sample;
    sample.items.assign(items.begin() + static_cast<std::ptrdiff_t>(mine.begin),
                        items.begin() + static_cast<std::ptrdiff_t>(mine.end));
    sample.top.resize(mine.size());
    StepProgress progress(callback, "thresholds", mine.size());
    agree(comm, [&] {
        const std::size_t blocks = (mine.size() + block_items - 1) / block_items;
        parallel_blocks(blocks, inputs.threads(), [&](std::size_t b) {
            const std::size_t end = std::min(mine.size(), (b + 1) * block_items);
            for (std::size_t n = b * block_items; n < end; ++n) {
                if (!inputs.read(sample.items[n], sample.top[n])) sample.top[n].clear();
            }
            progress.advance(end - b * block_items);
        });
    });
    return sample;
}

KnownScores known_scores_of(const Inputs& inputs, const Sample& sample, Comm& comm) {
    KnownScores known(inputs.models());
    for (std::size_t n = 0; n < sample.items.size(); ++n) {
        const TopClasses& top = sample.top[n];
        if (top.empty() || inputs.agreed(sample.items[n], top)) continue;
        for (const std::int32_t c : inputs.known(sample.items[n])) {
            for (std::size_t m = 0; m < inputs.models(); ++m) {
                const std::size_t at = place_in(top[m], c);
                if (at < top[m].size())
                    known[m].push_back(score_of(top[m], at, inputs.options().rule));
            }
        }
    }
    for (auto& scores : known) {
        scores = gathered(comm, scores);
        std::sort(scores.begin(), scores.end(), std::greater<>());
    }
    return known;
}

/// See CandidatePairs.
std::uint32_t level_of(const std::vector<RankedClass>& top, std::int32_t c,
                       const std::vector<float>& known, ProposeOptions::Rule rule) {
    const std::size_t at = place_in(top, c);
    if (at >= top.size()) return CandidatePairs::never;
    if (at == 0) return 0;
    const auto better =
        std::lower_bound(known.begin(), known.end(), score_of(top, at, rule), std::greater<>());
    return 1 + static_cast<std::uint32_t>(better - known.begin());
}

void add_pairs(CandidatePairs& pairs, const Inputs& inputs, std::uint64_t item,
               const TopClasses& top, const KnownScores& known) {
    const auto correct = inputs.known(item), anyway = inputs.asked_anyway(item);
    std::size_t seen = 0;
    for (const std::int32_t c : classes_in(top, anyway)) {
        bool by_any = false;
        for (std::size_t m = 0; m < inputs.models(); ++m) {
            pairs.levels.push_back(level_of(top[m], c, known[m], inputs.options().rule));
            by_any = by_any || pairs.levels.back() != CandidatePairs::never;
        }
        pairs.known.push_back(contains(correct, c) && by_any ? 1 : 0);
        pairs.free.push_back(contains(anyway, c) ? 1 : 0);
        seen += pairs.known.back() != 0 ? 1 : 0;
    }
    pairs.unseen += correct.size() - seen;
}

/// The candidates of all ranks, in the order of the items.
CandidatePairs pairs_of(const Inputs& inputs, const Sample& sample, const KnownScores& known,
                        Comm& comm) {
    CandidatePairs pairs;
    pairs.models = inputs.models();
    for (std::size_t n = 0; n < sample.items.size(); ++n) {
        const std::uint64_t item = sample.items[n];
        const TopClasses& top = sample.top[n];
        if (top.empty()) continue;
        if (inputs.agreed(item, top)) {
            // The only original label is accepted without a question.
            for (const std::int32_t c : inputs.known(item))
                ++(contains(inputs.original(item), c) ? pairs.granted : pairs.unseen);
            continue;
        }
        add_pairs(pairs, inputs, item, top, known);
    }
    pairs.levels = gathered(comm, pairs.levels);
    pairs.known = gathered(comm, pairs.known);
    pairs.free = gathered(comm, pairs.free);
    pairs.unseen = sum_over_ranks(comm, {pairs.unseen}).front();
    pairs.granted = sum_over_ranks(comm, {pairs.granted}).front();
    return pairs;
}

/// The chosen models, and the threshold of each.
Thresholds choose(const Inputs& inputs, const CandidatePairs& pairs, const KnownScores& known) {
    const ProposeOptions& options = inputs.options();
    const auto wanted = static_cast<std::uint64_t>(
        std::ceil(options.recall * static_cast<double>(pairs.all_known()) - 1e-9));
    const std::uint64_t every =
        inputs.models() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << inputs.models()) - 1;
    const Choice choice = options.choose_models ? best_subset(pairs, wanted, inputs.threads())
                                                : level_for(pairs, every, wanted);
    Thresholds out;
    out.reached = choice.reached;
    if (!choice.reached) {
        out.note = fmt::format(
            "the {} best classes of all models find {} of {} known labels; {} are requested. Use a "
            "larger depth, more models or a lower recall",
            options.depth, choice.found, pairs.all_known(), wanted);
    }
    for (std::size_t m = 0; m < inputs.models(); ++m) {
        out.chosen.push_back((choice.mask >> m & 1U) != 0 ? 1 : 0);
        // Level 0 proposes only the predicted classes. Beyond the list, everything in the depth is
        // proposed.
        out.scores.push_back(choice.level == 0                 ? infinite
                             : choice.level <= known[m].size() ? known[m][choice.level - 1]
                                                               : -infinite);
    }
    return out;
}

}  // namespace

Thresholds find_thresholds(const Inputs& inputs, Comm& comm, const ProgressCallback& progress) {
    const std::vector<std::uint64_t> items = draw_sample(inputs);
    if (items.empty()) {
        throw Error(ErrorCode::usage, inputs.has_gold()
                                          ? "the gold label sets are all empty, so no threshold "
                                            "can be set; pass label sets with labels (--gold)"
                                          : "the items have no labels, so no threshold can be set; "
                                            "pass label sets of some images with --gold");
    }
    const Sample sample = read_sample(inputs, items, comm, progress);
    const KnownScores known = known_scores_of(inputs, sample, comm);
    Thresholds out = choose(inputs, pairs_of(inputs, sample, known, comm), known);
    out.sampled = items.size();
    return out;
}

std::uint64_t proposers(const Inputs& inputs, const Thresholds& thresholds, const TopClasses& top,
                        std::int32_t c) {
    std::uint64_t mask = 0;
    for (std::size_t m = 0; m < inputs.models(); ++m) {
        const std::size_t at = place_in(top[m], c);
        if (thresholds.chosen[m] == 0 || at >= top[m].size()) continue;
        if (at == 0 || score_of(top[m], at, inputs.options().rule) >= thresholds.scores[m])
            mask |= std::uint64_t{1} << m;
    }
    return mask;
}

double threshold_shown(float score, const ProposeOptions& options) {
    const bool rank = options.rule == ProposeOptions::Rule::rank;
    if (score == infinite) return 1;
    if (score == -infinite) return rank ? static_cast<double>(options.depth) : 0;
    return static_cast<double>(rank ? -score : score);
}

}  // namespace assay::propose
