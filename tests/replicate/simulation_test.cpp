#include "assay/replicate_simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assay/error.h"

namespace assay::replicate {
namespace {

double mean(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

TEST(Simulation, TrueAccuraciesAreThePublishedOnes) {
    const auto beta = true_accuracies({});
    EXPECT_NEAR(mean(beta.adjusted), .684689, 1e-6);
    EXPECT_NEAR(beta.adjusted.front(), .574130, 1e-6);
    EXPECT_NEAR(beta.adjusted.back(), .795249, 1e-6);
    EXPECT_NEAR(mean(beta.second), .602390, 1e-6);
    EXPECT_NEAR(beta.first_rate, .8522, 1e-4);
    EXPECT_NEAR(beta.second_rate, .8078, 1e-4);
    SimulationOptions options;
    options.world = World::probit;
    const auto probit = true_accuracies(options);
    EXPECT_NEAR(mean(probit.adjusted), .696672, 1e-6);
    EXPECT_NEAR(probit.adjusted.front(), .5932, 1e-4);
    EXPECT_NEAR(probit.adjusted.back(), .7900, 1e-4);
    EXPECT_NEAR(mean(probit.second), .632335, 1e-6);
    EXPECT_NEAR(probit.first_rate, .8543, 1e-4);
    EXPECT_NEAR(probit.second_rate, .8106, 1e-4);
}

/// Means over a drawn study lie within 5 standard errors of the truth; pictures of a class are not independent in two
/// of the worlds, which a factor of 2 covers.
TEST(Simulation, DrawsFollowTheTruth) {
    for (const World world : {World::beta, World::lenient, World::probit, World::steep, World::matching}) {
        SimulationOptions options;
        options.world = world;
        options.classes = 200;
        options.classifiers = 3;
        options.annotators = 10;
        const Simulation study = simulate(options);
        const std::size_t models = study.truth.adjusted.size();
        const auto look = [&](const SimulatedSet& set, double rate, const std::vector<double>& accuracy) {
            double drawn = 0, answered = 0;
            std::vector<double> hits(models, 0.0);
            for (std::size_t i = 0; i < set.size(); ++i) {
                drawn += set.rate[i];
                answered += set.k(i, options.annotators) / 10.0;
                for (std::size_t m = 0; m < models; ++m) hits[m] += set.hits[i * models + m];
            }
            const double n = static_cast<double>(set.size()), slack = 2 * 5 * 0.5 / std::sqrt(n);
            EXPECT_NEAR(drawn / n, rate, slack * 0.6) << name_of(world);
            EXPECT_NEAR(answered / n, drawn / n, 0.025) << name_of(world);
            for (std::size_t m = 0; m < models; ++m) EXPECT_NEAR(hits[m] / n, accuracy[m], slack) << name_of(world);
        };
        look(study.first, study.truth.first_rate, study.truth.first);
        look(study.second, study.truth.second_rate, study.truth.second);
    }
}

/// Where pictures are independent, 100,000 of them lie within 4 standard errors.
TEST(Simulation, ManyDrawsFollowTheTruthClosely) {
    for (const World world : {World::beta, World::steep}) {
        SimulationOptions options;
        options.world = world;
        options.pictures_per_class = 100;
        options.classifiers = 2;
        options.annotators = 1;
        const Simulation study = simulate(options);
        const double n = static_cast<double>(study.second.size());
        double rate = 0;
        std::vector<double> hits(2, 0.0);
        for (std::size_t i = 0; i < study.second.size(); ++i) {
            rate += study.second.rate[i] / n;
            for (std::size_t m = 0; m < 2; ++m) hits[m] += study.second.hits[i * 2 + m] / n;
        }
        EXPECT_NEAR(rate, study.truth.second_rate, 4 * .35 / std::sqrt(n)) << name_of(world);
        for (std::size_t m = 0; m < 2; ++m) {
            EXPECT_NEAR(hits[m], study.truth.second[m], 4 * .5 / std::sqrt(n)) << name_of(world) << m;
        }
    }
}

TEST(Simulation, SameForAnyNumberOfThreads) {
    SimulationOptions options;
    options.world = World::lenient;
    options.classes = 40;
    const Simulation one = simulate(options);
    options.threads = 4;
    const Simulation four = simulate(options);
    EXPECT_EQ(one.first.selected, four.first.selected);
    EXPECT_EQ(one.second.hits, four.second.hits);
    options.seed = 2;
    EXPECT_NE(one.first.selected, simulate(options).first.selected);
}

TEST(Simulation, RefusesSizesThatMakeNoStudy) {
    SimulationOptions options;
    options.classes = 0;
    EXPECT_THROW(simulate(options), Error);
    options = {};
    options.classifiers = 1;
    EXPECT_THROW(simulate(options), Error);
    options = {};
    options.annotators = 0;
    EXPECT_THROW(simulate(options), Error);
    EXPECT_THROW(world_named("gamma"), Error);
}

}  // namespace
}  // namespace assay::replicate
