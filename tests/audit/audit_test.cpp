// Which labels the audit finds, how answers correct them, and what is refused.
#include "assay/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "../evaluate/saved_scores.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "core/file.h"
#include "message_of.h"

namespace assay::audit {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::size_t images = 400, classes = 5;
/// Every fortieth label is wrong: 10 of 400.
bool is_planted(std::size_t row) {
    return row % 40 == 7;
}
std::int32_t wrong_class(std::int32_t truth) {
    return (truth + 2) % static_cast<std::int32_t>(classes);
}

Made planted(std::uint64_t seed, double skill) {
    Made made = made_up(images, classes, seed, skill);
    for (std::size_t i = 0; i < images; ++i)
        if (is_planted(i)) made.labels[i][0] = wrong_class(made.labels[i][0]);
    return made;
}

AuditOptions options_of(const Scratch& folder) {
    AuditOptions options;
    options.stores = {folder / "runs"};
    return options;
}

std::size_t row_of(const std::string& item) {
    return std::stoul(item.substr(4));
}

TEST(Audit, FindsThePlantedErrors) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    save(folder, planted(2, 6), "b");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_EQ(audit.images, images);
    ASSERT_GE(audit.listed.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
        const SuspectLabel& one = audit.listed[i];
        EXPECT_TRUE(is_planted(row_of(one.item))) << one.item;
        EXPECT_EQ(one.suggested, fmt::format("c{}", row_of(one.item) * classes / images));
        EXPECT_EQ(one.predict_suggested, 2U);
        EXPECT_EQ(one.voting, 2U);
        EXPECT_NEAR(one.score, std::log(one.given_probability / one.suggested_probability), 1e-9);
    }
    for (std::size_t i = 1; i < audit.listed.size(); ++i)
        EXPECT_LE(audit.listed[i - 1].score, audit.listed[i].score);
    EXPECT_FALSE(audit.wrong_labels.value);
    EXPECT_THAT(audit.wrong_labels.undefined, HasSubstr("hard image"));
}

// One model and two classes, computed by hand. Every image has the logits (0, 2), and all labels
// but one are 1. With many images whose label is likely, the temperature only scales, and the score
// is ln(q0 / q1) with q = .98 softmax + .01.
TEST(Audit, ScoreIsTheLogRatioWithAPartOfChance) {
    const Scratch folder;
    Made made;
    made.classes = 2;
    for (std::size_t i = 0; i < 60; ++i) {
        made.labels.push_back({i == 0 ? 0 : 1});
        made.scores.push_back(0);
        made.scores.push_back(2);
    }
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.listed.size(), 1U);
    const double sharpness = 1 / audit.models[0].temperature;
    const double p = 1 / (1 + std::exp(2 * sharpness));
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + .01) / (.98 * (1 - p) + .01)), 1e-9);
    EXPECT_EQ(audit.models[0].weight, 1);
}

TEST(Audit, AModelThatLearnedTheLabelsDoesNotVote) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    save(folder, planted(2, 6), "b");
    Made learned = planted(3, 4);
    for (std::size_t i = 0; i < images; ++i)
        learned.scores[i * classes + static_cast<std::size_t>(learned.labels[i][0])] += 20;
    save(folder, learned, "learned");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.models.size(), 3U);
    EXPECT_EQ(audit.models[2].weight, 0);
    EXPECT_GE(audit.models[2].opposed, 8U);
    EXPECT_EQ(audit.models[2].repeated, audit.models[2].opposed);
    EXPECT_NEAR(audit.models[0].weight + audit.models[1].weight, 1, 1e-12);
    ASSERT_FALSE(audit.warnings.empty());
    EXPECT_THAT(audit.warnings[0], HasSubstr("learned does not vote"));
    for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(is_planted(row_of(audit.listed[i].item)));
}

