// Conformal sets: thresholds and scores by hand, coverage over many splits, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <variant>

#include "../evaluate/saved_scores.h"
#include "assay/decisions/conformal.h"
#include "assay/report.h"
#include "assay/store/memory_store.h"
#include "core/file.h"
#include "core/random.h"
#include "decisions/abstention.h"
#include "decisions/set_scores.h"
#include "message_of.h"

namespace assay::decisions {
namespace {

using testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// One label per image, and logits that are better for easy images.
Made made_world(std::size_t rows, std::size_t classes, std::uint64_t seed) {
    Made made;
    made.classes = classes;
    RandomStream random(seed, "conformal test");
    for (std::size_t i = 0; i < rows; ++i) {
        const auto label = static_cast<std::int32_t>(random.below(classes));
        made.labels.push_back({label});
        const double skill = 2.5 * random.uniform();
        for (std::size_t c = 0; c < classes; ++c)
            made.scores.push_back(static_cast<float>(
                random.normal() + (static_cast<std::int32_t>(c) == label ? skill : 0)));
    }
    return made;
}

ConformalOptions options_for(const Scratch& folder) {
    ConformalOptions out;
    out.stores = {folder / "runs"};
    return out;
}

TEST(Conformal, TheThresholdIsTheOrderStatisticOfTheGuarantee) {
    std::vector<double> scores = {.9, .1, .8, .2, .7, .3, .6, .4, .5};
    // (9 + 1)(1 - .1) = 9, so the threshold is the largest of nine.
    EXPECT_EQ(threshold_of(scores, .1), .9);
    // (9 + 1)(1 - .25) = 7.5, so it is the eighth.
    EXPECT_EQ(threshold_of(scores, .25), .8);
    EXPECT_EQ(threshold_of(std::span(scores).first(8), .1), infinite);
    EXPECT_EQ(threshold_of({}, .5), infinite);
    EXPECT_EQ(place_of_threshold(99, .05), 95U);
}

TEST(Conformal, ScoresAreThoseOfThePapers) {
    const Scratch folder;
    Made made;
    made.kind = ScoreKind::probabilities;
    made.scores = {.2F, .5F, .3F};
    made.labels = {{0}};
    const PredictionStore store = save(folder, made, "net", StorageFormat::full_f32, 4000);
    const RowReader reader(store);
    SortedRow row;
    row.read(reader, 0);
    EXPECT_EQ(row.cls(0), 1);
    EXPECT_EQ(row.cls(2), 0);
    EXPECT_NEAR(row.score(1, {SetMethod::lac, 0, 0}, .5), .7, 1e-7);
    EXPECT_NEAR(row.score(1, {SetMethod::aps, 0, 0}, 0), .8, 1e-7);
    EXPECT_NEAR(row.score(1, {SetMethod::aps, 0, 0}, .5), .65, 1e-7);
    // The third rank is two above k_reg = 1.
    EXPECT_NEAR(row.score(2, {SetMethod::raps, .1, 1}, 0), 1.2, 1e-7);
    EXPECT_EQ(row.rank_of(std::vector<std::int32_t>{0, 2}), 1U);
}

TEST(Conformal, CoverageHoldsOverManySplits) {
    const Scratch folder;
    save(folder, made_world(240, 6, 1), "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.threads = 1;
    double sums[3] = {};
    constexpr int splits = 150;
    for (int seed = 0; seed < splits; ++seed) {
        options.seed = static_cast<std::uint64_t>(seed);
        const ConformalResult result = conformal_sets(options);
        ASSERT_EQ(result.sets.size(), 3U);
        for (std::size_t m = 0; m < 3; ++m) sums[m] += *result.sets[m].coverage.value;
    }
    // The coverage of a split has a standard deviation of about .035, and that of the mean is below
    // .004. Without ties, the coverage exceeds the nominal one by at most 1/(n + 1).
    for (const double sum : sums) {
        EXPECT_GT(sum / splits, .9 - .012);
        EXPECT_LT(sum / splits, .9 + .02);
    }
}

TEST(Conformal, TheSameBitsForAnyThreadsAndWithoutRandomnessLargerSets) {
    const Scratch folder;
    save(folder, made_world(3000, 5, 2), "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.sets = folder / "one.csv";
    options.threads = 1;
    options.max_error = .4;
    const ConformalResult one = conformal_sets(options);
    options.sets = folder / "many.csv";
    options.threads = 5;
    const ConformalResult many = conformal_sets(options);
    EXPECT_EQ(report_of(one).result, report_of(many).result);
    EXPECT_EQ(read_text(folder / "one.csv"), read_text(folder / "many.csv"));
    options.deterministic = true;
    const ConformalResult fixed = conformal_sets(options);
    EXPECT_EQ(fixed.sets[0].size.value, one.sets[0].size.value);
    EXPECT_GT(*fixed.sets[1].size.value, *one.sets[1].size.value + .05);
    EXPECT_GT(one.sets[1].empty, 0U);
    ASSERT_TRUE(one.sets[0].expected);
    EXPECT_LT(one.sets[0].expected->low, .9);
    EXPECT_GT(one.sets[0].expected->high, .9);
}

TEST(Conformal, AnyValidClassCovers) {
    const Scratch folder;
    Made made = made_world(2000, 6, 3);
    save(folder, made, "single", StorageFormat::full_f32, 4000);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const std::int32_t other = (made.labels[i][0] + 1) % 6;
        made.labels[i] = {std::min(made.labels[i][0], other), std::max(made.labels[i][0], other)};
    }
    made.dataset = "several";
    save(folder, made, "single", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.method = SetMethod::lac;
    const ConformalResult result = conformal_sets(options);
    ASSERT_EQ(result.sets.size(), 2U);
    // Two classes are easier to predict, so the sets shrink. The coverage is still nominal.
    EXPECT_LT(*result.sets[0].size.value, *result.sets[1].size.value - .3);
    EXPECT_NEAR(*result.sets[0].coverage.value, .9, .03);
    options.class_conditional = true;
    EXPECT_THAT(conformal_sets(options).warnings,
                testing::ElementsAre(HasSubstr("2 valid classes")));
    options.stores = {folder / "runs/several"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }), HasSubstr("2 valid classes"));
    // Such an image is refused in both parts.
    Made one = made_world(200, 6, 18);
    one.labels[7] = {1, 2};
    save(folder, one, "net", StorageFormat::full_f32, 4000, false, "one");
    options.stores = {folder / "one"};
    for (options.seed = 0; options.seed < 4; ++options.seed)
        EXPECT_THAT(message_of([&] { conformal_sets(options); }),
                    HasSubstr("`item00007` has 2 valid classes"));
}

TEST(Conformal, EachClassGetsItsThreshold) {
    const Scratch folder;
    Made made = made_world(4000, 4, 4);
    // The last class is hard, because its scores are random.
    for (std::size_t i = 0; i < made.rows(); ++i)
        if (made.labels[i][0] == 3) made.scores[i * 4 + 3] = made.scores[i * 4];
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.method = SetMethod::lac;
    options.sets = folder / "sets.csv";
    const auto coverage_of_last = [&] {
        conformal_sets(options);
        const std::string text = read_text(options.sets);
        double covered = 0, all = 0;
        for (std::size_t i = 0; i < made.rows(); ++i) {
            const std::size_t at = text.find(fmt::format(",item{:05},reported,", i));
            if (made.labels[i][0] != 3 || at == std::string::npos) continue;
            const std::string line = text.substr(at, text.find('\n', at) - at);
            ++all;
            covered += line.find("c3") != std::string::npos ? 1 : 0;
        }
        return covered / all;
    };
    EXPECT_LT(coverage_of_last(), .87);
    options.class_conditional = true;
    EXPECT_NEAR(coverage_of_last(), .9, .04);
    options.alpha = .001;
    const ConformalResult few = conformal_sets(options);
    EXPECT_EQ(few.sets[0].infinite_classes, 4U);
    EXPECT_EQ(*few.sets[0].size.value, 4);
    EXPECT_FALSE(few.sets[0].size.interval);
    ASSERT_EQ(few.warnings.size(), 1U);
    EXPECT_THAT(few.warnings[0], HasSubstr("fewer than the 999 calibration images"));
}

TEST(Conformal, TooFewCalibrationImagesGiveAllClasses) {
    const Scratch folder;
    save(folder, made_world(12, 3, 5), "net", StorageFormat::full_f32, 4000);
    const ConformalResult result = conformal_sets(options_for(folder));
    EXPECT_FALSE(result.sets[0].threshold);
    EXPECT_EQ(*result.sets[0].coverage.value, 1);
    EXPECT_EQ(*result.sets[0].size.value, 3);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_THAT(result.warnings[0], HasSubstr("needs at least 9"));
}

TEST(Conformal, CalibratesOnAnotherDataSet) {
    const Scratch folder;
    Made made = made_world(1000, 5, 6);
    for (std::size_t i = 0; i < made.rows(); ++i) made.ids.push_back(fmt::format("v{}", i));
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    Made other = made_world(800, 5, 7);
    other.dataset = "test";
    save(folder, other, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.calibrate_on = "val";
    const ConformalResult result = conformal_sets(options);
    ASSERT_EQ(result.sets.size(), 3U);
    EXPECT_EQ(result.sets[0].dataset, "test");
    EXPECT_EQ(result.sets[0].calibration, 1000U);
    EXPECT_EQ(result.sets[0].coverage.n, 800U);
    EXPECT_NEAR(*result.sets[0].coverage.value, .9, .04);
    options.stores = {folder / "runs/val"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }, ErrorCode::usage),
                HasSubstr("name another one to report"));
    made.dataset = "again";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    options.stores = {folder / "runs/again"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }),
                HasSubstr("must not be calibrated on reported images"));
}

