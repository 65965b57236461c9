#include "annotation/answers_together.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/joined_sets.h"

namespace assay {
namespace {

constexpr std::uint64_t least_shared = 20;
constexpr std::uint64_t most_pairs = 200'000'000;
constexpr double least_excess = 0.2, least_errors = 5;

struct AnnotatorPair {
    std::uint32_t one = 0, other = 0;
    std::uint64_t shared = 0, equal = 0;
    double chance = 0, kappa = 0, weight = 0;
};

std::uint64_t pairs_of_answers(const ClassPatterns& patterns) {
    std::uint64_t out = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p)
        out += patterns.of(p).size() * patterns.of(p).size() / 2;
    return out;
}

/// Finds pairs of annotators who share enough images, in ascending order.
std::vector<AnnotatorPair> pairs_that_share(const ClassPatterns& patterns) {
    struct Counts {
        std::uint64_t shared = 0, equal = 0;
    };
    std::unordered_map<std::uint64_t, Counts> counts;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        const auto answers = patterns.of(p);
        for (std::size_t a = 0; a < answers.size(); ++a) {
            for (std::size_t b = a + 1; b < answers.size(); ++b) {
                if (answers[a].annotator == answers[b].annotator) continue;
                Counts& pair =
                    counts[(std::uint64_t{answers[a].annotator} << 32) | answers[b].annotator];
                pair.shared += patterns.images[p];
                pair.equal += answers[a].said == answers[b].said ? patterns.images[p] : 0;
            }
        }
    }
    std::vector<AnnotatorPair> out;
    for (const auto& [key, pair] : counts) {
        if (pair.shared < least_shared) continue;
        AnnotatorPair one;
        one.one = static_cast<std::uint32_t>(key >> 32);
        one.other = static_cast<std::uint32_t>(key);
        one.shared = pair.shared;
        one.equal = pair.equal;
        out.push_back(one);
    }
    std::ranges::sort(out, {},
                      [](const AnnotatorPair& pair) { return std::pair(pair.one, pair.other); });
    return out;
}

/// For each annotator, the proportion of answers that name each class; classes ascending.
using ClassShares = std::vector<std::vector<std::pair<std::uint32_t, double>>>;

ClassShares shares_of(const ClassPatterns& patterns) {
    std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> said(patterns.annotators);
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        for (const ClassAnswer& answer : patterns.of(p))
            said[answer.annotator].emplace_back(answer.said, patterns.images[p]);
    }
    ClassShares out(patterns.annotators);
    for (std::uint32_t r = 0; r < patterns.annotators; ++r) {
        auto& answers = said[r];
        std::ranges::sort(answers);
        std::uint64_t all = 0;
        for (const auto& [cls, images] : answers) all += images;
        for (std::size_t first = 0; first < answers.size();) {
            std::size_t last = first;
            std::uint64_t images = 0;
            for (; last < answers.size() && answers[last].first == answers[first].first; ++last)
                images += answers[last].second;
            out[r].emplace_back(answers[first].first,
                                static_cast<double>(images) / static_cast<double>(all));
            first = last;
        }
    }
    return out;
}

double chance_of(const ClassShares& shares, const AnnotatorPair& pair) {
    const auto &one = shares[pair.one], &other = shares[pair.other];
    double out = 0;
    auto b = other.begin();
    for (const auto& [cls, share] : one) {
        while (b != other.end() && b->first < cls) ++b;
        if (b != other.end() && b->first == cls) out += share * b->second;
    }
    return out;
}

/// One number per annotator, whose products explain the pairs' kappas. Outlying pairs, especially
/// high ones, get less weight from round to round.
std::vector<double> explain(const ClassPatterns& patterns, std::vector<AnnotatorPair>& pairs) {
    constexpr int rounds = 30;
    constexpr double usual = 0.1;
    std::vector<double> skill(patterns.annotators, 0.7);
    std::vector<std::vector<std::uint32_t>> of_annotator(patterns.annotators);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        of_annotator[pairs[i].one].push_back(i);
        of_annotator[pairs[i].other].push_back(i);
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::uint32_t r = 0; r < patterns.annotators; ++r) {
            double sum = 0, weight = 0;
            for (const std::uint32_t i : of_annotator[r]) {
                const double others = skill[pairs[i].one == r ? pairs[i].other : pairs[i].one];
                sum += pairs[i].weight * pairs[i].kappa * others;
                weight += pairs[i].weight * others * others;
            }
            if (weight > 0) skill[r] = std::clamp(sum / weight, -1.0, 1.0);
        }
        for (AnnotatorPair& pair : pairs) {
            const double excess = pair.kappa - skill[pair.one] * skill[pair.other];
            pair.weight = static_cast<double>(pair.shared);
            if (std::abs(excess) > usual) pair.weight *= usual / std::abs(excess);
            if (excess > usual) pair.weight *= usual / excess;
        }
    }
    return skill;
}

}  // namespace

TogetherGroups answers_together(const ClassPatterns& patterns) {
    TogetherGroups out;
    out.of_annotator.resize(patterns.annotators);
    std::iota(out.of_annotator.begin(), out.of_annotator.end(), 0U);
    if (patterns.annotators < 4 || pairs_of_answers(patterns) > most_pairs) return out;
    out.looked_at = true;
    std::vector<AnnotatorPair> pairs = pairs_that_share(patterns);
    const ClassShares shares = shares_of(patterns);
    for (AnnotatorPair& pair : pairs) {
        pair.chance = chance_of(shares, pair);
        pair.weight = static_cast<double>(pair.shared);
        const double agreed = static_cast<double>(pair.equal) / static_cast<double>(pair.shared);
        if (pair.chance < 1 - 1e-9) pair.kappa = (agreed - pair.chance) / (1 - pair.chance);
    }
    std::erase_if(pairs, [](const AnnotatorPair& pair) { return pair.chance >= 1 - 1e-9; });
    const std::vector<double> skill = explain(patterns, pairs);
    const auto expected = [&](const AnnotatorPair& pair) {
        return pair.chance + (1 - pair.chance) * skill[pair.one] * skill[pair.other];
    };
    JoinedSets sets(patterns.annotators);
    for (const AnnotatorPair& pair : pairs) {
        const double of_skill = skill[pair.one] * skill[pair.other];
        const double likely = std::clamp(expected(pair), 0.02, 0.98);
        const double n = static_cast<double>(pair.shared),
                     agreed = static_cast<double>(pair.equal) / n;
        if (pair.kappa - of_skill <= least_excess ||
            agreed - expected(pair) <= least_errors * std::sqrt(likely * (1 - likely) / n))
            continue;
        sets.join(pair.one, pair.other);
    }
    std::vector<std::uint32_t> group(patterns.annotators, ClassPatterns::none);
    for (std::uint32_t r = 0; r < patterns.annotators; ++r) {
        const std::uint32_t root = out.of_annotator[r] = sets.of(r);
        if (root == r) continue;
        if (group[root] == ClassPatterns::none) {
            group[root] = static_cast<std::uint32_t>(out.groups.size());
            out.groups.emplace_back().annotators.push_back(root);
        }
        out.groups[group[root]].annotators.push_back(r);
    }
    for (const AnnotatorPair& pair : pairs) {
        const std::uint32_t root = out.of_annotator[pair.one];
        if (root != out.of_annotator[pair.other]) continue;
        TogetherGroups::Group& found = out.groups[group[root]];
        found.shared += pair.shared;
        found.equal += pair.equal;
        found.expected += static_cast<double>(pair.shared) * expected(pair);
    }
    return out;
}

}  // namespace assay