// The second model is often unsure, but it errs together with the first one at most as often as
// the first one errs.
TEST(Audit, AnUnsureModelHidesNoOneThatLearnedTheLabels) {
    const Scratch folder;
    constexpr std::size_t rows = 800;
    const auto wrong = [](Made made) {
        for (std::size_t i = 0; i < rows; ++i)
            if (is_planted(i)) made.labels[i][0] = wrong_class(made.labels[i][0]);
        return made;
    };
    save(folder, wrong(made_up(rows, classes, 1, 7)), "a");
    save(folder, wrong(made_up(rows, classes, 2, 3)), "b");
    Made learned = wrong(made_up(rows, classes, 3, 4));
    for (std::size_t i = 0; i < rows; ++i)
        learned.scores[i * classes + static_cast<std::size_t>(learned.labels[i][0])] += 20;
    save(folder, learned, "learned");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.models[0].weight, 0);
    EXPECT_GT(audit.models[1].weight, 0);
    EXPECT_EQ(audit.models[2].weight, 0);
    EXPECT_LT(audit.models[2].expected, 3);  // the unsure model alone would find more than 4
}

TEST(Audit, ThreadsChangeNothing) {
    const Scratch folder;
    save(folder, planted(1, 3), "a");
    save(folder, planted(2, 2), "b");
    AuditOptions options = options_of(folder);
    options.threads = 1;
    const auto one = audit_labels(options);
    options.threads = 3;
    const auto three = audit_labels(options);
    ASSERT_EQ(one.listed.size(), three.listed.size());
    for (std::size_t i = 0; i < one.listed.size(); ++i) {
        EXPECT_EQ(one.listed[i].item, three.listed[i].item);
        EXPECT_EQ(one.listed[i].score, three.listed[i].score);
    }
    EXPECT_EQ(one.models[0].temperature, three.models[0].temperature);
}

TEST(Audit, QuestionsAnswersAndCorrectedLabels) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    save(folder, planted(2, 6), "b");
    AuditOptions options = options_of(folder);
    options.top = 10;
    options.questions = folder / "questions.csv";
    LabelAudit audit = audit_labels(options);
    ASSERT_EQ(audit.listed.size(), 10U);
    EXPECT_THAT(read_text(folder / "questions.csv"),
                HasSubstr(audit.listed[0].item + "," + audit.listed[0].item + "," +
                          audit.listed[0].suggested));

    // By the answers of two people, eight labels are corrected, one is wrong without a new class,
    // and one stays.
    std::ofstream votes(folder / "votes.csv");
    votes << "item,label,annotator,answer\n";
    for (std::size_t i = 0; i < 10; ++i) {
        const SuspectLabel& one = audit.listed[i];
        for (const char* person : {"ann", "bob"}) {
            votes << one.item << ',' << one.given << ',' << person << ',' << (i == 9 ? "yes" : "no")
                  << '\n';
            votes << one.item << ',' << one.suggested << ',' << person << ','
                  << (i < 8 ? "yes" : "no") << '\n';
        }
    }
    votes.close();
    options.questions.clear();
    options.confirm = {folder / "votes.csv"};
    options.save_labels = folder / "corrected.csv";
    audit = audit_labels(options);
    EXPECT_EQ(audit.checked, 10U);
    EXPECT_EQ(audit.confirmed_wrong, 9U);
    EXPECT_EQ(audit.corrected, 8U);
    EXPECT_EQ(audit.without_class, 1U);
    EXPECT_EQ(audit.listed[0].answer, "wrong");
    EXPECT_EQ(audit.listed[9].answer, "correct");
    ASSERT_EQ(audit.corrected_models.size(), 2U);
    const CorrectedModel& a = audit.corrected_models[0];
    // For the eight images, both models predict the suggested class, so the accuracy rises by
    // 8 of 399.
    EXPECT_NEAR(*a.change.value, 8. / 399, 1e-12);
    EXPECT_EQ(a.change.n, 399U);
    EXPECT_EQ(a.before.n, 399U);
    ASSERT_TRUE(a.change.interval);
    EXPECT_GT(a.change.interval->low, 0);

    const Dataset dataset = dataset_of(planted(1, 7));
    const LabelSets sets = read_label_sets(folder / "corrected.csv", dataset, dataset.classes);
    for (std::size_t row = 0; row < images; ++row) {
        const auto place = std::ranges::find(audit.listed, dataset.ids[row], &SuspectLabel::item);
        if (place == audit.listed.end() || place - audit.listed.begin() == 9) {
            EXPECT_EQ(sets[row][0], dataset.labels[row][0]);
        } else if (place - audit.listed.begin() == 8) {
            EXPECT_TRUE(sets[row].empty());
        } else {
            EXPECT_EQ(fmt::format("c{}", sets[row][0]), place->suggested);
        }
    }
}

