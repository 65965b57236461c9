// Planted duplicates: by files and by scores. Duplicates with different labels come first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/report.h"
#include "planted.h"

namespace assay::audit {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> items_of(const DuplicateGroup& group) {
    std::vector<std::string> out;
    for (const DuplicateImage& image : group.members) out.push_back(image.item);
    return out;
}

void copy_scores(Made& made, std::size_t from, std::size_t to) {
    std::copy_n(made.scores.begin() + static_cast<std::ptrdiff_t>(from * classes), classes,
                made.scores.begin() + static_cast<std::ptrdiff_t>(to * classes));
}

void record_files(Made& made) {
    for (std::size_t i = 0; i < images; ++i) made.files.push_back({.bytes = 100, .hash = i + 1});
}

// Row 10 equals row 300, whose label differs (equal scores of both models). Rows 20, 21 and
// 22 are equal with one label. Rows 30 and 31 are equal for one of the models alone.
Made with_copies(std::uint64_t seed, bool first) {
    Made made = planted(seed, 6);
    copy_scores(made, 10, 300);
    copy_scores(made, 20, 21);
    copy_scores(made, 20, 22);
    if (first) copy_scores(made, 30, 31);
    return made;
}

TEST(Duplicates, EqualScoresOfAllModelsAreEvidence) {
    const Scratch folder;
    save(folder, with_copies(1, true), "a");
    save(folder, with_copies(2, false), "b");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_EQ(audit.duplicate_groups, 2U);
    EXPECT_EQ(audit.duplicate_images, 5U);
    EXPECT_EQ(audit.contradicting_groups, 1U);
    ASSERT_EQ(audit.listed_duplicates.size(), 2U);
    const DuplicateGroup &differ = audit.listed_duplicates[0], &same = audit.listed_duplicates[1];
    EXPECT_TRUE(differ.labels_differ);
    EXPECT_EQ(differ.evidence, same_scores);
    EXPECT_THAT(items_of(differ), testing::ElementsAre("item00010", "item00300"));
    EXPECT_EQ(differ.members[0].label, "c0");
    EXPECT_EQ(differ.members[1].label, "c3");
    EXPECT_FALSE(same.labels_differ);
    EXPECT_THAT(items_of(same), testing::ElementsAre("item00020", "item00021", "item00022"));
    EXPECT_THAT(audit.duplicate_notes, Contains(HasSubstr("files were not compared")));
    AuditOptions three = options_of(folder);
    three.threads = 3;
    three.top = 1;
    const LabelAudit short_list = audit_labels(three);
    EXPECT_EQ(short_list.duplicate_groups, 2U);
    ASSERT_EQ(short_list.listed_duplicates.size(), 1U);
    EXPECT_TRUE(short_list.listed_duplicates[0].labels_differ);
}

TEST(Duplicates, RecordedFilesAreEvidence) {
    const Scratch folder;
    Made made = with_copies(1, false);
    record_files(made);
    made.files[21] = made.files[20];
    made.files[51] = made.files[50];  // these scores differ
    made.labels[51] = {4};
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.listed_duplicates.size(), 3U);
    EXPECT_EQ(audit.listed_duplicates[0].evidence, same_file);
    EXPECT_THAT(items_of(audit.listed_duplicates[0]),
                testing::ElementsAre("item00050", "item00051"));
    EXPECT_EQ(audit.listed_duplicates[1].evidence, same_scores_other_file);
    EXPECT_EQ(audit.contradicting_groups, 2U);
    EXPECT_EQ(audit.listed_duplicates[2].evidence, same_scores_other_file);
    EXPECT_EQ(audit.listed_duplicates[2].images, 3U);
    EXPECT_THAT(audit.duplicate_notes, testing::IsEmpty());
    const Report report = report_of(audit, true);
    EXPECT_EQ(report.records.columns.front().name, "group");
    EXPECT_EQ(report.records.rows.size(), 7U);
    EXPECT_EQ(report_of(audit).records.columns.front().name, "item");
    EXPECT_EQ(report.result["listed_duplicates"][0]["labels_differ"], true);
}

TEST(Duplicates, CoarseScoresAreNoEvidence) {
    const Scratch folder;
    Made rounded = planted(1, 6);
    for (float& score : rounded.scores) score = std::round(score / 4) * 3.7123457F;
    save(folder, rounded, "a");
    const LabelAudit coarse = audit_labels(options_of(folder));
    EXPECT_EQ(coarse.duplicate_groups, 0U);
    EXPECT_THAT(coarse.duplicate_notes, Contains(HasSubstr("too coarse")));

    const Scratch other;
    Made sure = planted(1, 6);
    sure.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < images; ++i) {
        const bool exact = i % 20 == 0;  // 20 images, of which many have one class
        for (std::size_t c = 0; c < classes; ++c) {
            const bool own = static_cast<std::size_t>(sure.labels[i][0]) == c;
            const float rest = exact ? 0 : .0100003F + .000101F * static_cast<float>(i);
            sure.scores[i * classes + c] = own ? 1 - 4 * rest : rest;
        }
    }
    save(other, sure, "a");
    const LabelAudit hard = audit_labels(options_of(other));
    EXPECT_EQ(hard.duplicate_groups, 0U);
    EXPECT_THAT(hard.duplicate_notes, Contains(HasSubstr("for 20 images with scores of at most")));
}

}  // namespace
}  // namespace assay::audit
