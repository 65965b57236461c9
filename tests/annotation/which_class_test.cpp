// Votes that name a class, in crowds with known truth, and in crowds from which nothing can be
// learned.
#include "assay/annotation/which_class.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "annotation/class_patterns.h"
#include "assay/annotation/aggregate_votes.h"
#include "assay/error.h"
#include "assay/report.h"
#include "core/random.h"
#include "made_votes.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
    std::string annotator, item, label;
};

Votes votes_of(const std::vector<Row>& rows) {
    VotesBuilder builder(answer_scale({"no", "yes"}));
    for (const Row& row : rows) {
        const std::uint32_t annotator = builder.annotator(row.annotator);
        builder.add(annotator, builder.question(row.item, row.label), 1);
    }
    return builder.build_classes(Repeats::first, "made up");
}

std::map<std::pair<std::string, std::string>, double> posteriors(const Votes& votes,
                                                                 const WhichClassFit& fit) {
    std::map<std::pair<std::string, std::string>, double> out;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        out[{std::string(votes.items[votes.question_item[q]]),
             std::string(votes.labels[votes.question_label[q]])}] = fit.posterior[q];
    }
    return out;
}

const std::vector<Row> three_people = {
    {"anna", "p0", "cat"}, {"bert", "p0", "cat"}, {"cleo", "p0", "dog"}, {"anna", "p1", "dog"},
    {"bert", "p1", "dog"}, {"anna", "p2", "emu"}, {"cleo", "p2", "cat"}, {"bert", "p3", "emu"},
    {"anna", "p4", "dog"}, {"bert", "p4", "emu"}, {"cleo", "p4", "emu"}, {"cleo", "p5", "dog"},
    {"anna", "p5", "dog"}};

// Compares with an independent implementation in NumPy.
TEST(WhichClass, PosteriorsOfAnotherImplementation) {
    const Votes votes = votes_of(three_people);
    const WhichClassFit fit = fit_which_class(votes, {.tolerance = 1e-12});
    const auto found = posteriors(votes, fit);
    EXPECT_TRUE(fit.converged);
    EXPECT_EQ(fit.strength, 512);
    EXPECT_NEAR(found.at({"p0", "cat"}), 0.7375290495015793, 1e-10);
    EXPECT_NEAR(found.at({"p0", "dog"}), 0.21408392461245604, 1e-10);
    EXPECT_NEAR(found.at({"p1", "dog"}), 0.9040935996666772, 1e-10);
    EXPECT_NEAR(found.at({"p2", "emu"}), 0.4769937843272768, 1e-10);
    EXPECT_NEAR(found.at({"p2", "cat"}), 0.4040364020448711, 1e-10);
    EXPECT_NEAR(found.at({"p3", "emu"}), 0.6905832459387647, 1e-10);
    EXPECT_NEAR(found.at({"p4", "emu"}), 0.7572459216883694, 1e-10);
    EXPECT_NEAR(found.at({"p5", "dog"}), 0.8932119495290364, 1e-10);
}

/// People who are correct with the probability `accuracy`, and otherwise name a random other class.
struct MadeCrowd {
    std::vector<Row> rows;
    std::map<std::string, std::string> truth;
};
MadeCrowd made_classes(std::uint64_t seed, const std::vector<double>& proportions,
                       const std::vector<double>& accuracy, int images, std::size_t answers) {
    RandomStream random(seed, "which class");
    MadeCrowd out;
    for (int i = 0; i < images; ++i) {
        std::size_t truth = 0;
        for (double u = random.uniform(); truth + 1 < proportions.size() && u >= proportions[truth];
             ++truth)
            u -= proportions[truth];
        const std::string item = fmt::format("i{:03}", i);
        out.truth[item] = fmt::format("c{:03}", truth);
        std::vector<std::size_t> people(accuracy.size());
        std::iota(people.begin(), people.end(), std::size_t{0});
        for (std::size_t a = 0; a < answers; ++a) {
            std::swap(people[a], people[a + random.below(people.size() - a)]);
            std::size_t said = truth;
            if (random.uniform() >= accuracy[people[a]])
                said = (truth + 1 + random.below(proportions.size() - 1)) % proportions.size();
            out.rows.push_back(
                {fmt::format("p{:02}", people[a]), item, fmt::format("c{:03}", said)});
        }
    }
    return out;
}

/// The proportion of correct images. If n classes tie and one is correct, the image counts as
/// 1/n.
double right_of(const MadeCrowd& crowd, const Votes& votes, const std::vector<double>& values) {
    double sum = 0;
    for (std::uint32_t i = 0; i < votes.items.size(); ++i) {
        double best = 0, ties = 0, hits = 0;
        for (std::size_t q = 0; q < votes.questions(); ++q)
            if (votes.question_item[q] == i) best = std::max(best, values[q]);
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            if (votes.question_item[q] != i || values[q] < best - 1e-9) continue;
            ++ties;
            const std::string_view label = votes.labels[votes.question_label[q]];
            hits += crowd.truth.at(std::string(votes.items[i])) == label ? 1 : 0;
        }
        sum += hits / ties;
    }
    return sum / static_cast<double>(votes.items.size());
}