TEST(Audit, LabelFilesConfirm) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    std::ofstream(folder / "true.csv") << "item,label\nitem00007,c0\nitem00008,c0\nother,c1\n";
    AuditOptions options = options_of(folder);
    options.labels = {folder / "true.csv"};
    const LabelAudit audit = audit_labels(options);
    EXPECT_EQ(audit.checked, 2U);
    EXPECT_EQ(audit.confirmed_wrong, 1U);
    EXPECT_EQ(audit.answers_ignored, 1U);
    EXPECT_NEAR(*audit.corrected_models[0].change.value, 1. / 400, 1e-12);
}

// An id with a space, and a class id that is the number of another class.
TEST(Audit, CorrectedLabelsAreReadBackWhateverTheIdsAre) {
    const Scratch folder;
    Made made = made_up(40, 3, 1, 7);
    made.class_ids = {"1", "tabby cat", "dog"};
    save(folder, made, "a");
    std::ofstream(folder / "true.csv") << "item,label\nitem00000,dog\n";
    AuditOptions options = options_of(folder);
    options.labels = {folder / "true.csv"};
    options.save_labels = folder / "corrected.csv";
    audit_labels(options);
    const Dataset dataset = dataset_of(made);
    const LabelSets sets = read_label_sets(options.save_labels, dataset, dataset.classes);
    EXPECT_EQ(sets[0][0], 2);
    for (std::size_t row = 1; row < made.rows(); ++row) {
        ASSERT_EQ(sets[row].size(), 1U);
        EXPECT_EQ(sets[row][0], made.labels[row][0]);
    }
}

TEST(Audit, RanksChangeWithTheLabels) {
    const Scratch folder;
    Made right = made_up(100, 2, 1, 9), repeats = made_up(100, 2, 2, 9);
    for (std::size_t i = 0; i < 3; ++i) {
        right.labels[i][0] = repeats.labels[i][0] = 1;
        repeats.scores[2 * i + 1] = 30;
    }
    save(folder, right, "right");
    save(folder, repeats, "repeats");
    std::ofstream(folder / "true.csv") << "item,label\nitem00000,c0\nitem00001,c0\nitem00002,c0\n";
    AuditOptions options = options_of(folder);
    options.labels = {folder / "true.csv"};
    const LabelAudit audit = audit_labels(options);
    ASSERT_EQ(audit.corrected_models.size(), 2U);
    const auto of = [&](const char* name) {
        return *std::ranges::find(audit.corrected_models, name, &CorrectedModel::model);
    };
    EXPECT_EQ(of("right").rank_before, 2U);
    EXPECT_EQ(of("right").rank_after, 1U);
    EXPECT_EQ(of("repeats").rank_before, 1U);
    EXPECT_EQ(of("repeats").rank_after, 2U);
}

TEST(Audit, ImagesWithoutLabelsOrScoresAreCounted) {
    const Scratch folder;
    Made made = planted(1, 7);
    made.labels[0].clear();
    made.labels[1] = {0, 1};
    made.states.assign(images, RowState::ok);
    made.states[2] = RowState::not_finite;
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_EQ(audit.unlabelled, 2U);
    EXPECT_EQ(audit.left_out, 1U);
    EXPECT_EQ(audit.images, images - 3);
}

