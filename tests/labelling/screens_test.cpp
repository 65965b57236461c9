// How questions are grouped on screens. Each question occurs once, groups have equal sizes, and
// known answers are distributed evenly.
#include "labelling/screens.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "message_of.h"

namespace assay::labelling {
namespace {

using testing::HasSubstr;

/// Checks that every question is on one screen.
void check_complete(const QuestionSet& set, const std::vector<PlannedScreen>& screens) {
    std::multiset<std::uint32_t> seen;
    std::set<std::string> names;
    for (const PlannedScreen& screen : screens) {
        EXPECT_FALSE(screen.questions.empty());
        EXPECT_FALSE(screen.name.empty());
        EXPECT_TRUE(names.insert(screen.name).second) << screen.name;
        seen.insert(screen.questions.begin(), screen.questions.end());
    }
    EXPECT_EQ(seen.size(), set.questions.size());
    EXPECT_EQ(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), seen.size());
}

/// `images` images of each label. Every `nth` image, beginning with the first, is known not to
/// show the label.
QuestionSet grid_questions(int labels, int images, int known) {
    std::string text = "image,label,control\n";
    for (int l = 0; l < labels; ++l)
        for (int i = 0; i < images; ++i)
            text += fmt::format("i{}-{},c{},{}\n", l, i, l, i < known ? 1 : 0);
    return read_question_csv(text, "q.csv", Task::grid);
}

TEST(Screens, YesNoIsOneQuestionEachInAnyOrder) {
    const QuestionSet set = grid_questions(1, 100, 0);
    const auto screens = plan_screens(set, Task::yes_no, 48, 1);
    check_complete(set, screens);
    ASSERT_EQ(screens.size(), 100U);
    std::vector<std::uint32_t> order, other;
    for (const PlannedScreen& screen : screens) order.push_back(screen.questions.at(0));
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    for (const PlannedScreen& screen : plan_screens(set, Task::yes_no, 48, 2))
        other.push_back(screen.questions.at(0));
    EXPECT_NE(order, other);
    EXPECT_EQ(screens[0].name, "screen 1");
}

TEST(Screens, GroupsOfALabelDifferByAtMostOne) {
    for (const int images : {1, 47, 48, 49, 95, 97, 145}) {
        const QuestionSet set = grid_questions(3, images, images / 5);
        const auto screens = plan_screens(set, Task::grid, 48, 7);
        check_complete(set, screens);
        EXPECT_EQ(screens.size(), 3U * static_cast<unsigned>((images + 47) / 48)) << images;
        std::size_t least = 1000, most = 0, least_known = 1000, most_known = 0;
        for (const PlannedScreen& screen : screens) {
            std::set<std::uint32_t> labels;
            std::size_t known = 0;
            for (const std::uint32_t q : screen.questions) {
                labels.insert(set.questions[q].label);
                known += set.questions[q].known ? 1 : 0;
            }
            EXPECT_EQ(labels.size(), 1U);
            least = std::min(least, screen.questions.size());
            most = std::max(most, screen.questions.size());
            least_known = std::min(least_known, known);
            most_known = std::max(most_known, known);
        }
        EXPECT_LE(most, 48U);
        EXPECT_LE(most - least, 1U) << images;
        EXPECT_LE(most_known - least_known, 1U) << images;
    }
}

TEST(Screens, KnownImagesAreNotFirstOnTheScreen) {
    const QuestionSet set = grid_questions(1, 48, 6);
    const auto screens = plan_screens(set, Task::grid, 48, 3);
    ASSERT_EQ(screens.size(), 1U);
    bool first_six_known = true;
    for (int i = 0; i < 6; ++i)
        first_six_known = first_six_known && set.questions[screens[0].questions[i]].known;
    EXPECT_FALSE(first_six_known);
}

TEST(Screens, NamedBatchesStayTogether) {
    const QuestionSet set = read_question_csv(
        "image,label,batch\na,cat,one\nb,cat,one\nc,cat,two\nd,dog,two\ne,cat,\nf,cat,\n", "q.csv",
        Task::grid);
    const auto screens = plan_screens(set, Task::grid, 48, 1);
    check_complete(set, screens);
    std::map<std::string, std::size_t> sizes;
    for (const PlannedScreen& screen : screens) sizes[screen.name] = screen.questions.size();
    // A batch with two labels gives two grids. Questions without a batch are a separate group.
    ASSERT_EQ(screens.size(), 4U);
    EXPECT_EQ(sizes.at("one"), 2U);
    EXPECT_EQ(sizes.at("two cat"), 1U);
    EXPECT_EQ(sizes.at("two dog"), 1U);
}

TEST(Screens, NamesThatLookLikeOursAreKept) {
    const QuestionSet set = read_question_csv(
        "image,label,batch\na,cat,screen 1\nb,cat,screen 2\nc,cat,\n", "q.csv", Task::grid);
    check_complete(set, plan_screens(set, Task::grid, 48, 1));
}

TEST(Screens, LabelsOfAnImageInAnyOrder) {
    std::string text = "item,label\n";
    for (int i = 0; i < 40; ++i)
        for (int l = 0; l < 6; ++l) text += fmt::format("i{},c{}\n", i, l);
    const QuestionSet set = read_question_csv(text, "q.csv", Task::labels);
    const auto screens = plan_screens(set, Task::labels, 48, 1);
    check_complete(set, screens);
    ASSERT_EQ(screens.size(), 40U);
    std::set<std::uint32_t> first;
    for (const PlannedScreen& screen : screens) {
        ASSERT_EQ(screen.questions.size(), 6U);
        first.insert(set.questions[screen.questions[0]].label);
    }
    // The original label is first in the table, but not on the screens.
    EXPECT_EQ(first.size(), 6U);
}

TEST(Screens, TooLargeOnes) {
    std::string batch = "image,label,batch\n", labels = "item,label\n";
    for (std::uint32_t i = 0; i <= most_cells; ++i) {
        batch += fmt::format("i{},cat,b\n", i);
        labels += fmt::format("a,c{}\n", i);
    }
    const auto plan = [](const std::string& text, Task task) {
        return message_of(
            [&] { plan_screens(read_question_csv(text, "q.csv", task), task, 48, 1); });
    };
    EXPECT_THAT(plan(batch, Task::grid), HasSubstr("batch `b` has 501 images of label `cat`"));
    EXPECT_THAT(plan(labels, Task::labels), HasSubstr("image `a` has more than 500 labels"));
}

}  // namespace
}  // namespace assay::labelling
