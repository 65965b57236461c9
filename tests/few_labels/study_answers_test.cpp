// Studies with interim looks, recall by class, and gold questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/statistics.h"
#include "message_of.h"
#include "study_pool.h"

namespace assay::few_labels {
namespace {

using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(FewLabelsStudy, CountsLooksAndWarnsOfMoreThanTwo) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 100));
    const std::vector<std::string> items = drawn_items(study);
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    const auto shown = [&](std::size_t stratum_gap) {
        // The last images of the last stratum have no label yet.
        std::vector<std::string> some = items;
        some.resize(items.size() - stratum_gap);
        write_labels(folder / "labels.csv", some);
        return estimate_pool(study, options);
    };
    const auto warnings = [](const PoolEstimate& one) {
        return std::ranges::count_if(one.warnings, [](const std::string& text) {
            return text.find("results were seen at") != std::string::npos;
        });
    };
    EXPECT_EQ(shown(3).looks, 1U);
    EXPECT_EQ(shown(3).looks, 1U);  // the labels are the same
    const PoolEstimate second = shown(2);
    EXPECT_EQ(second.looks, 2U);
    EXPECT_EQ(warnings(second), 0);
    options.stop_at = 0.02;
    EXPECT_EQ(shown(1).looks, 2U);
    options.stop_at = 0;
    const PoolEstimate third = shown(1);
    EXPECT_EQ(third.looks, 3U);
    EXPECT_EQ(warnings(third), 1);
    EXPECT_THAT(third.warnings.back(), HasSubstr("--peek 100"));
    // Another round keeps the record, and wider intervals need no warning.
    DrawOptions more;
    more.draw = 110;
    draw_sample(study, more);
    options.peek = 200;
    const PoolEstimate wide = shown(0);
    EXPECT_EQ(wide.looks, 3U);
    EXPECT_EQ(warnings(wide), 0);
    options.peek = 300;
    EXPECT_THAT(shown(0).warnings,
                testing::Contains(HasSubstr("--peek 300: the first look had --peek 200")));
    // A study of the first version has no looks.
    json old = json::parse(read_text(design_file(study)));
    old["schema"] = "assay.estimate_study/1";
    old.erase("looks");
    for (const char* name :
         {"planned", "settled", "settled_hash", "founders", "joined", "join_times"})
        old.erase(name);
    write_file_atomically(design_file(study), old.dump());
    options.peek = 0;
    EXPECT_EQ(shown(0).looks, 1U);
}

TEST(FewLabelsStudy, RecallByClassNeedsAnswersThatNameItAndPrecisionDoesNot) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, images));
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    options.per_class = true;
    const PoolEstimate found = estimate_pool(study, options);
    ASSERT_EQ(found.classes.size(), 15U);
    EXPECT_EQ(found.classes[0].cls, "c0");
    double mean = 0;
    for (std::size_t c = 0; c < 5; ++c) {
        const EstimatedClass& one = found.classes[3 * c];
        EXPECT_EQ(one.classifier, "a");
        EXPECT_EQ(one.labels, images / 5);
        EXPECT_EQ(half_width(one.recall), 0);
        mean += *one.recall.value / 5;
    }
    EXPECT_NEAR(mean, true_accuracy(folder, "a"), 1e-12);
    // Everything is labelled. Over all images, the correct ones are those of the predicted classes.
    double right = 0, predicted = 0;
    for (std::size_t c = 0; c < 5; ++c) {
        const EstimatedClass& one = found.classes[3 * c];
        EXPECT_EQ(one.predicted_labels, one.predicted);
        EXPECT_EQ(half_width(one.precision), 0);
        predicted += static_cast<double>(*one.predicted);
        right += *one.precision.value * static_cast<double>(*one.predicted);
    }
    EXPECT_EQ(predicted, images);
    EXPECT_NEAR(right / images, true_accuracy(folder, "a"), 1e-12);
    options.simultaneous = true;
    // Three accuracies, fifteen recalls and as many precisions, and three differences.
    EXPECT_NEAR(estimate_pool(study, options).quantile, normal_quantile(1 - 0.025 / 36), 1e-9);
    // Votes of yes and no do not name the class.
    {
        std::ofstream votes(folder / "votes.csv");
        votes << "item,label,annotator,answer\n";
        const std::string text = read_text(questions_file(study, 1));
        CsvReader csv(text, "questions");
        while (csv.next()) {
            const std::string item(csv[csv.column({"item"})]), label(csv[csv.column({"label"})]);
            const bool yes = label == fmt::format("c{}", truth_of(item));
            votes << fmt::format("{},{},p,{}\n", item, label, yes ? "yes" : "no");
        }
    }
    EstimateOptions by_votes;
    by_votes.answers = {folder / "votes.csv"};
    by_votes.per_class = true;
    const PoolEstimate voted = estimate_pool(study, by_votes);
    EXPECT_THAT(voted.notes, testing::Contains(HasSubstr("the class of 900 labelled images")));
    ASSERT_EQ(voted.classes.size(), 15U);
    for (std::size_t i = 0; i < 15; ++i) {
        EXPECT_FALSE(voted.classes[i].recall.value);
        EXPECT_FALSE(voted.classes[i].labels);
        EXPECT_THAT(voted.classes[i].recall.undefined, HasSubstr("do not name the class"));
        EXPECT_EQ(*voted.classes[i].precision.value, *found.classes[i].precision.value);
    }
    EXPECT_EQ(std::get<Table>(report_of(voted).sections[0].blocks.back()).title,
              "Precision by class");
}

