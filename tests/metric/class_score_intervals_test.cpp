// Intervals of F1, precision, kappa and Matthews' correlation. Expected numbers come from
// bench/class_score_coverage.py, an independent implementation that also measures coverage. Here
// are its simulations with the lowest coverage.
#include "metric/class_score_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"

namespace assay {
namespace {

using Confusion3 = std::vector<std::vector<double>>;

std::vector<ClassScoreCount> counts_of(const Confusion3& rows) {
    std::vector<ClassScoreCount> counts(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            counts[i].items += rows[i][j];
            counts[j].predictions += rows[i][j];
        }
        counts[i].hits = rows[i][i];
    }
    return counts;
}

std::vector<ClassHits> precisions(const std::vector<ClassScoreCount>& counts) {
    std::vector<ClassHits> out;
    for (const ClassScoreCount& c : counts) out.push_back({c.predictions, c.hits});
    return out;
}

double f1_of(const std::vector<ClassScoreCount>& counts) {
    double sum = 0, classes = 0;
    for (const ClassScoreCount& c : counts) {
        if (c.items + c.predictions == 0) continue;
        sum += 2 * c.hits / (c.items + c.predictions);
        ++classes;
    }
    return sum / classes;
}

double kappa_of(const std::vector<ClassScoreCount>& counts) {
    double n = 0, hits = 0, chance = 0;
    for (const ClassScoreCount& c : counts) {
        n += c.items;
        hits += c.hits;
        chance += c.items * c.predictions;
    }
    chance /= n * n;
    return chance < 1 ? (hits / n - chance) / (1 - chance) : 0;
}

void expect_ends(const Interval& found, double low, double high) {
    EXPECT_NEAR(found.low, low, 1e-9) << found.method;
    EXPECT_NEAR(found.high, high, 1e-9) << found.method;
}

TEST(ClassScoreIntervals, AgreeWithAnotherImplementation) {
    const auto counts = counts_of({{20, 3, 1}, {2, 9, 0}, {0, 1, 4}});
    expect_ends(chance_corrected_interval(counts, ChanceCorrected::kappa, .69, .95),
                0.43451344545508463, 0.8452139159993641);
    expect_ends(chance_corrected_interval(counts, ChanceCorrected::matthews, .69, .95),
                0.4365750693533526, 0.8492241790340279);
    expect_ends(f1_mean_interval(counts, .8, .95), 0.6199663969667832, 0.9177362291365236);
    expect_ends(class_mean_interval(precisions(counts), .8, .95), 0.60792182512207,
                0.9079784216801563);
    // With two images per class, F1 is too low on average, so the middle of the interval is above
    // the value.
    const auto few = counts_of({{1, 1, 0}, {0, 1, 1}, {1, 0, 1}});
    expect_ends(f1_mean_interval(few, .5, .95), 0.20751132345821705, 0.8637019957913087);
}

TEST(ClassScoreIntervals, NeverHaveAWidthOfZero) {
    const auto perfect = counts_of({{30, 0, 0}, {0, 5, 0}, {0, 0, 5}});
    expect_ends(chance_corrected_interval(perfect, ChanceCorrected::kappa, 1, .95),
                0.7843160585912948, 1);
    expect_ends(f1_mean_interval(perfect, 1, .95), 0.7837282900774132, 1);
    const auto none = counts_of({{0, 10}, {10, 0}});
    const Interval worst = chance_corrected_interval(none, ChanceCorrected::matthews, -1, .95);
    EXPECT_EQ(worst.low, -1);
    EXPECT_GT(worst.high, -.9);
    EXPECT_GT(f1_mean_interval(none, 0, .95).high, .1);
    const auto one_label = counts_of({{5, 1}, {0, 0}});
    for (const auto which : {ChanceCorrected::kappa, ChanceCorrected::matthews}) {
        const Interval wide = chance_corrected_interval(one_label, which, 0, .95);
        EXPECT_LT(wide.low, -.5);
        EXPECT_GT(wide.high, .5);
    }
}

// Each draw has 200 images of two classes, 50 : 1, with accuracies .5 and .8. The weights of the
// classes vary between draws.
TEST(ClassScoreIntervals, WeightedMeansHoldTheirTruth) {
    constexpr std::size_t images = 200, groups = 100;
    const double first = 50.0 / 51, hit[2] = {.5, .8};
    const auto weighted_f1 = [](const std::vector<ClassScoreCount>& counts) {
        double sum = 0, n = 0;
        for (const ClassScoreCount& c : counts) {
            if (c.items > 0) sum += c.items * 2 * c.hits / (c.items + c.predictions);
            n += c.items;
        }
        return sum / n;
    };
    const auto counted = [](double a, double a_hits, double b, double b_hits) {
        return std::vector<ClassScoreCount>{{a, a_hits + b - b_hits, a_hits},
                                            {b, b_hits + a - a_hits, b_hits}};
    };
    const double truth =
        weighted_f1(counted(first, first * hit[0], 1 - first, (1 - first) * hit[1]));
    RandomStream random(5, "weighted");
    int held = 0;
    for (int draw = 0; draw < 400; ++draw) {
        double all[4] = {}, group[groups][4] = {};
        for (std::size_t i = 0; i < images; ++i) {
            const std::size_t c = random.uniform() < first ? 0 : 1;
            const std::size_t at = 2 * c + (random.uniform() < hit[c] ? 1 : 0);
            ++all[at];
            ++group[i % groups][at];
        }
        const auto f1 = [&](const double* less) {
            const double right[2] = {all[1] - less[1], all[3] - less[3]};
            return weighted_f1(counted(all[0] - less[0] + right[0], right[0],
                                       all[2] - less[2] + right[1], right[1]));
        };
        std::vector<double> without;
        for (const auto& one : group) without.push_back(f1(one));
        const double none[4] = {};
        const Interval found = weighted_mean_interval(f1(none), without, images, .95);
        held += found.low <= truth && truth <= found.high ? 1 : 0;
    }
    EXPECT_GE(held, 364);  // the accuracy is 91 %
    const Interval perfect = weighted_mean_interval(1, std::vector<double>(30, 1.0), 30, .95);
    EXPECT_NEAR(perfect.low, 0.8864866068, 1e-9);  // Wilson's limit is 30 / (30 + z^2)
    EXPECT_EQ(perfect.high, 1);
}

// A short version of the coverage tables in docs/intervals.md.
TEST(ClassScoreIntervals, HoldTheTruth) {
    struct World {
        std::size_t classes;
        int items;
        double accuracy, rare;  // ratio of the proportions of the last and the first class
    };
    constexpr int draws = 120;
    for (const World& world :
         {World{2, 30, .9, .02}, World{10, 200, .9, 1}, World{10, 30, .99, 1}}) {
        std::vector<double> upto(world.classes);
        double total = 0;
        for (std::size_t c = 0; c < world.classes; ++c)
            upto[c] = total += std::pow(
                world.rare, static_cast<double>(c) / static_cast<double>(world.classes - 1));
        // Incorrect items are predicted as the next class.
        std::vector<ClassScoreCount> truth(world.classes);
        for (std::size_t c = 0; c < world.classes; ++c) {
            const double share = (upto[c] - (c > 0 ? upto[c - 1] : 0)) / total;
            truth[c].items += share;
            truth[c].hits += share * world.accuracy;
            truth[c].predictions += share * world.accuracy;
            truth[(c + 1) % world.classes].predictions += share * (1 - world.accuracy);
        }
        RandomStream random(3, "class scores",
                            world.classes * 1000 + static_cast<std::size_t>(world.items));
        int kappa_held = 0, f1_held = 0;
        for (int d = 0; d < draws; ++d) {
            std::vector<ClassScoreCount> counts(world.classes);
            for (int i = 0; i < world.items; ++i) {
                const double u = static_cast<double>(random.below(1'000'000)) / 1e6 * total;
                std::size_t c = 0;
                while (c + 1 < world.classes && u >= upto[c]) ++c;
                const bool hit =
                    random.below(10'000) < static_cast<std::uint64_t>(world.accuracy * 10'000);
                ++counts[c].items;
                ++counts[hit ? c : (c + 1) % world.classes].predictions;
                counts[c].hits += hit ? 1 : 0;
            }
            double f1 = 0, classes = 0;
            for (std::size_t c = 0; c < world.classes; ++c) {
                if (counts[c].items == 0) continue;
                f1 += 2 * truth[c].hits / (truth[c].items + truth[c].predictions);
                ++classes;
            }
            const auto holds = [](const Interval& interval, double value) {
                EXPECT_LT(interval.low, interval.high);
                return interval.low <= value && value <= interval.high ? 1 : 0;
            };
            kappa_held += holds(
                chance_corrected_interval(counts, ChanceCorrected::kappa, kappa_of(counts), .95),
                kappa_of(truth));
            f1_held += holds(f1_mean_interval(counts, f1_of(counts), .95), f1 / classes);
        }
        EXPECT_GE(kappa_held, .9 * draws) << world.classes << " classes, " << world.items;
        EXPECT_GE(f1_held, .9 * draws) << world.classes << " classes, " << world.items;
    }
}

}  // namespace
}  // namespace assay
