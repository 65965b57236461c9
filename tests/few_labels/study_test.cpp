// Studies: the drawn images, the estimates from answers, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "assay/error.h"
#include "assay/few_labels/drift.h"
#include "few_labels/change.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "message_of.h"
#include "study_pool.h"

namespace assay::few_labels {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(FewLabelsStudy, DrawsMoreAndKeepsWhatWasDrawn) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    const DrawnSample first = draw_sample(study, options_of(folder, 60));
    EXPECT_EQ(first.images, images);
    EXPECT_EQ(first.drawn, 60U);
    const std::vector<std::string> before = drawn_items(study);
    const std::string questions = read_text(questions_file(study, 1));
    DrawOptions more;
    more.draw = 150;
    const DrawnSample second = draw_sample(study, more);
    EXPECT_EQ(second.added, 90U);
    const std::vector<std::string> after = drawn_items(study);
    EXPECT_EQ(after.size(), 150U);
    EXPECT_EQ(std::set(after.begin(), after.end()).size(), 150U);
    EXPECT_THAT(after, testing::IsSupersetOf(before));
    EXPECT_EQ(read_text(questions_file(study, 1)), questions);
    // The second file only asks about the new images.
    const std::string text = read_text(questions_file(study, 2));
    CsvReader csv(text, "questions");
    while (csv.next())
        EXPECT_THAT(before,
                    testing::Not(testing::Contains(std::string(csv[csv.column({"item"})]))));
    const std::string design = read_text(design_file(study));
    EXPECT_EQ(draw_sample(study, more).added, 0U);
    EXPECT_EQ(read_text(design_file(study)), design);
    more.draw = 100;
    EXPECT_THAT(message_of([&] { draw_sample(study, more); }, ErrorCode::usage),
                HasSubstr("150 images of"));
}

TEST(FewLabelsStudy, ThreadsAndTheOrderOfClassifiersChangeNothing) {
    const Scratch folder;
    save_pool(folder, 9000);
    std::vector<std::string> found;
    for (const int threads : {1, 2, 5}) {
        DrawOptions options = options_of(folder, 120);
        options.threads = threads;
        const fs::path study = folder / fmt::format("study{}", threads);
        draw_sample(study, options);
        found.push_back(read_text(sample_file(study)));
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
    DrawOptions turned = options_of(folder, 120);
    turned.stores = {folder / "runs/val/c", folder / "runs/val/a", folder / "runs/val/b"};
    draw_sample(folder / "turned", turned);
    EXPECT_EQ(read_text(sample_file(folder / "turned")), found[0]);
}

TEST(FewLabelsStudy, AHistogramOfTheConsensusCutsNearlyTheSame) {
    const Scratch folder;
    save_pool(folder, 9000);
    std::vector<PredictionStore> stores;
    for (const char* name : {"a", "b", "c"})
        stores.push_back(PredictionStore::open(folder / "runs/val" / name));
    const Pool pool(std::move(stores));
    const Strata sorted(pool, Purpose::both, 8, 1, {}), binned(pool, Purpose::both, 8, 1, {}, 100);
    ASSERT_EQ(sorted.size(), binned.size());
    std::uint64_t all = 0;
    for (std::size_t h = 0; h < sorted.size(); ++h) {
        EXPECT_NEAR(static_cast<double>(sorted.images()[h]),
                    static_cast<double>(binned.images()[h]), 5);
        EXPECT_NEAR(sorted.totals()[h], binned.totals()[h], 5);
        all += binned.images()[h];
    }
    EXPECT_EQ(all, pool.rows());
    std::vector<std::uint64_t> counted(binned.size(), 0);
    pool.for_each_round(2, {}, "", [&](std::uint64_t first, std::span<const ImageFacts> facts) {
        for (std::size_t i = 0; i < facts.size(); ++i) ++counted[binned.of(first + i, facts[i])];
    });
    EXPECT_EQ(counted, binned.images());
}

TEST(FewLabelsStudy, ACensusIsTheTruth) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, images));
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    options.by = "group";
    const PoolEstimate found = estimate_pool(study, options);
    ASSERT_EQ(found.classifiers.size(), 3U);
    for (const EstimatedClassifier& one : found.classifiers) {
        EXPECT_NEAR(*one.accuracy.value, true_accuracy(folder, one.classifier.c_str()), 1e-12);
        EXPECT_NEAR(half_width(one.accuracy), 0, 1e-12);
    }
    EXPECT_NEAR(*found.pairs[0].difference.value,
                true_accuracy(folder, "a") - true_accuracy(folder, "b"), 1e-12);
    ASSERT_EQ(found.groups.size(), 6U);
    double mean = 0;
    for (std::size_t g = 0; g < 2; ++g)
        mean +=
            *found.groups[3 * g].accuracy.value * static_cast<double>(found.groups[3 * g].images);
    EXPECT_NEAR(mean / images, true_accuracy(folder, "a"), 1e-12);
}