TEST(Conformal, ASlashAtTheEndIsFineAndTheSameImagesAreSkipped) {
    const Scratch folder;
    Made made = made_world(300, 5, 6);
    for (std::size_t i = 0; i < made.rows(); ++i) made.ids.push_back(fmt::format("v{}", i));
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    made.dataset = "again";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    Made other = made_world(200, 5, 7);
    other.dataset = "test";
    save(folder, other, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.calibrate_on = "val";
    options.method = SetMethod::lac;
    options.stores = {folder / "runs/test/net/"};
    EXPECT_EQ(conformal_sets(options).sets[0].calibration, 300U);
    // Of several stores, the one with the same images is skipped.
    options.stores = {folder / "runs"};
    const ConformalResult result = conformal_sets(options);
    ASSERT_EQ(result.sets.size(), 1U);
    EXPECT_EQ(result.sets[0].dataset, "test");
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_THAT(result.warnings[0], HasSubstr("again/net` is not used: 300 images of `again`"));
    EXPECT_TRUE(report_of(result).partial);
}

TEST(Conformal, EqualNamesOfFilesThatDifferAreOtherImages) {
    const Scratch folder;
    Made made = made_world(300, 5, 6);
    for (std::uint64_t i = 0; i < made.rows(); ++i) made.files.push_back({1000, i + 1});
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    Made other = made_world(200, 5, 7);
    other.dataset = "test";
    for (std::uint64_t i = 0; i < other.rows(); ++i) other.files.push_back({1000, i + 1001});
    save(folder, other, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.calibrate_on = "val";
    options.method = SetMethod::lac;
    options.stores = {folder / "runs/test"};
    const ConformalResult result = conformal_sets(options);
    ASSERT_EQ(result.sets.size(), 1U);
    EXPECT_EQ(result.sets[0].calibration, 300U);
    EXPECT_EQ(result.sets[0].coverage.n, 200U);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
    other.dataset = "again";
    other.files.assign(made.files.begin(), made.files.begin() + 200);
    save(folder, other, "net", StorageFormat::full_f32, 4000);
    options.stores = {folder / "runs/again"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }),
                HasSubstr("200 images of `again` are also in `val`"));
}

