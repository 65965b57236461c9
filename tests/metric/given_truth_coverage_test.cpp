// Coverage of the intervals of means of soft labels, of distances in a tree and of grades, and of
// quadratic weighted kappa.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "core/statistics.h"
#include "metric/item_means.h"
#include "metric/ordinal.h"

namespace assay {
namespace {

// The draws are the same in each run. The required coverage is below the values in
// x
constexpr int draws = 1000;

/// Labels of five or ten grades. A prediction equals the label with probability `skill`, and
/// otherwise is another grade, more often a close one.
struct GradeWorld {
    std::string name;
    int grades;
    std::size_t items;
    double skill;
    bool rare = false;  ///< whether each grade is half as frequent as the previous one
};

// For kappa, the interval by Fisher's z was chosen after a trial in other simulations.
std::vector<GradeWorld> grade_worlds() {
    return {{"two grades", 2, 200, .6},
            {"two grades, few items", 2, 50, .9},
            {"five grades", 5, 200, .6},
            {"five grades, few items", 5, 50, .6},
            {"five rare grades", 5, 200, .6, true},
            {"five grades, sure", 5, 200, .9},
            {"five grades, sure, few items", 5, 50, .9},
            {"five grades, near-perfect", 5, 1000, .98},
            {"ten grades", 10, 200, .6},
            {"ten grades, sure", 10, 200, .9},
            {"ten grades, near-perfect", 10, 1000, .98}};
}

int grade_drawn(const std::vector<double>& weights, RandomStream& random) {
    double sum = 0;
    for (const double w : weights) sum += w;
    double left = random.uniform() * sum;
    for (std::size_t g = 0; g + 1 < weights.size(); ++g) {
        left -= weights[g];
        if (left < 0) return static_cast<int>(g);
    }
    return static_cast<int>(weights.size()) - 1;
}

std::vector<GradePair> grades_of(const GradeWorld& world, std::size_t items, RandomStream& random) {
    std::vector<GradePair> out;
    std::vector<double> of_label(static_cast<std::size_t>(world.grades));
    for (int g = 0; g < world.grades; ++g)
        of_label[static_cast<std::size_t>(g)] = world.rare ? std::pow(.5, g) : 1;
    for (std::size_t i = 0; i < items; ++i) {
        const int label = grade_drawn(of_label, random);
        int found = label;
        if (random.uniform() >= world.skill) {
            std::vector<double> others(of_label.size());
            for (int g = 0; g < world.grades; ++g)
                others[static_cast<std::size_t>(g)] =
                    g == label ? 0 : std::exp(-std::abs(g - label));
            found = grade_drawn(others, random);
        }
        out.push_back({static_cast<std::uint16_t>(i % group_count), label, found});
    }
    return out;
}

TEST(GivenTruthCoverage, SlowOfQuadraticKappa) {
    for (const GradeWorld& world : grade_worlds()) {
        RandomStream large(1, "kappa truth " + world.name);
        const double truth = *quadratic_kappa(grades_of(world, 400'000, large), .95).value;
        int covered = 0, intervals = 0;
        for (int d = 0; d < draws; ++d) {
            RandomStream random(static_cast<std::uint64_t>(d) + 2, "kappa draw " + world.name);
            const auto found = quadratic_kappa(grades_of(world, world.items, random), .95);
            if (!found.interval) continue;
            ++intervals;
            covered += found.interval->low <= truth && truth <= found.interval->high ? 1 : 0;
        }
        const double percent = 100.0 * covered / intervals;
        std::printf("%-30s kappa %.4f covered %5.1f of %d\n", world.name.c_str(), truth, percent,
                    intervals);
        EXPECT_GE(percent, 91) << world.name;
    }
}

/// The values of items are in [0, top].
struct ValueWorld {
    std::string name;
    std::size_t items;
    double top;
    double (*value)(RandomStream&);  ///< range within [0, 1]
};

double of_votes(RandomStream& random, double certain) {
    // The soft label's probability of the predicted class is mostly near 1, and otherwise
    // spread out.
    return random.uniform() < certain ? .9 + .1 * random.uniform() : random.uniform();
}
double grade_apart(RandomStream& random, double skill) {
    return random.uniform() < skill ? 0
           : random.uniform() < .7  ? .25
           : random.uniform() < .7  ? .5
                                    : 1;
}

std::vector<ValueWorld> value_worlds() {
    return {
        {"expected accuracy", 200, 1, [](RandomStream& r) { return of_votes(r, .8); }},
        {"expected accuracy, few items", 50, 1, [](RandomStream& r) { return of_votes(r, .8); }},
        {"expected accuracy, sure", 200, 1, [](RandomStream& r) { return of_votes(r, .97); }},
        {"Brier, most near 0", 200, 2,
         [](RandomStream& r) { return r.uniform() < .9 ? .02 * r.uniform() : r.uniform(); }},
        {"Brier, few items", 50, 2,
         [](RandomStream& r) { return r.uniform() < .7 ? .1 * r.uniform() : r.uniform(); }},
        {"grades apart", 200, 4, [](RandomStream& r) { return grade_apart(r, .6); }},
        {"grades apart, few items", 50, 4, [](RandomStream& r) { return grade_apart(r, .6); }},
        {"grades apart, sure", 200, 4, [](RandomStream& r) { return grade_apart(r, .95); }},
        {"height of mistakes", 60, 8, [](RandomStream& r) { return grade_apart(r, 0); }}};
}

TEST(GivenTruthCoverage, SlowOfMeansOfItems) {
    for (const ValueWorld& world : value_worlds()) {
        RandomStream large(1, "value truth " + world.name);
        double truth = 0;
        constexpr int many = 1'000'000;
        for (int i = 0; i < many; ++i) truth += world.value(large);
        truth *= world.top / many;
        int covered = 0;
        for (int d = 0; d < draws; ++d) {
            RandomStream random(static_cast<std::uint64_t>(d) + 2, "value draw " + world.name);
            ItemMeanSums sums;
            for (std::size_t i = 0; i < world.items; ++i)
                sums.add(static_cast<std::uint16_t>(i % group_count), world.value(random));
            const Interval in = *sums.mean_of_parts(world.top, false, .95).interval;
            covered += in.low <= truth && truth <= in.high ? 1 : 0;
        }
        const double percent = 100.0 * covered / draws;
        std::printf("%-30s mean %.4f covered %5.1f\n", world.name.c_str(), truth, percent);
        EXPECT_GE(percent, 91) << world.name;
    }
}

/// Cross-entropies and divergences are skewed: most images have small values, and a few have large
/// ones.
TEST(GivenTruthCoverage, SlowOfLosses) {
    for (const auto& [name, spread] :
         std::vector<std::pair<std::string, double>>{{"losses", .7}, {"losses, skewed", 1.2}}) {
        for (const std::size_t items : {50U, 200U, 1000U}) {
            const double truth = std::exp(spread * spread / 2);
            int covered = 0;
            for (int d = 0; d < draws; ++d) {
                RandomStream random(static_cast<std::uint64_t>(d) + 2, "loss draw " + name);
                ItemMeanSums sums;
                for (std::size_t i = 0; i < items; ++i)
                    sums.add(static_cast<std::uint16_t>(i % group_count),
                             std::exp(spread * random.normal()));
                const ResampledEstimate mean = sums.mean();
                const double half =
                    student_t_quantile(.975, static_cast<double>(mean.without.size() - 1)) *
                    jackknife_standard_error(mean.without);
                covered += std::abs(*mean.value - truth) <= half ? 1 : 0;
            }
            const double percent = 100.0 * covered / draws;
            std::printf("%-16s of %4zu items: covered %5.1f\n", name.c_str(), items, percent);
            EXPECT_GE(percent, items < 200 ? 84 : 89) << name << " " << items;
        }
    }
}

}  // namespace
}  // namespace assay