TEST(FewLabelsStudy, PrecisionNeedsTenLabelsOfAPrediction) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, 60));
    write_labels(folder / "labels.csv", drawn_items(study));
    EstimateOptions options;
    options.labels = {folder / "labels.csv"};
    options.per_class = true;
    const PoolEstimate found = estimate_pool(study, options);
    std::map<std::string, std::uint64_t> labels;
    std::size_t some = 0;
    for (const EstimatedClass& one : found.classes) {
        labels[one.classifier] += one.predicted_labels;
        EXPECT_EQ(one.precision.value.has_value(), one.predicted_labels >= 10);
        EXPECT_EQ(one.predicted.has_value(), one.predicted_labels >= 10);
        if (!one.precision.value) {
            EXPECT_THAT(one.precision.undefined, HasSubstr("at least 10 are needed"));
            continue;
        }
        ++some;
        EXPECT_GT(half_width(one.precision), 0);
        EXPECT_LE(one.precision.interval->low, *one.precision.value);
        EXPECT_GE(one.precision.interval->high, *one.precision.value);
    }
    EXPECT_GT(some, 0U);
    EXPECT_LT(some, found.classes.size());
    const auto missing = std::ranges::count_if(found.classes, [](const EstimatedClass& one) {
        return !one.precision.value && !one.recall.value;
    });
    EXPECT_GT(missing, 0);
    EXPECT_THAT(
        std::get<Table>(report_of(found).sections[0].blocks.back()).notes,
        testing::Contains(HasSubstr(fmt::format("{} of {} pairs of a class and a classifier have "
                                                "too few labels",
                                                missing, found.classes.size()))));
    for (const auto& [name, count] : labels) EXPECT_EQ(count, 60U) << name;
}

TEST(FewLabelsStudy, GoldCorrectsTheErrorsOfAnnotators) {
    const Scratch folder;
    save_pool(folder);
    const fs::path study = folder / "study";
    draw_sample(study, options_of(folder, images));
    // One person errs in a tenth of the answers of either kind, in all strata.
    const std::string text = read_text(questions_file(study, 1));
    std::size_t number[2] = {0, 0};
    {
        std::ofstream votes(folder / "votes.csv"), gold(folder / "gold.csv");
        votes << "item,label,annotator,answer\n";
        gold << "image,label,answer\n";
        CsvReader csv(text, "questions");
        while (csv.next()) {
            const std::string item(csv[csv.column({"item"})]), label(csv[csv.column({"label"})]);
            const bool yes = label == fmt::format("c{}", truth_of(item));
            const bool wrong = ++number[yes ? 1 : 0] % 10 == 0;
            votes << fmt::format("{},{},p,{}\n", item, label, yes != wrong ? "yes" : "no");
            if (number[yes ? 1 : 0] <= 100)
                gold << fmt::format("{},{},{}\n", item, label, yes ? "yes" : "no");
        }
    }
    EstimateOptions options;
    options.answers = {folder / "votes.csv"};
    options.gold = folder / "gold.csv";
    options.by = "group";
    const PoolEstimate found = estimate_pool(study, options);
    EXPECT_NEAR(*found.sensitivity->value, 90.5 / 101, 1e-12);
    EXPECT_EQ(found.specificity->n, 100U);
    EXPECT_EQ(found.answers_ignored, 0U);
    const double gain = *found.sensitivity->value + *found.specificity->value - 1;
    for (const EstimatedClassifier& one : found.classifiers) {
        const double truth = true_accuracy(folder, one.classifier.c_str());
        EXPECT_GT(std::abs(*one.accuracy.value - truth), 0.02) << one.classifier;
        EXPECT_NEAR(*one.corrected->value,
                    (*one.accuracy.value + *found.specificity->value - 1) / gain, 1e-12)
            << one.classifier;
        EXPECT_LT(one.corrected->interval->low, truth);
        EXPECT_GT(one.corrected->interval->high, truth);
    }
    EXPECT_NEAR(*found.pairs[0].corrected->value, *found.pairs[0].difference.value / gain, 1e-12);
    EXPECT_TRUE(found.groups[0].corrected);
    options.gold = folder / "few.csv";
    write_file_atomically(options.gold, "image,label,answer\nitem00000,c0,yes\n");
    EXPECT_THAT(message_of([&] { estimate_pool(study, options); }), HasSubstr("at least 30 are"));
    for (const auto& [row, problem] :
         {std::pair{"nothing,c0,yes", "line 2: `nothing` is no image of `val`"},
          std::pair{"item00000,zebra,yes", "line 2: `zebra` is not a class"},
          std::pair{"item00000,c0,maybe", "allowed: yes, no"},
          std::pair{"item00000,c0,yes\nitem00000,c0,no", "line 3: `no` contradicts line 2"}}) {
        write_file_atomically(options.gold, fmt::format("image,label,answer\n{}\n", row));
        EXPECT_THAT(message_of([&] { estimate_pool(study, options); }), HasSubstr(problem));
    }
    options.answers.clear();
    write_labels(folder / "labels.csv", drawn_items(study));
    options.labels = {folder / "labels.csv"};
    EXPECT_THAT(message_of([&] { estimate_pool(study, options); }, ErrorCode::usage),
                HasSubstr("it corrects the errors of annotators"));
}

}  // namespace
}  // namespace assay::few_labels