TEST(Conformal, ImagesWithoutKnownFilesAreSharedByTheirScores) {
    Made made = made_world(300, 4, 13);
    Made other = made_world(300, 4, 14);
    other.dataset = "test";
    for (std::size_t i = 0; i < 300; ++i) {
        made.ids.push_back(fmt::format("x/{}.png", i));
        other.ids.push_back(made.ids.back());
    }
    const auto run = [&] {
        const Scratch folder;
        save(folder, made, "net", StorageFormat::full_f32, 4000);
        save(folder, other, "net", StorageFormat::full_f32, 4000);
        ConformalOptions options = options_for(folder);
        options.calibrate_on = "val";
        options.stores = {folder / "runs/test"};
        return conformal_sets(options).sets.size();
    };
    EXPECT_EQ(run(), 3U);  // the ids are equal, and no scores are
    std::copy_n(made.scores.begin(), 4 * 10, other.scores.begin());
    EXPECT_THAT(message_of([&] { run(); }), HasSubstr("10 images of `test` are also in `val`"));
    // Only the names of the files are equal, so no scores are compared.
    for (std::string& id : other.ids) id.replace(0, 1, "y");
    EXPECT_THAT(message_of([&] { run(); }), HasSubstr("300 images of `test` are also in `val`"));
}

