// Coverage of the intervals of metrics of sigmoid outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/random.h"
#include "metric/multilabel_sums.h"

namespace assay {
namespace {

struct SigmoidWorld {
    std::string name;
    std::uint32_t classes;
    std::size_t items;
    double chance;         // probability of each label, independently
    double skill;          // amount by which the logit of a valid class is higher
    double steepness = 0;  // probabilities are proportional to (c + 1)^-steepness
    double spread = 0;     // standard deviation of the common part of all logits of an item
};

// The simulations, which were defined before the intervals were chosen.
std::vector<SigmoidWorld> sigmoid_worlds() {
    return {{"ten classes", 10, 300, .2, 2.5},
            {"few items", 10, 60, .2, 2.5},
            {"rare classes", 20, 1000, .1, 2.5, 1},
            {"near-perfect", 10, 300, .2, 6},
            {"hard and easy items", 10, 300, .2, 2.5, 0, 1.5},
            {"a hundred classes", 100, 500, .03, 3},
            {"two classes, one label in 20", 2, 300, .05, 2}};
}

struct Sampled {
    MultilabelSums sets, order;
};

Sampled sample(const SigmoidWorld& world, std::size_t items, RandomStream& random) {
    Sampled out{{world.classes, true}, {world.classes, false}};
    std::vector<double> logits(world.classes);
    for (std::size_t i = 0; i < items;) {
        std::vector<std::int32_t> valid, reached;
        const double shared = world.spread * random.normal();
        for (std::uint32_t c = 0; c < world.classes; ++c) {
            const double chance = world.chance * std::pow(c + 1.0, -world.steepness);
            const bool is_valid = random.uniform() < chance;
            if (is_valid) valid.push_back(static_cast<std::int32_t>(c));
            logits[c] = random.normal() - world.skill / 2 + (is_valid ? world.skill : 0) + shared;
            if (logits[c] >= 0) reached.push_back(static_cast<std::int32_t>(c));
        }
        if (valid.empty()) continue;  // this image is omitted
        const auto group = static_cast<std::uint16_t>(i % group_count);
        out.sets.add_sets(group, valid, reached);
        out.order.add_ranking(group, ranking_values(logits, valid));
        ++i;
    }
    return out;
}

struct CoveredMetric {
    const char* name;
    ResampledEstimate (*of)(const Sampled&);
};

template <SetScore score, SetAverage average>
ResampledEstimate score_of(const Sampled& s) {
    return s.sets.score(score, average, 0, .95);
}
template <ItemMean mean>
ResampledEstimate mean_of_items(const Sampled& s) {
    return (mean < ItemMean::coverage ? s.sets : s.order).mean(mean, .95);
}

const CoveredMetric covered_metrics[] = {
    {"precision, micro", score_of<SetScore::precision, SetAverage::micro>},
    {"recall, micro", score_of<SetScore::recall, SetAverage::micro>},
    {"F1, micro", score_of<SetScore::f1, SetAverage::micro>},
    {"precision, macro", score_of<SetScore::precision, SetAverage::macro>},
    {"recall, macro", score_of<SetScore::recall, SetAverage::macro>},
    {"F1, macro", score_of<SetScore::f1, SetAverage::macro>},
    {"F1, weighted", score_of<SetScore::f1, SetAverage::weighted>},
    {"F1, class 0", score_of<SetScore::f1, SetAverage::one_class>},
    {"F1, samples", mean_of_items<ItemMean::f1>},
    {"exact match", mean_of_items<ItemMean::exact_match>},
    {"Hamming loss", mean_of_items<ItemMean::hamming>},
    {"coverage error", mean_of_items<ItemMean::coverage>},
    {"ranking loss", mean_of_items<ItemMean::ranking_loss>},
    {"LRAP", mean_of_items<ItemMean::ranking_precision>},
};

TEST(MultilabelCoverage, SlowInWorldsWhereItIsKnown) {
    // The table in docs/intervals.md uses 400 draws.
    constexpr int draws = 150;
    for (const SigmoidWorld& world : sigmoid_worlds()) {
        RandomStream large(1, "multilabel truth " + world.name);
        const Sampled all = sample(world, 60'000, large);
        std::vector<double> truth;
        for (const CoveredMetric& metric : covered_metrics) truth.push_back(*metric.of(all).value);
        std::vector<int> held(truth.size());
        std::vector<double> width(truth.size());
        for (int d = 0; d < draws; ++d) {
            RandomStream random(static_cast<std::uint64_t>(d) + 2, "multilabel draw " + world.name);
            const Sampled one = sample(world, world.items, random);
            for (std::size_t m = 0; m < truth.size(); ++m) {
                const ResampledEstimate found = covered_metrics[m].of(one);
                if (!found.interval) continue;
                held[m] += found.interval->low <= truth[m] && truth[m] <= found.interval->high;
                width[m] += (found.interval->high - found.interval->low) / draws;
            }
        }
        for (std::size_t m = 0; m < truth.size(); ++m) {
            const double coverage = 100.0 * held[m] / draws;
            std::printf("%-30s %-18s truth %7.4f covered %5.1f width %.4f\n", world.name.c_str(),
                        covered_metrics[m].name, truth[m], coverage, width[m]);
            // Wilson's interval of a proportion with less than one expected item must cover at
            // least 90 %.
            const double least = truth[m] * static_cast<double>(world.items) < 1 ? .9 : .93;
            EXPECT_GT(coverage / 100, least - 3 * std::sqrt(least * (1 - least) / draws))
                << world.name << ": " << covered_metrics[m].name;
        }
    }
}

}  // namespace
}  // namespace assay