/// The mean accuracy of the model minus that of the majority.
double gain(const std::vector<double>& proportions, const std::vector<double>& accuracy, int images,
            std::size_t answers) {
    constexpr int crowds = 12;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < crowds; ++seed) {
        const MadeCrowd crowd = made_classes(seed, proportions, accuracy, images, answers);
        const Votes votes = votes_of(crowd.rows);
        sum += right_of(crowd, votes, fit_which_class(votes).posterior) -
               right_of(crowd, votes, vote_proportions(votes));
    }
    return sum / crowds;
}

TEST(WhichClass, NotBelowTheMajority) {
    const std::vector<double> two = {0.5, 0.5}, four(4, 0.25);
    // With few answers, the model cannot be better than the majority.
    EXPECT_GE(gain(two, std::vector<double>(20, 0.75), 100, 3), -0.005);
    EXPECT_GE(gain(four, std::vector<double>(60, 0.7), 60, 3), -0.005);
    EXPECT_GE(gain({0.34, 0.33, 0.33}, std::vector<double>(5, 0.75), 1, 5), 0);
    // The model is better if a class is rare or some people answer at random.
    EXPECT_GE(gain({0.95, 0.05}, std::vector<double>(10, 0.85), 200, 3), 0.03);
    EXPECT_GE(gain(four, {0.9, 0.9, 0.85, 0.25, 0.25, 0.25}, 150, 4), 0.05);
    // Two people who are always wrong are as informative as two who are correct.
    EXPECT_GE(gain(two, {0.9, 0.85, 0.9, 0.9, 0.1, 0.1}, 150, 5), 0.05);
}

TEST(WhichClass, TheOrderOfVotesAndThreadsChangeNoBit) {
    const MadeCrowd crowd =
        made_classes(7, std::vector<double>(6, 1.0 / 6), {0.9, 0.8, 0.7, 0.5, 0.3, 0.6}, 300, 3);
    const Votes votes = votes_of(crowd.rows);
    const auto first = posteriors(votes, fit_which_class(votes, {.threads = 1}));
    EXPECT_EQ(posteriors(votes, fit_which_class(votes, {.threads = 3})), first);
    std::vector<Row> rows = crowd.rows;
    RandomStream random(1, "order");
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    const Votes others = votes_of(rows);
    EXPECT_EQ(posteriors(others, fit_which_class(others)), first);
}

TEST(WhichClass, OneImage) {
    const Votes votes =
        votes_of({{"a", "i", "yes"}, {"b", "i", "yes"}, {"c", "i", "yes"}, {"d", "i", "no"}});
    const auto found = posteriors(votes, fit_which_class(votes));
    EXPECT_GT(found.at({"i", "yes"}), 0.9);
    EXPECT_NEAR(found.at({"i", "yes"}) + found.at({"i", "no"}), 1, 1e-12);
}

TEST(WhichClass, WhatNothingIsLearnedFrom) {
    const Votes alike =
        votes_of({{"a", "i", "cat"}, {"b", "i", "cat"}, {"a", "j", "cat"}, {"b", "j", "cat"}});
    for (const double posterior : fit_which_class(alike).posterior) EXPECT_GT(posterior, 0.9);
    const Votes alone = votes_of({{"a", "i", "cat"}, {"a", "j", "dog"}, {"a", "k", "dog"}});
    const WhichClassFit fit = fit_which_class(alone);
    EXPECT_THAT(
        fit.notes,
        ElementsAre(HasSubstr(
            "one annotator: the annotators' accuracy cannot be estimated, so 80 % is assumed")));
    EXPECT_EQ(fit.accuracy[0], 0.8);
    for (const double posterior : fit.posterior) EXPECT_NEAR(posterior, 0.8, 0.06);
    const Votes each = votes_of({{"a", "i", "cat"}, {"b", "j", "dog"}});
    EXPECT_THAT(fit_which_class(each).notes, ElementsAre(HasSubstr("no image has two answers")));
    const Votes tie = votes_of({{"a", "i", "cat"}, {"b", "i", "dog"}});
    const WhichClassFit tied = fit_which_class(tie);
    EXPECT_EQ(tied.posterior[0], tied.posterior[1]);
}

TEST(WhichClass, PassesEnd) {
    const MadeCrowd crowd = made_classes(3, {0.5, 0.5}, {0.6, 0.6, 0.6, 0.6}, 60, 3);
    const Votes votes = votes_of(crowd.rows);
    const WhichClassFit fit = fit_which_class(votes, {.tolerance = 0, .max_passes = 20});
    EXPECT_EQ(fit.passes, 20);
    EXPECT_THAT(fit.notes, ElementsAre(HasSubstr("not converged after 20 passes")));
    EXPECT_THAT(message_of([&] { fit_which_class(votes, {.max_passes = 0}); }, ErrorCode::usage),
                HasSubstr("passes 0; allowed: "));
}