/// The probability of at least `least` hits in n draws with hit probability `p`.
double binomial_tail(std::uint64_t least, std::uint64_t n, double p) {
    double sum = 0;
    for (std::uint64_t k = least; k <= n; ++k) {
        const auto hits = static_cast<double>(k), misses = static_cast<double>(n - k);
        sum += std::exp(std::lgamma(hits + misses + 1) - std::lgamma(hits + 1) -
                        std::lgamma(misses + 1) + hits * std::log(p) + misses * std::log1p(-p));
    }
    return sum;
}

TEST(Conformal, WithTiesTheRangeOfCoverageHasNoUpperEnd) {
    const Scratch folder;
    Made made = made_world(400, 3, 11);
    for (std::size_t i = 0; i < made.rows(); ++i)
        for (std::size_t c = 0; c < 3; ++c)
            made.scores[3 * i + c] = static_cast<std::int32_t>(c) == made.labels[i][0] ? 2.F : 0.F;
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    const ConformalResult result = conformal_sets(options_for(folder));
    ASSERT_EQ(result.sets[0].method, SetMethod::lac);
    EXPECT_EQ(*result.sets[0].coverage.value, 1);
    const Interval tied = result.sets[0].expected.value(), apart = result.sets[1].expected.value();
    EXPECT_EQ(tied.high, 1);
    EXPECT_LT(apart.high, .97);
    // The coverage is below x if at least `place` of n uniform numbers are below x. The probability
    // is 5 % below the one end for tied scores, and 2.5 % outside each of the other ends. A wrong
    // side would differ by .025 or more.
    const std::uint64_t n = result.sets[0].calibration, place = place_of_threshold(n, .1);
    EXPECT_NEAR(binomial_tail(place, n, tied.low), .05, 1e-6);
    EXPECT_NEAR(binomial_tail(place, n, apart.low), .025, 1e-6);
    EXPECT_NEAR(binomial_tail(place, n, apart.high), .975, 1e-6);
}

TEST(Conformal, RefusesLabelsBeyondTheClasses) {
    const Scratch folder;
    Made made = made_world(100, 4, 12);
    made.named = false;  // if there are names, reading the labels already refuses them
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    std::string text;
    for (std::size_t i = 0; i < made.rows(); ++i) text += fmt::format("{}\n", i == 42 ? 4 : i % 4);
    write_file_atomically(folder / "labels.txt", text);
    ConformalOptions options = options_for(folder);
    options.labels = folder / "labels.txt";
    options.class_conditional = true;
    const auto says = [](const std::string& where) {
        return testing::AllOf(HasSubstr(where + ": `item00042` has the label 4, but the scores of"),
                              HasSubstr("are of the classes 0 to 3"));
    };
    EXPECT_THAT(message_of([&] { conformal_sets(options); }), says("labels.txt"));
    made.labels[42] = {4};
    made.dataset = "own";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    options.labels.clear();
    options.stores = {folder / "runs/own"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }), says("own"));
}

TEST(Conformal, OneFileOfLabelsIsNotForTwoDataSets) {
    const Scratch folder;
    Made made = made_world(100, 4, 16);
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    std::string text;
    for (const auto& labels : made.labels) text += fmt::format("{}\n", labels[0]);
    write_file_atomically(folder / "labels.txt", text);
    made = made_world(100, 4, 17);
    made.dataset = "test";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.labels = folder / "labels.txt";
    EXPECT_THAT(message_of([&] { conformal_sets(options); }, ErrorCode::usage),
                HasSubstr("Name the data set of these labels"));
    options.labels = "val=" + (folder / "labels.txt").string();
    const ConformalResult result = conformal_sets(options);
    EXPECT_EQ(result.sets.size(), 6U);
    EXPECT_THAT(result.notes, testing::Contains(HasSubstr("100 of 100 images have some")));
}

