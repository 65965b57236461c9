#include "evaluate/eval/decision.h"

#include <algorithm>
#include <numeric>

#include "core/statistics.h"

namespace assay::evaluate {
namespace {

std::uint64_t hits_of(const Correct& way) {
    return std::accumulate(way.begin(), way.end(), std::uint64_t{0});
}

double accuracy_of(const Correct& way) {
    return way.empty() ? 0 : static_cast<double>(hits_of(way)) / static_cast<double>(way.size());
}

/// Counts of images that both lists contain.
struct Pairs {
    std::uint64_t both = 0, only_first = 0, only_second = 0, images = 0;
};
Pairs pairs_of(const Correct& first, const Correct& second) {
    Pairs pairs;
    pairs.images = std::min(first.size(), second.size());
    for (std::size_t i = 0; i < pairs.images; ++i) {
        pairs.both += first[i] != 0 && second[i] != 0 ? 1 : 0;
        pairs.only_first += first[i] > second[i] ? 1 : 0;
        pairs.only_second += first[i] < second[i] ? 1 : 0;
    }
    return pairs;
}

Estimate difference_of(const Pairs& pairs, double level) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = pairs.images;
    if (pairs.images == 0) {
        out.undefined = "no images";
        return out;
    }
    const PairedDifference difference =
        paired_difference(pairs.both, pairs.only_first, pairs.only_second, pairs.images, level);
    out.value = difference.value;
    out.interval = difference.interval;
    out.standard_error = difference.standard_error;
    return out;
}

}  // namespace

Decision decide(std::span<const Correct> ways, double level) {
    Decision out;
    for (std::size_t w = 1; w < ways.size(); ++w) {
        const Correct &one = ways[w], &best = ways[out.best];
        if (one.size() > best.size() || (one.size() == best.size() && hits_of(one) > hits_of(best)))
            out.best = w;
    }
    std::vector<double> p;
    for (std::size_t w = 0; w < ways.size(); ++w) {
        if (w == out.best) continue;
        const Pairs pairs = pairs_of(ways[out.best], ways[w]);
        p.push_back(mcnemar(pairs.only_first, pairs.only_second).p);
    }
    out.p = holm(p);
    out.p.insert(out.p.begin() + static_cast<std::ptrdiff_t>(out.best), 1.0);

    out.told_apart = true;
    out.runner_up = out.best;
    bool tied = false;  // the runner-up cannot be distinguished from the best
    for (std::size_t w = 0; w < ways.size(); ++w) {
        if (w == out.best) continue;
        const bool ties = out.p[w] > level;
        if (ties) out.told_apart = false;
        const bool better =
            out.runner_up == out.best || (ties && !tied) ||
            (ties == tied && accuracy_of(ways[w]) > accuracy_of(ways[out.runner_up]));
        if (better) {
            out.runner_up = w;
            tied = ties;
        }
    }
    out.difference = difference_of(pairs_of(ways[out.best], ways[out.runner_up]), 1 - level);
    return out;
}

PreprocessingChoice::Outcome outcome_of(const Decision& decision, double close) {
    using Outcome = PreprocessingChoice::Outcome;
    if (decision.told_apart) return Outcome::told_apart;
    return decision.difference.value.value_or(0) < close ? Outcome::not_settled
                                                         : Outcome::undecided;
}

}  // namespace assay::evaluate