// Annotators 1 and 2 repeat the answers of annotator 0, as one person with three names would.
TEST(WhichClass, AnswersOfAnnotatorsWhoAnswerTogetherCountAsOne) {
    MadeCrowd crowd =
        made_classes(5, std::vector<double>(4, 0.25), std::vector<double>(8, 0.75), 200, 8);
    std::map<std::string, std::string> of_first;
    for (const Row& row : crowd.rows)
        if (row.annotator == "p00") of_first[row.item] = row.label;
    for (Row& row : crowd.rows)
        if (row.annotator == "p01" || row.annotator == "p02") row.label = of_first.at(row.item);
    const Votes votes = votes_of(crowd.rows);
    const WhichClassFit fit = fit_which_class(votes);
    ASSERT_EQ(fit.together.size(), 1U);
    std::vector<std::string> names;
    for (const std::uint32_t r : fit.together[0].annotators)
        names.emplace_back(votes.annotators[r]);
    std::ranges::sort(names);
    EXPECT_THAT(names, ElementsAre("p00", "p01", "p02"));
    EXPECT_EQ(fit.together[0].agreement, 1);
    EXPECT_EQ(fit.together[0].shared, 600U);
    EXPECT_LT(fit.together[0].expected, 0.75);
    EXPECT_GT(right_of(crowd, votes, fit.posterior),
              right_of(crowd, votes, vote_proportions(votes)) + 0.02);
    EXPECT_NEAR(fit.accuracy[fit.together[0].annotators[0]], 0.75, 0.06);
}

// Memory grows with the number of answers, not with annotators x classes x classes.
TEST(WhichClass, AThousandClasses) {
    const MadeCrowd crowd =
        made_classes(1, std::vector<double>(1000, 0.001), std::vector<double>(30, 0.8), 900, 2);
    const Votes votes = votes_of(crowd.rows);
    const ClassPatterns patterns = class_patterns(votes);
    EXPECT_FALSE(patterns.full);
    EXPECT_LE(patterns.cells.size(), 4 * crowd.rows.size());
    const WhichClassFit fit = fit_which_class(votes);
    EXPECT_GE(right_of(crowd, votes, fit.posterior),
              right_of(crowd, votes, vote_proportions(votes)) - 0.005);
}

TEST(WhichClass, QuestionsOfUnchosenClasses) {
    const Votes votes = votes_of(three_people);
    const Votes more = with_unchosen_classes(votes, {{.item = 1, .label = 2, .posterior = 0.5}});
    EXPECT_EQ(more.questions(), votes.questions() + 1);
    EXPECT_EQ(more.question_item.back(), 1U);
    EXPECT_EQ(more.question_label.back(), 2U);
    // anna and bert answered about p1, and both said no to it.
    EXPECT_THAT(more.of(votes.questions()), ElementsAre(0, 2));
    EXPECT_EQ(more.implied, votes.implied + 2);
    EXPECT_EQ(more.used(), votes.used());
}

class WhichClassFile : public ::testing::Test {
protected:
    Aggregation settle(const std::string& text) {
        options_.votes = write(folder_ / "v.csv", text);
        return aggregate_votes(options_);
    }
    Scratch folder_;
    AggregateOptions options_;
};

TEST_F(WhichClassFile, IsTheDefaultAndSaysWhatDecided) {
    const std::string text =
        "annotator,item,label\na,p,cat\nb,p,dog\na,q,cat\nb,q,cat\nc,q,cat\nc,r,dog\na,r,dog\n";
    const Aggregation found = settle(text);
    EXPECT_EQ(found.options.method, "dawid-skene");
    ASSERT_TRUE(found.which);
    EXPECT_EQ(found.yes, found.which->posterior);
    EXPECT_EQ(found.vote_ties + found.ties, 1U);
    EXPECT_THAT(posterior_csv(found), HasSubstr("item,label,n_no,n_maybe,n_yes,posterior,kept\n"));
    const Report report = report_of(found);
    EXPECT_EQ(report.result.at("which_class").at("strength"), 512);
    EXPECT_EQ(report.result.at("method"), "dawid-skene");
    // The accuracy of an annotator counts the named classes, not the yes and no answers that follow
    // from them.
    EXPECT_EQ(found.annotators[0].answers, 3U);
    options_.method = "majority";
    EXPECT_FALSE(settle(text).which);
    EXPECT_EQ(settle(text).ties, 1U);
}

TEST_F(WhichClassFile, OptionsThatCannotActAreRefused) {
    const std::string text = "annotator,item,label\na,p,cat\nb,p,dog\n";
    options_.em.latents = 3;
    EXPECT_THAT(message_of([&] { settle(text); }, ErrorCode::usage), HasSubstr("omit --latents"));
    options_.em.latents = 2;
    options_.em.smoothing = 1;
    EXPECT_THAT(message_of([&] { settle(text); }, ErrorCode::usage), HasSubstr("omit --smoothing"));
}

}  // namespace
}  // namespace assay
