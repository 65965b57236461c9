// How answers correct labels, and what the corrections change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "core/file.h"
#include "message_of.h"
#include "planted.h"

namespace assay::audit {
namespace {

using testing::HasSubstr;

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

    // With the answers of two people, eight labels are corrected, one is wrong without a new class,
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

// An id contains a space, and a class id that is the number of another class.
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

TEST(Audit, AnswersAboutUnknownClassesAreCountedOnce) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    const LabelAudit audit =
        answered(folder,
                 "item,label,annotator,answer\nitem00003,c0,ann,no\nitem00004,tabby,ann,yes\n"
                 "item00004,tabby,bob,no\n");
    EXPECT_EQ(audit.checked, 1U);
    EXPECT_EQ(audit.answers_ignored, 2U);
    EXPECT_EQ(audit.half_answered, 0U);
    EXPECT_THAT(audit.warnings, testing::Contains(HasSubstr("not used: ")).Times(1));
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
    // The same person about one image under two names. The first answer counts.
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

TEST(Audit, SampleAsksAboutOtherSuspectLabels) {
    const Scratch folder;
    save(folder, planted(1, 2), "a");  // a weak model, which suspects many labels
    AuditOptions options = options_of(folder);
    options.top = 5;
    options.questions = folder / "questions.csv";
    options.sample = 30;
    const LabelAudit audit = audit_labels(options);
    ASSERT_GT(audit.suspects, 40U);
    EXPECT_EQ(audit.sampled, 30U);
    const std::string asked = read_text(options.questions);
    EXPECT_EQ(std::ranges::count(asked, '\n'), 1 + 2 * 35);
    EXPECT_FALSE(audit.wrong_labels.value);
    EXPECT_THAT(audit.wrong_labels.undefined, HasSubstr("--sample 30"));

    // All questions are answered correctly. The last suspect label is among them.
    options.top = audit.suspects;
    options.questions.clear();
    options.sample = 0;
    const LabelAudit all = audit_labels(options);
    EXPECT_THAT(asked, HasSubstr(all.listed.back().item));
    std::ofstream votes(folder / "votes.csv");
    votes << "item,label,annotator,answer\n";
    std::size_t wrong = 0;
    for (const SuspectLabel& one : all.listed) {
        const bool is_wrong = is_planted(std::stoul(one.item.substr(4)));
        wrong += is_wrong ? 1 : 0;
        if (asked.find(one.item) != std::string::npos)
            votes << one.item << ',' << one.given << ",ann," << (is_wrong ? "no" : "yes") << '\n';
    }
    votes.close();
    options.confirm = {folder / "votes.csv"};
    const LabelAudit answered = audit_labels(options);
    ASSERT_TRUE(answered.wrong_labels.value);
    EXPECT_EQ(answered.wrong_labels.n, audit.suspects);
    EXPECT_LE(answered.wrong_labels.interval->low, static_cast<double>(wrong));
    EXPECT_GE(answered.wrong_labels.interval->high, static_cast<double>(wrong));
    for (const SuspectLabel& one : answered.listed)
        EXPECT_EQ(one.wrong_probability.value.has_value(), one.answer.empty()) << one.item;
}

/// The notes below the list of suspect labels, with one answer about each of them.
std::vector<std::string> notes_with_answers(const Scratch& folder, std::uint64_t suspects,
                                            const char* first, const char* others) {
    AuditOptions options = options_of(folder);
    options.top = suspects;
    const LabelAudit asked = audit_labels(options);
    std::ofstream votes(folder / "votes.csv");
    votes << "item,label,annotator,answer\n";
    for (std::size_t i = 0; i < asked.listed.size(); ++i)
        votes << asked.listed[i].item << ',' << asked.listed[i].given << ",ann,"
              << (i < 2 ? first : others) << '\n';
    votes.close();
    options.confirm = {folder / "votes.csv"};
    const Report report = report_of(audit_labels(options));
    return std::get<Table>(report.sections[0].blocks[0]).notes;
}

TEST(Audit, ReportSaysHowManySuspectLabelsCannotBeJudged) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    const std::uint64_t suspects = audit_labels(options_of(folder)).suspects;
    ASSERT_GT(suspects, 4U);
    ASSERT_LT(suspects, 20U);
    EXPECT_THAT(
        notes_with_answers(folder, suspects, "no", "maybe"),
        testing::Contains(fmt::format("number of wrong labels: 2 of 2 suspect labels, which are "
                                      "all checked; without {} more that cannot be judged",
                                      suspects - 2) +
                          " (as people say; an interval needs 20 labels that people have judged)"));
    EXPECT_THAT(notes_with_answers(folder, suspects, "maybe", "maybe"),
                testing::Contains(HasSubstr(
                    fmt::format("number of wrong labels: the answers decide about none of "
                                "the {} suspect labels",
                                suspects))));
}

TEST(Audit, SampleNeedsQuestionsAndTakesAtMostAllSuspectLabels) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    AuditOptions options = options_of(folder);
    options.top = 5;
    options.sample = 1000;
    EXPECT_THAT(message_of([&] { audit_labels(options); }, ErrorCode::usage),
                HasSubstr("Add --questions questions.csv"));
    options.questions = folder / "questions.csv";
    const LabelAudit audit = audit_labels(options);
    EXPECT_EQ(audit.sampled, audit.suspects - 5);
    EXPECT_THAT(audit.notes, testing::Contains(HasSubstr("--sample 1000: ")));
    EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(read_text(options.questions), '\n')),
              1 + 2 * audit.suspects);
}

}  // namespace
}  // namespace assay::audit
