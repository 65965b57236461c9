#include "assay/replication/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::replication {
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

/// The proportions over one drawn set. Each must be within `errors` standard errors of independent
/// images (0.5 for a proportion, and at most 0.35 for a rate).
void expect_truth(const Simulation& study, const SimulatedSet& set, double rate,
                  const std::vector<double>& accuracy, double errors) {
    const double n = static_cast<double>(set.size()), error = errors / std::sqrt(n);
    const std::size_t models = accuracy.size();
    double drawn = 0, answered = 0;
    std::vector<double> hits(models, 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        drawn += set.rate[i] / n;
        answered += set.k(i, study.options.annotators) / n / study.options.annotators;
        for (std::size_t m = 0; m < models; ++m) hits[m] += set.hits[i * models + m] / n;
    }
    const std::string_view world = name_of(study.options.world);
    EXPECT_NEAR(drawn, rate, .35 * error) << world;
    EXPECT_NEAR(answered, drawn, .5 * error) << world;
    for (std::size_t m = 0; m < models; ++m)
        EXPECT_NEAR(hits[m], accuracy[m], .5 * error) << world << m;
}

TEST(Simulation, DrawsFollowTheTruth) {
    for (const World world :
         {World::beta, World::lenient, World::probit, World::steep, World::matching}) {
        SimulationOptions options;
        options.world = world;
        options.classes = 200;
        options.classifiers = 3;
        options.annotators = 10;
        const Simulation study = simulate(options);
        // In two of the simulations, images of a class are similar, so 8 instead of 4 errors of
        // independent images are allowed.
        expect_truth(study, study.first, study.truth.first_rate, study.truth.first, 8);
        expect_truth(study, study.second, study.truth.second_rate, study.truth.second, 8);
    }
}

TEST(Simulation, ManyDrawsFollowTheTruthClosely) {
    for (const World world : {World::beta, World::steep}) {  // its images are independent
        SimulationOptions options;
        options.world = world;
        options.images_per_class = 100;
        options.classifiers = 2;
        options.annotators = 1;
        const Simulation study = simulate(options);
        expect_truth(study, study.second, study.truth.second_rate, study.truth.second, 4);
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

/// An interrupted command is repeated. Valid files stay, missing files are written, and files that
/// somebody else wrote are never replaced.
TEST(Simulation, FilesThatAreThereAlready) {
    const Scratch scratch;
    SimulationOptions options;
    options.classes = 4;
    options.annotators = 5;
    options.classifiers = 2;
    const Simulation study = simulate(options);
    const auto names = write_simulation(study, scratch / "study", false);
    ASSERT_EQ(names.size(), 5U);
    const auto truth = scratch / "study" / "truth.json";
    const std::string whole = read_text(truth, 1 << 20);
    std::filesystem::remove(truth);
    write_simulation(study, scratch / "study", false);
    EXPECT_EQ(read_text(truth, 1 << 20), whole);

    std::filesystem::remove(truth);
    const auto mine = scratch / "study" / "replication.csv";
    write_file_atomically(mine, "mine\n");
    EXPECT_THAT(
        message_of([&] { write_simulation(study, scratch / "study", false); }, ErrorCode::usage),
        testing::HasSubstr("replication.csv already exists; to replace it, add --force"));
    EXPECT_EQ(read_text(mine, 100), "mine\n");
    EXPECT_FALSE(std::filesystem::exists(truth));
    write_simulation(study, scratch / "study", true);
    EXPECT_NE(read_text(mine, 1 << 20), "mine\n");
}

}  // namespace
}  // namespace assay::replication
