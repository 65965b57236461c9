// The probability that a label is wrong, by answers about other labels.
#include "audit/wrong_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::audit {
namespace {

using testing::HasSubstr;

/// So many scores from -2 to near 0. The unit of x is that of the middle one.
std::vector<double> even_scores(std::size_t labels) {
    std::vector<double> out;
    for (std::size_t i = 0; i < labels; ++i)
        out.push_back(-2 * (1 - static_cast<double>(i) / static_cast<double>(labels)));
    return out;
}
double x_of(const std::vector<double>& scores, std::size_t i) {
    return std::pow(scores[i] / scores[scores.size() - 1 - scores.size() / 2], 1.5);
}
/// Every fourth label is answered, from the third. The labels of the first half are wrong, except
/// each fifth answer, and those of the second half are correct.
std::vector<Answer> every_fourth(std::size_t labels) {
    std::vector<Answer> out(labels, Answer::none);
    for (std::size_t i = 2; i < labels; i += 4)
        out[i] = i < labels / 2 && i % 20 != 2 ? Answer::wrong : Answer::correct;
    return out;
}

// The means over a wider grid, without refinement. For a judged label, it is the probability after
// its answer.
std::vector<double> by_plain_sums(const std::vector<double>& scores,
                                  const std::vector<Answer>& answers,
                                  const std::vector<std::size_t>& labels) {
    const double errors[] = {0, 0.02, 0.05, 0.1}, priors[] = {0.25, 0.25, 0.25, 0.25};
    std::vector<double> sums(labels.size());
    double weights = 0;
    for (double a = -16; a < 8; a += 0.1)
        for (double b = 0.05; b < 14; b += 0.1) {
            double products[] = {priors[0], priors[1], priors[2], priors[3]};
            const double prior = std::exp(-((a + 4) * (a + 4) / 4 + b * b / 9) / 2);
            for (std::size_t i = 0; i < answers.size(); ++i) {
                if (answers[i] == Answer::none) continue;
                const double p = 1 / (1 + std::exp(-a - b * x_of(scores, i)));
                for (int e = 0; e < 4; ++e) {
                    const double said = errors[e] + (1 - 2 * errors[e]) * p;
                    products[e] *= answers[i] == Answer::wrong ? said : 1 - said;
                }
            }
            for (int e = 0; e < 4; ++e) {
                weights += prior * products[e];
                for (std::size_t k = 0; k < labels.size(); ++k) {
                    const double p = 1 / (1 + std::exp(-a - b * x_of(scores, labels[k])));
                    const double said = errors[e] + (1 - 2 * errors[e]) * p;
                    double after = p;
                    if (answers[labels[k]] == Answer::wrong)
                        after = p * (1 - errors[e]) / std::max(said, 1e-300);
                    if (answers[labels[k]] == Answer::correct)
                        after = p * errors[e] / std::max(1 - said, 1e-300);
                    sums[k] += prior * products[e] * after;
                }
            }
        }
    for (double& sum : sums) sum /= weights;
    return sums;
}

TEST(WrongLabels, ProbabilityIsThePosteriorMean) {
    const std::vector<double> scores = even_scores(101);
    const std::vector<Answer> answers = every_fourth(101);
    const WrongLabels found = estimate_wrong_labels(scores, answers, 101, 0.95);
    const std::vector<std::size_t> labels = {0, 20, 45, 51, 60, 100};
    const std::vector<double> plain = by_plain_sums(scores, answers, labels);
    double last = 1;
    for (std::size_t k = 0; k < labels.size(); ++k) {
        const Estimate& one = found.probability[labels[k]];
        ASSERT_TRUE(one.value) << one.undefined;
        EXPECT_NEAR(*one.value, plain[k], 2e-3);
        EXPECT_LT(*one.value, last);
        EXPECT_LT(one.interval->low, *one.value);
        EXPECT_GT(one.interval->high, *one.value);
        last = *one.value;
    }
    EXPECT_EQ(found.probability[0].n, 25U);
    EXPECT_FALSE(found.probability[2].value);
    EXPECT_EQ(found.probability[2].undefined, "the label is checked");
    // The number is the sum of the probabilities of all labels. Those of judged ones are after
    // their answers, some of which are probably false.
    std::vector<std::size_t> judged;
    double sum = 0, wrong = 0;
    for (std::size_t i = 0; i < 101; ++i) {
        if (answers[i] != Answer::none) judged.push_back(i);
        sum += found.probability[i].value.value_or(0);
        wrong += answers[i] == Answer::wrong ? 1 : 0;
    }
    const double at_face_value = sum + wrong;
    for (const double one : by_plain_sums(scores, answers, judged)) sum += one;
    ASSERT_TRUE(found.number.value);
    EXPECT_NEAR(*found.number.value, sum, 0.05);
    EXPECT_GT(std::abs(sum - at_face_value), 0.2);
    EXPECT_EQ(found.number.n, 101U);
    EXPECT_LT(found.number.interval->low, sum);
    EXPECT_GT(found.number.interval->high, sum);
    const WrongLabels narrow = estimate_wrong_labels(scores, answers, 1, 0.5);
    EXPECT_EQ(narrow.probability.size(), 1U);
    EXPECT_EQ(*narrow.probability[0].value, *found.probability[0].value);
    EXPECT_GT(narrow.probability[0].interval->low, found.probability[0].interval->low);
    EXPECT_LT(narrow.number.interval->high, found.number.interval->high);
}

TEST(WrongLabels, NeedsAnswersAboutLabelsOfAllScores) {
    const std::vector<double> scores = even_scores(200);
    std::vector<Answer> answers(200, Answer::none);
    for (std::size_t i = 0; i < 19; ++i) answers[i] = Answer::wrong;
    const WrongLabels few = estimate_wrong_labels(scores, answers, 200, 0.95);
    EXPECT_THAT(few.probability[19].undefined, HasSubstr("only 19 suspect labels"));
    EXPECT_THAT(few.number.undefined, HasSubstr("at least 20 are needed"));
    answers[19] = Answer::correct;
    const WrongLabels first = estimate_wrong_labels(scores, answers, 200, 0.95);
    EXPECT_FALSE(first.probability[20].value);
    EXPECT_THAT(first.probability[20].undefined, HasSubstr("--sample 30"));
    EXPECT_THAT(first.number.undefined, HasSubstr("only labels with similar scores"));
    // 5 % of the range from 0 to 120 are 6 labels.
    answers[120] = Answer::correct;
    const WrongLabels more = estimate_wrong_labels(scores, answers, 200, 0.95);
    EXPECT_TRUE(more.probability[20].value);
    EXPECT_TRUE(more.probability[126].value);
    EXPECT_FALSE(more.probability[127].value);
    EXPECT_FALSE(more.number.value);
    answers[190] = Answer::correct;
    EXPECT_TRUE(estimate_wrong_labels(scores, answers, 20, 0.95).number.value);
}

// A file of labels may hold wrong ones only, so it says nothing about others.
TEST(WrongLabels, FilesCountButDoNotTeach) {
    const std::vector<double> scores = even_scores(101);
    std::vector<Answer> answers = every_fourth(101);
    const WrongLabels before = estimate_wrong_labels(scores, answers, 101, 0.95);
    answers[99] = Answer::wrong_by_file;
    answers[97] = Answer::from_file;
    answers[95] = Answer::cannot_be_judged;  // does not count at all
    const WrongLabels after = estimate_wrong_labels(scores, answers, 101, 0.95);
    EXPECT_EQ(*after.probability[51].value, *before.probability[51].value);
    EXPECT_NEAR(*after.number.value - *before.number.value,
                1 - *before.probability[99].value - *before.probability[97].value -
                    *before.probability[95].value,
                1e-9);
    EXPECT_EQ(after.number.n, 100U);
    EXPECT_EQ(after.probability[99].undefined, "the label is checked");
    EXPECT_EQ(after.probability[95].undefined, "the answers do not decide about the label");
    const std::vector<Answer> files(101, Answer::wrong_by_file);
    const WrongLabels all = estimate_wrong_labels(scores, files, 101, 0.95);
    EXPECT_EQ(*all.number.value, 101);
    EXPECT_FALSE(all.number.interval);
    EXPECT_EQ(all.number.note, "");
}

// 300 suspect labels, all of which are judged. The first 20 are wrong. Each twentieth answer is
// false: at face value, 33 labels are wrong, because most labels are correct.
TEST(WrongLabels, FalseAnswersDoNotAddUpWhenAllLabelsAreJudged) {
    const std::vector<double> scores = even_scores(300);
    std::vector<Answer> answers(300, Answer::none);
    for (std::size_t i = 0; i < 300; ++i)
        answers[i] = (i < 20) != (i % 20 == 13) ? Answer::wrong : Answer::correct;
    EXPECT_EQ(std::ranges::count(answers, Answer::wrong), 33);
    const WrongLabels found = estimate_wrong_labels(scores, answers, 20, 0.95);
    ASSERT_TRUE(found.number.interval);
    EXPECT_LE(found.number.interval->low, 20);
    EXPECT_GE(found.number.interval->high, 20);
    EXPECT_LT(*found.number.value, 30);
    for (const Estimate& one : found.probability) EXPECT_FALSE(one.value);
}

TEST(WrongLabels, LabelsThatNobodyCanJudgeAreNotCounted) {
    const std::vector<double> scores = even_scores(30);
    std::vector<Answer> answers(30, Answer::cannot_be_judged);
    const WrongLabels none = estimate_wrong_labels(scores, answers, 30, 0.95);
    EXPECT_FALSE(none.number.value);
    EXPECT_EQ(none.number.n, 0U);
    EXPECT_THAT(none.number.undefined,
                HasSubstr("none of the 30 suspect labels: people cannot tell"));
    answers[3] = Answer::wrong;
    answers[7] = Answer::correct;
    const WrongLabels few = estimate_wrong_labels(scores, answers, 30, 0.95);
    EXPECT_EQ(few.number.value, 1);
    EXPECT_EQ(few.number.n, 2U);
    EXPECT_FALSE(few.number.interval);
    EXPECT_THAT(few.number.note, HasSubstr("needs 20 labels"));
}

TEST(WrongLabels, AnswersOfOneKindAndEqualScoresGiveNoCertainty) {
    const std::vector<double> equal(60, -0.5);
    for (const Answer kind : {Answer::wrong, Answer::correct}) {
        std::vector<Answer> answers(60, Answer::none);
        for (std::size_t i = 0; i < 60; i += 2) answers[i] = kind;
        const WrongLabels found = estimate_wrong_labels(equal, answers, 60, 0.95);
        const Estimate& one = found.probability[1];
        ASSERT_TRUE(one.value);
        EXPECT_GT(one.interval->high - one.interval->low, 0.02);
        EXPECT_EQ(*one.value > 0.5, kind == Answer::wrong);
    }
    const WrongLabels none = estimate_wrong_labels({}, {}, 20, 0.95);
    EXPECT_EQ(none.number.undefined, "no label is suspect");
    // A score of 0 or more is the least suspicious one.
    std::vector<double> zero(40, 0.0);
    zero.back() = 1;
    std::vector<Answer> answers(40, Answer::none);
    for (std::size_t i = 0; i < 40; i += 2) answers[i] = Answer::correct;
    EXPECT_TRUE(estimate_wrong_labels(zero, answers, 40, 0.95).number.value);
}

// More wrong labels among the less suspicious ones: the slope is at its lowest value, 0.
TEST(WrongLabels, SlopeIsNotNegative) {
    const std::vector<double> scores = even_scores(101);
    std::vector<Answer> answers = every_fourth(101);
    for (Answer& one : answers)
        if (one != Answer::none) one = one == Answer::wrong ? Answer::correct : Answer::wrong;
    const WrongLabels found = estimate_wrong_labels(scores, answers, 101, 0.95);
    EXPECT_GE(*found.probability[0].value, *found.probability[100].value);
    EXPECT_NEAR(*found.probability[45].value, by_plain_sums(scores, answers, {45})[0], 1e-2);
}

}  // namespace
}  // namespace assay::audit