TEST(Conformal, EachDataSetHasItsNotes) {
    const Scratch folder;
    Made made = made_world(300, 4, 13);
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    made = made_world(900, 4, 14);
    made.dataset = "test";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    const Report report = report_of(conformal_sets(options_for(folder)));
    const Table& table = std::get<Table>(report.sections[0].blocks[0]);
    ASSERT_EQ(table.notes.size(), 5U);
    EXPECT_THAT(table.notes[4], HasSubstr("1 - its probability is at most the threshold"));
    EXPECT_THAT(table.notes[0], testing::StartsWith("test: calibrated on"));
    EXPECT_THAT(table.notes[1], testing::StartsWith("val: calibrated on"));
    EXPECT_THAT(table.notes[2], testing::StartsWith("test: with "));
    EXPECT_THAT(table.notes[3], testing::StartsWith("val: with "));
}

TEST(Conformal, CopiesOfAModelAreLeftOut) {
    const Scratch folder;
    const Made made = made_world(300, 4, 15);
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    save(folder, made, "net@pgd-linf-8_255", StorageFormat::full_f32, 4000);
    const ConformalResult result = conformal_sets(options_for(folder));
    EXPECT_EQ(result.sets.size(), 3U);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_THAT(result.notes[0], HasSubstr("net@pgd-linf-8_255"));
}

TEST(Conformal, RefusesWhatItCannotUse) {
    const Scratch folder;
    save(folder, made_world(50, 5, 8), "kept", StorageFormat::top_k);
    EXPECT_THAT(message_of([&] { conformal_sets(options_for(folder)); }),
                HasSubstr("--storage full"));
    Made sums = made_world(50, 5, 8);
    sums.kind = ScoreKind::probabilities;
    for (float& score : sums.scores) score = .5F;
    save(folder, sums, "sums", StorageFormat::full_f32, 100, false, "sums");
    ConformalOptions options;
    options.stores = {folder / "sums"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }), HasSubstr("sum to 2.5"));
    Made bare = made_world(50, 5, 8);
    for (auto& labels : bare.labels) labels.clear();
    save(folder, bare, "bare", StorageFormat::full_f32, 100, false, "bare");
    options.stores = {folder / "bare"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }), HasSubstr("--labels FILE"));
    options.method = SetMethod::lac;
    options.lambda = .5;
    EXPECT_THAT(message_of([&] { conformal_sets(options); }, ErrorCode::usage),
                HasSubstr("raps alone"));
    options = {};
    options.stores = {folder / "bare"};
    options.method = SetMethod::lac;
    options.deterministic = true;
    EXPECT_THAT(message_of([&] { conformal_sets(options); }, ErrorCode::usage),
                HasSubstr("lac has no randomness"));
}

TEST(Conformal, AStoreThatCannotBeUsedIsAWarningAndTheFileHasTheOthers) {
    const Scratch folder;
    Made made = made_world(80, 4, 19);
    for (const char* model : {"a", "c", "d"})
        save(folder, made, model, StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.max_error = .9;
    options.sets = folder / "three.csv";
    const ConformalResult three = conformal_sets(options);
    EXPECT_FALSE(report_of(three).partial);
    // The last row alone is refused, when others were already read.
    made.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < made.scores.size(); ++i)
        made.scores[i] = i + 4 < made.scores.size() ? .25F : .5F;
    save(folder, made, "b", StorageFormat::full_f32, 4000);
    save(folder, made, "e", StorageFormat::full_f32, 4000);
    options.sets = folder / "five.csv";
    const ConformalResult five = conformal_sets(options);
    EXPECT_EQ(read_text(folder / "five.csv"), read_text(folder / "three.csv"));
    EXPECT_EQ(five.sets.size(), 9U);
    EXPECT_THAT(five.warnings, testing::ElementsAre(HasSubstr("val/b` is not used: the prob"),
                                                    HasSubstr("val/e` is not used: the prob")));
    EXPECT_EQ(five.refused, 2U);
    EXPECT_TRUE(report_of(five).partial);
    // So does a damaged store, also with a file of labels.
    std::filesystem::create_directories(folder / "runs/val/damaged");
    std::ofstream(folder / "runs/val/damaged/manifest.json") << "{";
    options.sets = folder / "six.csv";
    const ConformalResult six = conformal_sets(options);
    EXPECT_EQ(read_text(folder / "six.csv"), read_text(folder / "three.csv"));
    EXPECT_EQ(six.refused, 3U);
    EXPECT_THAT(six.warnings, testing::Contains(HasSubstr("val/damaged` is not used: ")));
    options.sets = folder / "five.csv";
    // Without a store that can be used, the file is not changed.
    options.stores = {folder / "runs/val/b", folder / "runs/val/e"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }),
                testing::AllOf(HasSubstr("sum to 2"), HasSubstr("val/b: the prob")));
    EXPECT_EQ(read_text(folder / "five.csv"), read_text(folder / "three.csv"));
}