TEST(Audit, AllLabelsSuspectIsAWarning) {
    const Scratch folder;
    Made made = made_up(images, classes, 1, 9);
    for (auto& label : made.labels) label[0] = wrong_class(label[0]);
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.suspects, images / 2);
    ASSERT_FALSE(audit.warnings.empty());
    EXPECT_THAT(audit.warnings.back(), HasSubstr("more than half of the labels"));
    EXPECT_TRUE(std::isfinite(audit.listed[0].score));
}

TEST(Audit, AStrongModelVotesThoughTwoWeakOnesErrTogether) {
    const Scratch folder;
    const Made weak = made_up(1000, classes, 1, 1.8);
    Made like = weak;
    const Made noise = made_up(1000, classes, 2, 0);
    for (std::size_t i = 0; i < like.scores.size(); ++i) like.scores[i] += 0.2F * noise.scores[i];
    save(folder, weak, "a");
    save(folder, like, "b");
    save(folder, made_up(1000, classes, 3, 7), "strong");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.models[2].weight, 0.9);
    EXPECT_LT(audit.suspects, 10U);
    EXPECT_THAT(audit.warnings, testing::Contains(HasSubstr("of all labels")));
}

TEST(Audit, ScoresOfAnyScaleGetTheirTemperature) {
    const Scratch folder;
    const Made made = planted(1, 4);
    Made small = made;
    for (float& score : small.scores) score /= 1024;
    save(folder, made, "a");
    save(folder, small, "b");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_NEAR(audit.models[0].temperature / audit.models[1].temperature, 1024, 1e-6);
}

// Each label is the best class, so the likelihood increases as the temperature falls, without a
// limit.
TEST(Audit, LabelsThatAreThePredictionsHaveNoBestTemperature) {
    const Scratch folder;
    Made made = made_up(images, classes, 1, 0);
    for (std::size_t i = 0; i < images; ++i) {
        const float* row = made.scores.data() + i * classes;
        made.labels[i][0] = static_cast<std::int32_t>(std::max_element(row, row + classes) - row);
    }
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_THAT(audit.warnings, testing::Contains(HasSubstr("the sharper they are")));
}

LabelAudit answered(const Scratch& folder, const std::string& votes) {
    std::ofstream(folder / "votes.csv") << votes;
    AuditOptions options = options_of(folder);
    options.confirm = {folder / "votes.csv"};
    options.save_labels = folder / "corrected.csv";
    return audit_labels(options);
}

// Items 0 to 79 have the label c0, except that item 1 has two labels and item 2 none.
TEST(Audit, AnswersChangeOnlyLabelsThatWereJudged) {
    const Scratch folder;
    Made made = planted(1, 7);
    made.labels[1] = {0, 1};
    made.labels[2].clear();
    save(folder, made, "a");
    const LabelAudit audit =
        answered(folder,
                 "item,label,annotator,answer\nitem00000,c3,ann,yes\nitem00001,c0,ann,yes\n"
                 "item00002,c1,ann,yes\nitem00002,tabby,ann,yes\nitem00003,c0,ann,yes\n"
                 "item00003,c0,bob,no\n"
                 "item00004,c0,ann,maybe\nitem00005,c0,ann,yes\nitem00005,c1,ann,yes\n"
                 "item00006,c0,ann,no\nitem00006,c1,ann,yes\n");
    EXPECT_EQ(audit.half_answered, 1U);
    EXPECT_EQ(audit.answers_ignored, 3U);
    EXPECT_EQ(audit.unjudged, 2U);
    EXPECT_EQ(audit.several_classes, 1U);
    EXPECT_EQ(audit.checked, 4U);
    EXPECT_EQ(audit.confirmed_wrong, 1U);
    EXPECT_THAT(read_text(folder / "corrected.csv"),
                HasSubstr("item00000,c0\nitem00001,c0 c1\nitem00002,\nitem00003,c0\nitem00004,c0\n"
                          "item00005,c0 c1\nitem00006,c1\n"));
}