TEST(FewLabelsStudy, AnswersBehindAGapAndOfOtherImagesChangeNothing) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 120));
    std::vector<std::string> items = drawn_items(study);
    const auto estimate = [&](const std::vector<std::string>& labelled) {
        write_labels(folder / "labels.csv", labelled);
        EstimateOptions options;
        options.labels = {folder / "labels.csv"};
        return estimate_pool(study, options);
    };
    const PoolEstimate whole = estimate(items);
    EXPECT_EQ(whole.labels, 120U);
    std::vector<std::string> with_other = items;
    for (std::size_t i = 0; with_other.size() == items.size(); ++i)
        if (std::ranges::find(items, fmt::format("item{:05}", i)) == items.end())
            with_other.push_back(fmt::format("item{:05}", i));
    const PoolEstimate other = estimate(with_other);
    EXPECT_EQ(other.answers_ignored, 1U);
    EXPECT_EQ(*other.classifiers[0].accuracy.value, *whole.classifiers[0].accuracy.value);
    // The third image of the first stratum has no answer, so later images of that stratum are not
    // used yet.
    std::vector<std::string> gap = items;
    gap.erase(gap.begin() + 2);
    const PoolEstimate waiting = estimate(gap);
    EXPECT_EQ(waiting.strata[0].labels, 2U);
    EXPECT_EQ(waiting.behind_gap, whole.strata[0].labels - 3);
    std::vector<std::string> short_of(gap.begin(), gap.begin() + 2);
    short_of.insert(short_of.end(),
                    gap.begin() + static_cast<std::ptrdiff_t>(whole.strata[0].labels) - 1,
                    gap.end());
    const PoolEstimate prefix = estimate(short_of);
    EXPECT_EQ(prefix.behind_gap, 0U);
    EXPECT_EQ(prefix.classifiers[0].accuracy.interval, waiting.classifiers[0].accuracy.interval);
}

TEST(FewLabelsStudy, VotesAreSettledByMajority) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 60));
    const std::string text = read_text(questions_file(study, 1));
    std::string first_item;
    {
        std::ofstream votes(folder / "votes.csv");
        votes << "item,label,annotator,answer\n";
        CsvReader csv(text, "questions");
        while (csv.next()) {
            const std::string item(csv[csv.column({"item"})]), label(csv[csv.column({"label"})]);
            if (first_item.empty()) first_item = item;
            const bool right = label == fmt::format("c{}", truth_of(item));
            for (int k = 0; k < 5; ++k) {
                const char* answer = item == first_item && k > 0 ? "maybe"
                                     : (k < 3) == right          ? "yes"
                                                                 : "no";
                votes << fmt::format("{},{},p{},{}\n", item, label, k, answer);
            }
        }
    }
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions by_votes, by_labels;
    by_votes.answers = {folder / "votes.csv"};
    by_labels.labels = {folder / "labels.csv"};
    const PoolEstimate votes = estimate_pool(study, by_votes),
                       labels = estimate_pool(study, by_labels);
    EXPECT_EQ(votes.unjudged, 1U);
    EXPECT_EQ(votes.labels, 59U);
    EXPECT_EQ(labels.labels, 60U);
    // Strata without the unclear image give the same result.
    for (std::size_t h = 1; h < labels.strata.size(); ++h)
        EXPECT_EQ(votes.strata[h].labels, labels.strata[h].labels);
    EXPECT_NEAR(*votes.classifiers[0].accuracy.value, *labels.classifiers[0].accuracy.value, 0.03);
}