TEST(Conformal, TheCsvHasTheAbstention) {
    const Scratch folder;
    Made made = made_world(900, 4, 20);
    save(folder, made, "a", StorageFormat::full_f32, 4000);
    // It is wrong for most images.
    std::rotate(made.scores.begin(), made.scores.begin() + 40, made.scores.end());
    save(folder, made, "b", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    const auto has = [](const Table& table, std::string_view name) {
        return std::ranges::any_of(table.columns,
                                   [&](const Column& column) { return column.name == name; });
    };
    EXPECT_FALSE(has(report_of(conformal_sets(options)).records, "max_error"));
    options.max_error = .5;
    const ConformalResult result = conformal_sets(options);
    const Table records = report_of(result).records;
    ASSERT_EQ(records.rows.size(), 6U);
    for (const char* name : {"max_error", "answered_above", "answered", "error"})
        EXPECT_TRUE(has(records, name)) << name;
    for (std::size_t row = 0; row < 6; ++row) {
        const Abstention& own = result.abstentions[row / 3];
        EXPECT_EQ(own.model, row < 3 ? "a" : "b");
        EXPECT_EQ(std::get<Estimate>(records.rows[row].back()).value, own.error.value);
    }
    EXPECT_NE(result.abstentions[0].error.value, result.abstentions[1].error.value);
}

TEST(Conformal, ImagesWithoutScoresAreSkippedAndSaid) {
    const Scratch folder;
    Made made = made_world(100, 4, 9);
    made.states.assign(100, RowState::ok);
    made.states[7] = RowState::not_finite;
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    const ConformalResult result = conformal_sets(options_for(folder));
    EXPECT_EQ(result.sets[0].calibration + result.sets[0].coverage.n, 99U);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_THAT(result.notes[0], HasSubstr("net on val: 1 image without scores"));
    EXPECT_TRUE(report_of(result).partial);
    // The same error occurs if they would calibrate the sets of other stores.
    made = made_world(80, 4, 10);
    made.dataset = "test";
    for (std::size_t i = 0; i < made.rows(); ++i) made.ids.push_back(fmt::format("t{}", i));
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    ConformalOptions options = options_for(folder);
    options.calibrate_on = "val";
    const ConformalResult apart = conformal_sets(options);
    EXPECT_EQ(apart.sets[0].calibration, 99U);
    EXPECT_EQ(apart.not_scored, 1U);
    // The error occurs once, also if they would calibrate the sets of two data sets.
    made.dataset = "more";
    for (std::string& id : made.ids) id += "b";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    EXPECT_EQ(conformal_sets(options).not_scored, 1U);
    EXPECT_THAT(apart.notes, testing::ElementsAre(HasSubstr("net on val: 1 image")));
    for (auto& labels : made.labels) labels.clear();
    made.dataset = "bare";
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    options.calibrate_on = "bare";
    options.stores = {folder / "runs/val"};
    EXPECT_THAT(message_of([&] { conformal_sets(options); }),
                HasSubstr("runs/bare/net: none of its images"));
}

TEST(Abstention, TheErrorStaysBelowTheBound) {
    // A prediction with confidence c is correct with probability c, so above .7 the mean error is
    // .15.
    int broken = 0, found = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        RandomStream random(seed, "abstention");
        std::vector<JudgedImage> images(2000);
        for (JudgedImage& one : images) {
            one.confidence = random.uniform();
            one.correct = random.uniform() < one.confidence;
        }
        const auto threshold = safe_threshold(images, .15, .95);
        if (!threshold) continue;
        ++found;
        broken += (1 - std::max(*threshold, 0.0)) / 2 > .15 ? 1 : 0;
    }
    EXPECT_GT(found, 150);
    // At most 5 % are allowed. 33 is three standard errors more.
    EXPECT_LE(broken, 33);
    const std::vector<JudgedImage> right(300, {.5, true});
    EXPECT_EQ(safe_threshold(right, .05, .95), -1);
    EXPECT_FALSE(safe_threshold(std::vector<JudgedImage>(300, {.5, false}), .5, .95));
    EXPECT_FALSE(safe_threshold(std::vector<JudgedImage>(3, {.5, true}), .05, .95));
}

}  // namespace
}  // namespace assay::decisions
