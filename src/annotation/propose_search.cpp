#include "annotation/propose_search.h"

#include <algorithm>
#include <bit>

#include "core/parallel.h"

namespace assay {
namespace {

constexpr std::size_t most_for_all_subsets = 6;

/// Better first.
bool better(const Choice& a, const Choice& b) {
    if (a.reached != b.reached) return a.reached;
    if (!a.reached && a.found != b.found) return a.found > b.found;
    if (a.questions != b.questions) return a.questions < b.questions;
    const int models_a = std::popcount(a.mask), models_b = std::popcount(b.mask);
    return models_a != models_b ? models_a < models_b : a.mask < b.mask;
}

Choice best_of(const CandidatePairs& pairs, const std::vector<std::uint64_t>& masks,
               std::uint64_t wanted, int threads) {
    std::vector<Choice> choices(masks.size());
    parallel_blocks(masks.size(), threads,
                    [&](std::size_t i) { choices[i] = level_for(pairs, masks[i], wanted); });
    return *std::min_element(choices.begin(), choices.end(), better);
}

}  // namespace

std::uint64_t CandidatePairs::all_known() const {
    return static_cast<std::uint64_t>(std::count(known.begin(), known.end(), 1)) + unseen + granted;
}

Choice level_for(const CandidatePairs& pairs, std::uint64_t mask, std::uint64_t wanted) {
    std::vector<std::size_t> chosen;
    for (std::size_t m = 0; m < pairs.models; ++m) {
        if ((mask >> m & 1U) != 0) chosen.push_back(m);
    }
    std::vector<std::uint32_t> lowest(pairs.size()), known;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        std::uint32_t level = CandidatePairs::never;
        for (const std::size_t m : chosen)
            level = std::min(level, pairs.levels[p * pairs.models + m]);
        lowest[p] = level;
        if (pairs.known[p] != 0 && level != CandidatePairs::never) known.push_back(level);
    }
    Choice out{.mask = mask, .level = 0, .questions = 0, .found = 0, .reached = true};
    const std::uint64_t needed = wanted > pairs.granted ? wanted - pairs.granted : 0;
    if (needed > known.size()) {
        out.reached = false;
        out.level = known.empty() ? 0 : *std::max_element(known.begin(), known.end());
    } else if (needed > 0) {
        const auto at = known.begin() + static_cast<std::ptrdiff_t>(needed - 1);
        std::nth_element(known.begin(), at, known.end());
        out.level = *at;
    }
    out.found = pairs.granted;
    for (const std::uint32_t level : known) out.found += level <= out.level ? 1 : 0;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const bool proposed = lowest[p] != CandidatePairs::never && lowest[p] <= out.level;
        out.questions += proposed || pairs.free[p] != 0 ? 1 : 0;
    }
    return out;
}

Choice best_subset(const CandidatePairs& pairs, std::uint64_t wanted, int threads) {
    const std::uint64_t all =
        pairs.models >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << pairs.models) - 1;
    if (pairs.models <= most_for_all_subsets) {
        std::vector<std::uint64_t> masks;
        for (std::uint64_t mask = 1; mask <= all; ++mask) masks.push_back(mask);
        const Choice best = best_of(pairs, masks, wanted, threads);
        return best.reached ? best : level_for(pairs, all, wanted);
    }
    // Drops one model at a time until one remains, and returns the best subset on the way.
    Choice best = level_for(pairs, all, wanted);
    if (!best.reached) return best;
    for (std::uint64_t mask = all; std::popcount(mask) > 1;) {
        std::vector<std::uint64_t> masks;
        for (std::size_t m = 0; m < pairs.models; ++m) {
            if ((mask >> m & 1U) != 0) masks.push_back(mask & ~(std::uint64_t{1} << m));
        }
        const Choice next = best_of(pairs, masks, wanted, threads);
        if (!next.reached) break;
        if (better(next, best)) best = next;
        mask = next.mask;
    }
    return best;
}

}  // namespace assay