TEST(Audit, AChoiceOfAnotherClassRejectsTheLabel) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    const LabelAudit audit =
        answered(folder,
                 "item,annotator,label\nitem00000,ann,c1\nitem00000,bob,c1\nitem00001,ann,c0\n"
                 "item00001,bob,c0\nitem00003,ann,c0\nitem00003,bob,c1\n");
    EXPECT_EQ(audit.checked, 3U);
    EXPECT_EQ(audit.corrected, 1U);
    EXPECT_EQ(audit.unjudged, 1U);
}

TEST(Audit, ChoicesOfUnknownClassesAreNamed) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    const LabelAudit audit = answered(
        folder, "item,annotator,label\nitem00000,ann,tabby\nitem00001,ann,c0\nitem00001,bob,c0\n");
    EXPECT_EQ(audit.confirmed_wrong, 1U);
    EXPECT_EQ(audit.answers_ignored, 0U);
    EXPECT_THAT(audit.notes, testing::Contains(HasSubstr("does not have: 1; they count as no")));
    EXPECT_THAT(
        message_of([&] { answered(folder, "item,annotator,label\nitem00000,ann,tabby\n"); }),
        HasSubstr("none of its labels (first: `tabby`) is a class"));
}

TEST(Audit, NamesOfOneImageAreOneImage) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    // The same person about one image under two names: the first answer counts.
    const LabelAudit audit = answered(
        folder, "item,label,annotator,answer\nitem00000,c0,ann,no\nval/item00000,c0,ann,yes\n");
    EXPECT_EQ(audit.confirmed_wrong, 1U);
    EXPECT_EQ(audit.unjudged, 0U);
}

TEST(Audit, AnEmptySetRejectsTheLabel) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    std::ofstream(folder / "true.json") << R"({"item00000": [], "item00001": [0]})";
    AuditOptions options = options_of(folder);
    options.labels = {folder / "true.json"};
    const LabelAudit audit = audit_labels(options);
    EXPECT_EQ(audit.checked, 2U);
    EXPECT_EQ(audit.without_class, 1U);
    options.labels.clear();
    options.level = 0.9;
    EXPECT_THAT(message_of([&] { audit_labels(options); }, ErrorCode::usage), HasSubstr("--level"));
}

TEST(Audit, RefusesWhatCannotBeAudited) {
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a", StorageFormat::top_k);
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }),
                    HasSubstr("--storage full"));
    }
    {
        const Scratch folder;
        Made made = planted(1, 7);
        for (auto& label : made.labels) label.clear();
        save(folder, made, "a");
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }),
                    HasSubstr("assay import"));
    }
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a");
        save(folder, made_up(images, classes, 2), "b", StorageFormat::full_f32, 100, false,
             "others");
        AuditOptions options = options_of(folder);
        options.stores.push_back(folder / "others");
        EXPECT_THAT(message_of([&] { audit_labels(options); }), HasSubstr("other labels"));
        options = options_of(folder);
        options.save_labels = folder / "x.csv";
        EXPECT_THAT(message_of([&] { audit_labels(options); }, ErrorCode::usage),
                    HasSubstr("--confirm votes.csv"));
    }
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a");
        std::ofstream(folder / "votes.csv") << "item,label,annotator,answer\nother,c0,ann,no\n";
        AuditOptions options = options_of(folder);
        options.confirm = {folder / "votes.csv"};
        options.save_labels = folder / "x.csv";
        EXPECT_THAT(message_of([&] { audit_labels(options); }),
                    HasSubstr("no answer is about a label of `val`"));
        EXPECT_FALSE(fs::exists(folder / "x.csv"));
    }
    {
        const Scratch folder;
        Made made = made_up(20, 1, 1);
        save(folder, made, "a");
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }), HasSubstr("one class"));
    }
}

}  // namespace
}  // namespace assay::audit