TEST(FewLabelsStudy, ChosenClassesCountOverAllFiles) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 60));
    const std::vector<std::string> items = drawn_items(study);
    // Each person has a file. The first person never chooses the class of the two others.
    EstimateOptions by_votes, by_labels;
    for (int person = 0; person < 3; ++person) {
        const fs::path file = folder / fmt::format("p{}.csv", person);
        std::ofstream out(file);
        out << "item,annotator,label\n";
        for (const std::string& item : items) {
            const int truth = truth_of(item);
            out << fmt::format("{},p{},c{}\n", item, person, person == 0 ? (truth + 1) % 5 : truth);
        }
        by_votes.answers.push_back(file);
    }
    write_labels(folder / "labels.csv", items);
    by_labels.labels = {folder / "labels.csv"};
    const PoolEstimate votes = estimate_pool(study, by_votes),
                       labels = estimate_pool(study, by_labels);
    EXPECT_EQ(votes.labels, 60U);
    for (std::size_t m = 0; m < 3; ++m)
        EXPECT_EQ(votes.classifiers[m].accuracy.interval, labels.classifiers[m].accuracy.interval);
}

TEST(FewLabelsStudy, StopsAndLooks) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 100));
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    const PoolEstimate plain = estimate_pool(study, options);
    EXPECT_NEAR(plain.quantile, 1.959964, 1e-6);
    options.stop_at = 0.02;
    const PoolEstimate more = estimate_pool(study, options);
    EXPECT_FALSE(more.precise_enough);
    ASSERT_TRUE(more.labels_needed);
    EXPECT_LE(100 + *more.labels_needed, images);
    options.stop_at = 0.3;
    EXPECT_TRUE(estimate_pool(study, options).precise_enough);
    options = {};
    options.labels = {folder / "labels.csv"};
    options.peek = 100;
    const PoolEstimate peeked = estimate_pool(study, options);
    EXPECT_NEAR(peeked.quantile, 3.04, 0.01);
    EXPECT_GT(half_width(peeked.classifiers[0].accuracy),
              half_width(plain.classifiers[0].accuracy));
    options.peek = 10'000;  // the value is far above 8.3, beyond which a probability rounds to 1
    EXPECT_GT(estimate_pool(study, options).quantile, 8.3);
    options.peek = 0;
    options.simultaneous = true;
    EXPECT_NEAR(estimate_pool(study, options).quantile, 2.6383, 1e-4);  // the level is .05 / 6
}

TEST(FewLabelsDrift, TheChangeIsThatOfTwoIndependentSamples) {
    Estimate before, now;
    before.value = 0.8;
    before.interval = Interval{0.76, 0.83, 0.95, ""};
    now.value = 0.7;
    now.interval = Interval{0.65, 0.76, 0.95, ""};
    const Estimate whole = change_of(before, 1'000'000'000, now, 1'000'000'000, 1.96, 0.95);
    EXPECT_NEAR(*whole.value, -0.1, 1e-12);
    EXPECT_NEAR(whole.interval->low, -0.1 - std::hypot(0.05, 0.03), 1e-6);
    EXPECT_NEAR(whole.interval->high, -0.1 + std::hypot(0.06, 0.04), 1e-6);
    // If all images of two pools have labels, the result is a difference of two proportions.
    before.interval = Interval{0.8, 0.8, 0.95, ""};
    now.interval = Interval{0.7, 0.7, 0.95, ""};
    const Estimate census = change_of(before, 400, now, 100, 1.96, 0.95);
    EXPECT_NEAR(half_width(census), 1.96 * std::sqrt(0.8 * 0.2 / 400 + 0.7 * 0.3 / 100), 2e-3);
    EXPECT_NEAR(shared_level(0.95, 10), 0.995, 1e-12);
    now.value.reset();
    now.undefined = "no labels";
    EXPECT_EQ(change_of(before, 400, now, 100, 1.96, 0.95).undefined, "no labels");
}

