// Methods over training runs: patterns, comparison with an independent computation, coverage in a
// simulation with variance between runs, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "../evaluate/saved_scores.h"
#include "assay/decisions/methods.h"
#include "core/random.h"
#include "core/statistics.h"
#include "decisions/method_runs.h"
#include "decisions/two_way.h"
#include "message_of.h"

namespace assay::decisions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Pseudo-random numbers, the same as in the computation of the values below.
RunTable numbered_table(std::size_t runs, std::size_t images, std::size_t k) {
    RunTable out(runs, std::vector<std::uint8_t>(images));
    for (std::size_t r = 0; r < runs; ++r)
        for (std::size_t i = 0; i < images; ++i)
            out[r][i] = (r * 31 + i * 17 + k * 7 + (i * i * (r + 2)) % 11) % 10 < 7 ? 1 : 0;
    return out;
}

TEST(Methods, IntervalsEqualAnIndependentComputation) {
    const RunTable a = numbered_table(3, 20, 0), b = numbered_table(3, 20, 3),
                   c = numbered_table(4, 20, 5);
    const TwoWay one = two_way(a);
    EXPECT_NEAR(one.mean, 0.6833333333333333, 1e-12);
    EXPECT_NEAR(one.center, 0.6527777777777777, 1e-12);
    EXPECT_NEAR(expected_interval(one, .95).low, 0.4473263866949234, 1e-9);
    EXPECT_NEAR(expected_interval(one, .95).high, 0.8582291688606319, 1e-9);
    EXPECT_NEAR(std::sqrt(one.runs[0].variance), 0.07637626158259735, 1e-12);
    const TwoWay pairs = two_way_paired(a, b);
    EXPECT_NEAR(pairs.mean, 1.0 / 60, 1e-12);
    EXPECT_NEAR(expected_interval(pairs, .95).low, -0.1475617160425914, 1e-9);
    EXPECT_NEAR(expected_interval(pairs, .95).high, 0.1778647463456217, 1e-9);
    EXPECT_NEAR(next_run_interval(pairs, .95).low, -0.2915907094457102, 1e-9);
    EXPECT_NEAR(next_run_interval(pairs, .95).high, 0.32189373974874047, 1e-9);
    EXPECT_NEAR(images_interval(pairs, .95).high - pairs.center, 0.14241904638810296, 1e-9);
    const TwoWay apart = two_way_apart(a, c);
    EXPECT_NEAR(apart.mean, 0.04166666666666669, 1e-12);
    EXPECT_NEAR(expected_interval(apart, .95).low, -0.2538095528638574, 1e-9);
    EXPECT_NEAR(expected_interval(apart, .95).high, 0.3295671286214332, 1e-9);
    EXPECT_NEAR(next_run_interval(apart, .95).high, 0.6292907432099217, 1e-9);
}

TEST(Methods, NoIntervalHasWidthZero) {
    const RunTable right(2, std::vector<std::uint8_t>(50, 1));
    const Interval all = expected_interval(two_way(right), .95);
    EXPECT_LT(all.low, .97);
    EXPECT_EQ(all.high, 1);
    const Interval none = expected_interval(two_way_paired(right, right), .95);
    EXPECT_LT(none.low, -.02);
    EXPECT_GT(none.high, .02);
}

constexpr int worlds = 300;

/// The coverage of the interval of the difference, and of an interval from images alone, in 300
/// simulations.
std::pair<int, int> times_held(std::size_t baselines, std::size_t candidates) {
    constexpr std::size_t images = 150;
    int held = 0, by_images = 0;
    for (int world = 0; world < worlds; ++world) {
        RandomStream random(static_cast<std::uint64_t>(world), "methods");
        std::vector<double> hard(images);
        for (double& one : hard) one = random.normal();
        const auto table = [&](double skill, std::size_t runs) {
            RunTable out(runs, std::vector<std::uint8_t>(images));
            for (auto& run : out) {
                const double seed = .3 * random.normal();
                for (std::size_t i = 0; i < images; ++i)
                    run[i] = skill + hard[i] + seed + random.normal() > 0 ? 1 : 0;
            }
            return out;
        };
        const double scale = std::sqrt(2.09),
                     truth = normal_cdf(.8 / scale) - normal_cdf(.5 / scale);
        const RunTable baseline = table(.5, baselines), candidate = table(.8, candidates);
        const TwoWay mean = two_way_apart(baseline, candidate);
        const Interval interval = expected_interval(mean, .95), alone = images_interval(mean, .95);
        held += interval.low <= truth && truth <= interval.high ? 1 : 0;
        by_images += alone.low <= truth && truth <= alone.high ? 1 : 0;
    }
    return {held, by_images};
}

