#include "mad/control_accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "core/statistics.h"
#include "message_of.h"
#include "rank_world.h"
#include "scratch.h"

namespace assay::mad {
namespace {

using testing::HasSubstr;

TEST(MadControl, OneStratumIsWilsonsInterval) {
    // A hundred of so many images that the finite population has no effect.
    const std::vector<SampledStratum> one = {{1'000'000'000'000ULL, 100, 100, 83}};
    const Estimate found = stratified_proportion(one, .95);
    EXPECT_DOUBLE_EQ(found.value.value(), .83);
    EXPECT_EQ(found.n, 100U);
    const Interval wilsons = wilson(83, 100);
    EXPECT_NEAR(found.interval.value().low, wilsons.low, 1e-9);
    EXPECT_NEAR(found.interval.value().high, wilsons.high, 1e-9);
}

TEST(MadControl, StrataWeighAsManyImagesAsTheyWereDrawnFrom) {
    // Of 900 images, 10 were drawn, 9 of them correct. Of 100, 10 were drawn, 2 correct: .9 .9 + .1
    // .2.
    const std::vector<SampledStratum> two = {{900, 10, 10, 9}, {100, 10, 10, 2}};
    EXPECT_NEAR(stratified_proportion(two, .95).value.value(), .83, 1e-15);
    // Half of the first stratum cannot be judged, so its weight is 450 of 550.
    const std::vector<SampledStratum> judged = {{900, 10, 5, 5}, {100, 10, 10, 2}};
    EXPECT_NEAR(stratified_proportion(judged, .95).value.value(), (450 + 20) / 550.0, 1e-15);
}

TEST(MadControl, Corners) {
    EXPECT_FALSE(stratified_proportion({}, .95).value);
    const std::vector<SampledStratum> nothing = {{100, 10, 0, 0}};
    EXPECT_THAT(stratified_proportion(nothing, .95).undefined, HasSubstr("counts"));
    const std::vector<SampledStratum> missing = {{100, 10, 10, 3}, {50, 0, 0, 0}};
    EXPECT_THAT(stratified_proportion(missing, .95).undefined, HasSubstr(""));
    // The whole stratum was drawn.
    const std::vector<SampledStratum> census = {{10, 10, 10, 3}};
    EXPECT_EQ(stratified_proportion(census, .95).interval->low, .3);
    EXPECT_EQ(stratified_proportion(census, .95).interval->high, .3);
    // A few images without an error do not make 100 % certain.
    const std::vector<SampledStratum> perfect = {{5000, 50, 50, 50}, {5000, 50, 50, 50}};
    EXPECT_EQ(stratified_proportion(perfect, .95).interval->high, 1);
    EXPECT_LT(stratified_proportion(perfect, .95).interval->low, .96);
}

struct ControlWorld {
    const char* name;
    std::vector<SampledStratum> strata;  ///< counted: of the drawn images; correct: of `images`
};

// Each simulation draws its sample without replacement, 4,000 times. Then a coverage of .95 is
// measured within .0069 (two standard errors).
TEST(MadControlSimulation, IntervalsHoldTheAccuracyInHardWorlds) {
    const std::vector<ControlWorld> worlds = {
        {"even", {{10'000, 100, 0, 8'000}, {10'000, 100, 0, 4'000}}},
        {"rare errors", {{50'000, 150, 0, 49'600}, {10'000, 150, 0, 9'700}}},
        {"hardly ever correct", {{20'000, 100, 0, 150}, {5'000, 100, 0, 90}}},
        {"all agree and are incorrect", {{30'000, 100, 0, 0}, {10'000, 100, 0, 5'000}}},
        {"all agree and are correct", {{30'000, 100, 0, 30'000}, {10'000, 100, 0, 6'500}}},
        {"two strata without variance", {{30'000, 60, 0, 30'000}, {10'000, 60, 0, 0}}},
        {"unequal strata", {{99'000, 50, 0, 80'000}, {1'000, 50, 0, 300}}},
        {"most of it is in the small sample", {{100'000, 20, 0, 70'000}, {10'000, 180, 0, 2'000}}},
        {"half of the images are drawn", {{200, 100, 0, 150}, {300, 150, 0, 90}}},
        {"nearly all are drawn", {{100, 90, 0, 70}, {60, 50, 0, 20}}},
        {"tiny sample", {{10'000, 5, 0, 8'500}, {3'000, 5, 0, 1'200}}},
        {"many strata",
         {{5'000, 20, 0, 4'900}, {5'000, 20, 0, 4'000}, {5'000, 20, 0, 2'500}, {5'000, 20, 0, 50}}},
    };
    constexpr int runs = 4000;
    for (std::size_t w = 0; w < worlds.size(); ++w) {
        SCOPED_TRACE(worlds[w].name);
        double all = 0, correct = 0;
        for (const SampledStratum& s : worlds[w].strata) {
            all += static_cast<double>(s.images);
            correct += static_cast<double>(s.correct);
        }
        const double truth = correct / all;
        int held = 0;
        double mean = 0, width = 0;
        for (int run = 0; run < runs; ++run) {
            RandomStream random(w, "control samples of tests", static_cast<std::uint64_t>(run));
            std::vector<SampledStratum> drawn = worlds[w].strata;
            for (SampledStratum& s : drawn) {
                // Draws one image after the other, without replacement.
                std::uint64_t left = s.images, correct_left = s.correct;
                s.correct = 0;
                s.counted = s.drawn;
                for (std::uint64_t i = 0; i < s.drawn; ++i, --left) {
                    if (random.below(left) >= correct_left) continue;
                    ++s.correct;
                    --correct_left;
                }
            }
            const Estimate found = stratified_proportion(drawn, .95);
            mean += *found.value / runs;
            width += (found.interval->high - found.interval->low) / runs;
            held += found.interval->low <= truth + 1e-12 && truth <= found.interval->high + 1e-12;
        }
        const double coverage = static_cast<double>(held) / runs;
        RecordProperty(fmt::format("coverage_{}", w), fmt::format("{:.4f}", coverage));
        EXPECT_GT(coverage, .93) << "width " << width;
        EXPECT_NEAR(mean, truth, .006);
        // The interval must not be too wide, either: at most 1.1 times the normal one here.
        if (w == 0) {
            EXPECT_LT(width, 1.1 * 2 * 1.96 * std::sqrt((.16 + .24) / 4 / 100));
        }
    }
}

/// Four control images in two strata; a is correct on 0, 1 and 2, and b only on 0.
rank_test::RankWorld control_world() {
    rank_test::RankWorld world({"a", "b"});
    world.images = 1000;
    world.counts({.first = 0, .second = 1, .only_first = 2, .only_second = 1});
    world.labels.emplace_back(1000, std::uint16_t{1});
    world.labels.emplace_back(1000, std::uint16_t{2});
    for (const std::int64_t image : {100, 101, 102, 103}) {
        const bool second = image >= 102;
        world.control.push_back({image, second ? 1U : 0U, second ? 400U : 600U, 2});
    }
    world.labels[1][100] = 1;
    for (const auto& [image, label, said] :
         std::vector<std::tuple<std::int64_t, std::uint16_t, int>>{{100, 1, 1},
                                                                   {101, 1, 1},
                                                                   {102, 1, 1},
                                                                   {103, 1, 0},
                                                                   {101, 2, 0},
                                                                   {102, 2, 0},
                                                                   {103, 2, 0}})
        world.answer(world.question(image, label), {said, said, said});
    return world;
}

TEST(MadControl, OfACompetition) {
    const rank_test::RankWorld world = control_world();
    const Scratch scratch;
    const Competition competition = rank_test::write_world(scratch / "mad", world);
    const ControlSample sample = read_control_sample(competition, competition.active());
    const std::vector<Estimate> found = control_accuracies(sample, world.tally(), .95);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0].value.value(), .6 + .4 / 2, 1e-15);
    EXPECT_NEAR(found[1].value.value(), .6 / 2, 1e-15);
}

TEST(MadControl, AbsentWhileItsQuestionsAreOpen) {
    rank_test::RankWorld world = control_world();
    // c was added later. Image 103 has no question for it, and 102 has one of five answers.
    world.names.emplace_back("c");
    world.labels.emplace_back(1000, std::uint16_t{1});
    world.labels[2][102] = 7;
    world.labels[2][103] = 8;
    world.answer(world.question(102, 7), {1});
    const Scratch scratch;
    const Competition competition = rank_test::write_world(scratch / "mad", world);
    const std::vector<Estimate> found = control_accuracies(
        read_control_sample(competition, competition.active()), world.tally(), .95);
    EXPECT_TRUE(found[0].value && found[1].value);
    EXPECT_THAT(found[2].undefined,
                HasSubstr("1 have open questions about its labels and 1 have questions"));
}

TEST(MadControl, UnjudgeableAndUnscoredImagesDoNotCount) {
    rank_test::RankWorld world = control_world();
    for (AnswerRow& row : world.answers)
        if (row.question == world.question(101, 1)) row.answer = Answer::cannot_say;
    world.labels[0][102] = no_label;
    const Scratch scratch;
    const Competition competition = rank_test::write_world(scratch / "mad", world);
    world.votes = 3;
    const std::vector<Estimate> found = control_accuracies(
        read_control_sample(competition, competition.active()), world.tally(), .95);
    // Image 100 is correct with weight 300, and 103 is incorrect with weight 200.
    EXPECT_NEAR(found[0].value.value(), .6, 1e-15);
    EXPECT_EQ(found[0].n, 2U);
}

TEST(MadControl, AStratumOfWhichNoneWasDrawnLeavesItUndefined) {
    rank_test::RankWorld world = control_world();
    // Only images on which both differ count: 400 of 1,000.
    world.control.erase(world.control.begin(), world.control.begin() + 2);
    const Scratch scratch;
    const Competition competition = rank_test::write_world(scratch / "mad", world);
    for (const Estimate& found : control_accuracies(
             read_control_sample(competition, competition.active()), world.tally(), .95)) {
        EXPECT_FALSE(found.value);
        EXPECT_THAT(found.undefined, HasSubstr("covers 400 images, but scores exist for 1,000"));
    }
}

TEST(MadControl, DamagedRowsAreRefused) {
    rank_test::RankWorld world = control_world();
    world.control[1].stratum_images = 601;
    const Scratch scratch;
    EXPECT_THAT(message_of([&] {
                    const Competition competition = rank_test::write_world(scratch / "mad", world);
                    read_control_sample(competition, competition.active());
                }),
                HasSubstr("disagree about the size of stratum 0"));
    world.control[1].stratum_images = 600;
    world.control.erase(world.control.begin());
    const Scratch other;
    EXPECT_THAT(message_of([&] {
                    const Competition competition = rank_test::write_world(other / "mad", world);
                    read_control_sample(competition, competition.active());
                }),
                HasSubstr("says 2 of 600 images, but has 1"));
}

}  // namespace
}  // namespace assay::mad