TEST(FewLabelsDrift, SignsWithoutLabelsAndAlarmsWithThem) {
    const Scratch folder;
    save_pool(folder);
    draw_sample(folder / "old", options_of(folder, 300));
    // In the new pool, the first classifier is as poor as the third.
    const Scratch other;
    for (const auto& [name, seed, skill] :
         {std::tuple{"a", 11, 0.5}, std::tuple{"b", 12, 2.0}, std::tuple{"c", 13, 0.5}})
        save(other, made_up(images, 5, static_cast<std::uint64_t>(seed), skill), name);
    draw_sample(other / "new", options_of(other, 300));
    const PoolDrift signs = estimate_drift(folder / "old", other / "new", {});
    EXPECT_TRUE(signs.classifiers.empty());
    ASSERT_EQ(signs.signs.size(), 5U);
    EXPECT_EQ(signs.signs[0].sign, "agreement");
    EXPECT_LT(signs.signs[0].p, 1e-3);
    EXPECT_EQ(signs.signs[3].classifier, "b");
    EXPECT_GT(signs.signs[3].p, 0.01);
    EXPECT_FALSE(signs.alarm);

    write_labels(folder / "old.csv", drawn_items(folder / "old"));
    write_labels(folder / "new.csv", drawn_items(other / "new"));
    DriftOptions options;
    options.old_labels = {folder / "old.csv"};
    EXPECT_THAT(message_of([&] { estimate_drift(folder / "old", other / "new", options); },
                           ErrorCode::usage),
                HasSubstr("alone say nothing of a change"));
    options.labels = {folder / "new.csv"};
    options.pools = 12;
    const PoolDrift found = estimate_drift(folder / "old", other / "new", options);
    EXPECT_NEAR(found.change_level, 1 - 0.05 / 36, 1e-12);
    ASSERT_EQ(found.classifiers.size(), 3U);
    EXPECT_TRUE(found.classifiers[0].alarm);
    EXPECT_LT(*found.classifiers[0].change.value, -0.2);
    EXPECT_FALSE(found.classifiers[1].alarm);
    EXPECT_FALSE(found.classifiers[2].alarm);
}

TEST(FewLabelsStudy, WhatIsRefusedNamesWhatIsAllowed) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    DrawOptions none;
    none.draw = 50;
    EXPECT_THAT(message_of([&] { draw_sample(study, none); }, ErrorCode::usage),
                HasSubstr("name the predictions: assay estimate select"));
    EXPECT_THAT(message_of([&] { draw_sample(study, options_of(folder, 901)); }, ErrorCode::usage),
                HasSubstr("--draw 901: the pool has 900 images"));
    EXPECT_FALSE(fs::exists(study));
    draw_sample(study, options_of(folder, 50));
    DrawOptions other = options_of(folder, 60);
    other.seed = 5;
    EXPECT_THAT(message_of([&] { draw_sample(study, other); }, ErrorCode::usage),
                HasSubstr("was begun with another --seed"));
    EXPECT_THAT(message_of([&] { estimate_pool(study, {}); }, ErrorCode::usage),
                HasSubstr("--answers VOTES"));
    EXPECT_THAT(message_of([&] { estimate_pool(folder / "runs", {}); }), HasSubstr("no study"));
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    options.by = "camera";
    EXPECT_THAT(message_of([&] { estimate_pool(study, options); }, ErrorCode::usage),
                HasSubstr("no such attribute; it has group"));
    save(folder, made_up(images, 5, 9), "short", StorageFormat::full_f32, 100, true);
    EXPECT_THAT(message_of([&] { draw_sample(folder / "s2", options_of(folder, 50)); }),
                HasSubstr("1 of its 9 shards are missing"));
    // The study is damaged.
    const std::string design = read_text(design_file(study));
    for (const char* bad : {"", "{", "[]", "{\"schema\": \"assay.estimate_study/9\"}"}) {
        write_file_atomically(design_file(study), bad);
        EXPECT_THAT(message_of([&] { estimate_pool(study, options); }), HasSubstr("estimate.json"));
    }
    std::string cut = design;
    cut.replace(cut.find("\"images\": 900"), 13, "\"images\": 10");
    write_file_atomically(design_file(study), cut);
    EXPECT_THAT(message_of([&] { estimate_pool(study, options); }), HasSubstr("contradict"));
}

}  // namespace
}  // namespace assay::few_labels