TEST(Methods, HoldsForNewRunsWhereImagesAloneDoNot) {
    const auto [held, by_images] = times_held(3, 3);
    EXPECT_GE(held, worlds * 93 / 100);
    EXPECT_LT(by_images, worlds * 80 / 100);
}

TEST(Methods, HoldsForUnequalNumbersOfRuns) {
    EXPECT_GE(times_held(2, 10).first, worlds * 94 / 100);
    EXPECT_GE(times_held(3, 20).first, worlds * 94 / 100);
}

TEST(Methods, MoreRunsNarrowWhatRunsLeaveOpen) {
    const TwoWay mean = two_way_paired(numbered_table(3, 20, 0), numbered_table(3, 20, 3));
    EXPECT_NEAR(half_width_with(mean, 3, .95), half_width_with(mean, 0, .95), 1e-9);
    EXPECT_LT(half_width_with(mean, 10, .95), half_width_with(mean, 3, .95));
}

TEST(Methods, EachGroupOfRunsHasItsOwnInteraction) {
    TwoWay mean;
    mean.images = .02;
    mean.interaction = .012;
    mean.runs = {{0, 2, .01}, {0, 10, .002}};
    // With ten runs of each method, the variance is .01 * 2 / 10 + .002 from runs, and .02 - .012
    // from images.
    EXPECT_NEAR(half_width_with(mean, 10, .95), normal_quantile(.975) * std::sqrt(.012), 1e-12);
}

TEST(Methods, WildcardsSayTheSeed) {
    EXPECT_THAT(wildcards_in("net-s*", "net-s10").value(), ElementsAre("10"));
    EXPECT_THAT(wildcards_in("s?-*x", "s1-axbx").value(), ElementsAre("1", "axb"));
    EXPECT_FALSE(wildcards_in("net-s*", "other-s1"));
    EXPECT_FALSE(wildcards_in("net", "nets"));
}

/// One run on the images of save_runs().
Made two_class_rows(const std::string& method, int run, double skill) {
    Made made;
    made.classes = 2;
    RandomStream random(static_cast<std::uint64_t>(run), method);
    for (std::size_t i = 0; i < 200; ++i) {
        const auto label = static_cast<std::int32_t>(i % 2);
        made.labels.push_back({label});
        for (std::int32_t c = 0; c < 2; ++c)
            made.scores.push_back(static_cast<float>(random.normal() + (c == label ? skill : 0)));
    }
    return made;
}

/// Runs of two methods on the same images, whose labels are c0 and c1 in turn.
void save_runs(const Scratch& folder, const std::string& method, int runs, double skill,
               int first = 0) {
    for (int run = first; run < first + runs; ++run) {
        save(folder, two_class_rows(method, run, skill), fmt::format("{}-s{}", method, run + 8));
    }
}

MethodOptions old_and_new(const Scratch& folder) {
    MethodOptions out;
    for (const char* name : {"old", "new"})
        out.methods.push_back(
            fmt::format("{}={}/runs/val/{}-s*", name, folder.path().string(), name));
    return out;
}

TEST(Methods, PairsRunsByTheirSeeds) {
    const Scratch folder;
    save_runs(folder, "old", 3, 1);
    save_runs(folder, "new", 3, 1.5);
    MethodOptions options = old_and_new(folder);
    options.within = .02;
    const MethodComparison paired = compare_methods(options);
    ASSERT_EQ(paired.differences.size(), 1U);
    EXPECT_TRUE(paired.differences[0].paired);
    EXPECT_THAT(paired.notes, ElementsAre(HasSubstr("paired by seed: 8, 9, 10")));
    double mean = 0;
    for (const MethodRun& run : paired.runs)
        mean += *run.accuracy.value * (run.method == "new" ? 1 : -1) / 3;
    EXPECT_NEAR(*paired.differences[0].difference.value, mean, 1e-12);
    EXPECT_GT(paired.differences[0].difference.interval->high,
              paired.differences[0].these_runs.interval->high);
    options.threads = 3;
    EXPECT_EQ(report_of(compare_methods(options)).result, report_of(paired).result);
    save_runs(folder, "new", 1, 1.5, 3);
    const MethodComparison apart = compare_methods(options);
    EXPECT_FALSE(apart.differences[0].paired);
    EXPECT_EQ(apart.methods[1].runs, 4U);
}

TEST(Methods, RefusesOneRunAndOtherData) {
    const Scratch folder;
    save_runs(folder, "old", 2, 1);
    save_runs(folder, "new", 1, 1.5);
    const MethodOptions options = old_and_new(folder);
    EXPECT_THAT(message_of([&] { compare_methods(options); }),
                HasSubstr("`new` has one training run"));
    MethodOptions bad = options;
    bad.methods[1] = "new=" + (folder / "runs/val/none-*").string();
    EXPECT_THAT(message_of([&] { compare_methods(bad); }), HasSubstr("no store matches"));
    bad.methods[1] = "new";
    EXPECT_THAT(message_of([&] { compare_methods(bad); }, ErrorCode::usage),
                HasSubstr("`new` is no method"));
    bad.methods[1] = options.methods[0];
    EXPECT_THAT(message_of([&] { compare_methods(bad); }, ErrorCode::usage), HasSubstr("twice"));
    bad.methods[1] = "again=" + (folder / "runs/val/old-s*").string();
    EXPECT_THAT(message_of([&] { compare_methods(bad); }), HasSubstr("run of two methods"));
    bad.methods.resize(1);
    EXPECT_THAT(message_of([&] { compare_methods(bad); }, ErrorCode::usage),
                HasSubstr("two methods or more"));
    Made other = made_up(300, 2, 1);
    other.dataset = "other";
    save(folder, other, "new-s1");
    save(folder, other, "new-s2");
    bad.methods = {options.methods[0], "new=" + (folder / "runs/other/new-s*").string()};
    EXPECT_THAT(message_of([&] { compare_methods(bad); }), HasSubstr("old-s8"));
}

TEST(Methods, CopiesOfRunsAreNoTrainingRuns) {
    const Scratch folder;
    save_runs(folder, "old", 2, 1);
    save_runs(folder, "new", 2, 1.5);
    Made copy = two_class_rows("old", 0, 1);
    save(folder, copy, "old-s8@pgd-linf-8_255");
    copy.provenance = R"({"calibrated": {"method": "temperature", "of": "old-s8"}})";
    save(folder, copy, "old-s8@temperature");
    MethodOptions options = old_and_new(folder);
    const MethodComparison result = compare_methods(options);
    EXPECT_EQ(result.methods[0].runs, 2U);
    EXPECT_TRUE(result.differences[0].paired);
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_THAT(result.notes[0], HasSubstr("old-s8@pgd-linf-8_255, old-s8@temperature"));
    options.methods[0] = "old=" + (folder / "runs/val/old-s8@*").string();
    EXPECT_EQ(compare_methods(options).methods[0].runs, 2U);
}

TEST(Methods, RunsAreOfOneDataSetWithOneSetOfLabels) {
    const Scratch folder;
    save_runs(folder, "old", 2, 1);
    save_runs(folder, "new", 2, 1.5);
    Made other = two_class_rows("old", 0, 1);
    other.dataset = "other";
    save(folder, other, "old-s8");
    MethodOptions options = old_and_new(folder);
    options.methods[0] = "old=" + (folder / "runs/*/old-s8").string();
    EXPECT_THAT(message_of([&] { compare_methods(options); }), HasSubstr("other"));
}

TEST(Methods, ImagesWithoutScoresMakeTheResultPartial) {
    const Scratch folder;
    save_runs(folder, "new", 2, 1.5);
    for (int run = 0; run < 2; ++run) {
        Made made = two_class_rows("old", run, 1);
        made.states.assign(made.rows(), RowState::ok);
        made.states[7 + static_cast<std::size_t>(run)] = RowState::not_finite;
        save(folder, made, fmt::format("old-s{}", run));
    }
    const MethodComparison result = compare_methods(old_and_new(folder));
    EXPECT_EQ(result.not_scored, 2U);
    EXPECT_EQ(result.images, 198U);
    EXPECT_TRUE(report_of(result).partial);
}

}  // namespace
}  // namespace assay::decisions
