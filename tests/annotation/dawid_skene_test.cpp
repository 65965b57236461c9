#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "annotation/vote_patterns.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"
#include "core/random.h"
#include "made_votes.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// EM as in the paper: dense arrays, plain loops, and no logarithms.
struct Plain {
    std::vector<double> prior, yes, objective;
    std::vector<std::vector<std::vector<double>>> confusion;  // indices [annotator][latent][answer]
};
Plain plain_em(const Votes& votes, std::size_t latents, double s, int passes) {
    const std::size_t annotators = votes.annotators.size(), answers = votes.answers(),
                      questions = votes.questions();
    std::vector<std::vector<std::vector<double>>> n(
        questions, std::vector<std::vector<double>>(annotators, std::vector<double>(answers, 0)));
    for (std::size_t q = 0; q < questions; ++q) {
        for (const auto code : votes.of(q)) n[q][code / answers][code % answers] += 1;
    }
    std::vector<std::vector<double>> t(questions, std::vector<double>(latents, 0));
    for (std::size_t q = 0; q < questions; ++q) {
        const auto count = static_cast<double>(votes.of(q).size());
        for (std::size_t l = 0; l < latents && count == 0; ++l)
            t[q][l] = 1.0 / static_cast<double>(latents);
        for (const auto code : votes.of(q)) {
            const std::size_t a = code % answers;
            if (latents == 2) {
                const double worth = static_cast<double>(a) / static_cast<double>(answers - 1);
                t[q][1] += worth / count;
                t[q][0] += (1 - worth) / count;
            } else {
                t[q][a] += 1 / count;
            }
        }
    }
    Plain out;
    out.prior.resize(latents);
    out.confusion.assign(
        annotators, std::vector<std::vector<double>>(latents, std::vector<double>(answers, 0)));
    for (int pass = 0; pass < passes; ++pass) {
        double penalty = 0;
        for (std::size_t l = 0; l < latents; ++l) {
            double sum = 0;
            for (const auto& row : t) sum += row[l];
            out.prior[l] =
                (sum + s) / (static_cast<double>(questions) + static_cast<double>(latents) * s);
            penalty += s * std::log(out.prior[l]);
            for (std::size_t r = 0; r < annotators; ++r) {
                double all = 0;
                for (std::size_t a = 0; a < answers; ++a) {
                    double count = s;
                    for (std::size_t q = 0; q < questions; ++q) count += t[q][l] * n[q][r][a];
                    out.confusion[r][l][a] = count;
                    all += count;
                }
                for (double& p : out.confusion[r][l]) penalty += s * std::log(p /= all);
            }
        }
        double likelihood = 0;
        for (std::size_t q = 0; q < questions; ++q) {
            std::vector<double> joint(latents);
            for (std::size_t l = 0; l < latents; ++l) {
                double p = std::log(out.prior[l]);
                for (std::size_t r = 0; r < annotators; ++r) {
                    for (std::size_t a = 0; a < answers; ++a)
                        p += n[q][r][a] * std::log(out.confusion[r][l][a]);
                }
                joint[l] = p;
            }
            const double largest = *std::max_element(joint.begin(), joint.end());
            double sum = 0;
            for (const double p : joint) sum += std::exp(p - largest);
            for (std::size_t l = 0; l < latents; ++l) t[q][l] = std::exp(joint[l] - largest) / sum;
            likelihood += largest + std::log(sum);
        }
        out.objective.push_back(likelihood + penalty);
    }
    for (const auto& row : t) out.yes.push_back(row.back());
    return out;
}

/// 3 good annotators, 3 noisy ones, and one who answers yes to nearly everything.
std::vector<std::vector<std::vector<double>>> mixed_annotators() {
    const std::vector<std::vector<double>> good = {{0.9, 0.07, 0.03}, {0.05, 0.1, 0.85}},
                                           noisy = {{0.5, 0.2, 0.3}, {0.3, 0.2, 0.5}},
                                           eager = {{0.1, 0.1, 0.8}, {0.02, 0.03, 0.95}};
    return {good, good, good, noisy, noisy, noisy, eager};
}

double errors(const std::vector<double>& yes, const std::vector<int>& truth) {
    double wrong = 0;
    for (std::size_t q = 0; q < yes.size(); ++q) wrong += (yes[q] > 0.5) != (truth[q] == 1) ? 1 : 0;
    return wrong / static_cast<double>(yes.size());
}

TEST(DawidSkene, SameAsAPlainEm) {
    for (const std::uint32_t latents : {2U, 3U}) {
        const Crowd crowd = made_crowd(300, mixed_annotators(), 0.3, 0.7, 5);
        DawidSkeneOptions options;
        options.latents = latents;
        options.tolerance = 0;
        options.max_passes = 25;
        options.accelerate = false;
        const DawidSkene fast = dawid_skene(crowd.votes, options);
        const int passes =
            static_cast<int>(fast.objective.size());  // rounding may end it slightly earlier
        const Plain slow = plain_em(crowd.votes, latents, options.smoothing, passes);
        ASSERT_FALSE(fast.reordered);
        for (std::size_t q = 0; q < fast.yes.size(); ++q)
            ASSERT_NEAR(fast.yes[q], slow.yes[q], 1e-9);
        for (std::size_t p = 0; p < fast.objective.size(); ++p)
            EXPECT_NEAR(fast.objective[p], slow.objective[p], 1e-8);
        for (std::size_t r = 0; r < 7; ++r) {
            for (std::size_t l = 0; l < latents; ++l) {
                for (std::size_t a = 0; a < 3; ++a)
                    EXPECT_NEAR(fast.confusion[(r * latents + l) * 3 + a], slow.confusion[r][l][a],
                                1e-9);
            }
        }
    }
}

/// Most questions have two answers, of annotators who are little better than chance: EM takes
/// hundreds of passes.
Crowd slow_crowd(std::uint64_t seed) {
    const std::vector<std::vector<double>> weak = {{0.6, 0.1, 0.3}, {0.25, 0.1, 0.65}},
                                           fair = {{0.75, 0.1, 0.15}, {0.1, 0.1, 0.8}};
    return made_crowd(400, {weak, fair, weak, fair, weak}, 0.3, 0.5, seed);
}

// By default, the posteriors equal those of a plain EM that ran until nothing changed.
TEST(DawidSkene, ConvergesByDefaultAndSoon) {
    for (const std::uint32_t latents : {2U, 3U}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Crowd crowd = latents == 2 ? slow_crowd(seed)
                                             : made_crowd(300, mixed_annotators(), 0.3, 0.7, seed);
            DawidSkeneOptions options;
            options.latents = latents;
            const DawidSkene fit = dawid_skene(crowd.votes, options);
            EXPECT_TRUE(fit.converged) << fit.passes;
            options.accelerate = false;
            options.max_passes = 100'000;
            const DawidSkene plain = dawid_skene(crowd.votes, options);
            ASSERT_TRUE(plain.converged);
            EXPECT_LT(fit.passes, plain.passes);
            EXPECT_EQ(static_cast<std::size_t>(plain.passes), plain.objective.size());
            const Plain slow = plain_em(crowd.votes, latents, options.smoothing, 2 * plain.passes);
            ASSERT_FALSE(fit.reordered);
            // Both stop when one step changes nothing by more than 1e-7. EM is slow, so a larger
            // difference may remain: below 4e-6 was measured.
            for (std::size_t q = 0; q < fit.yes.size(); ++q)
                ASSERT_NEAR(fit.yes[q], slow.yes[q], 2e-5) << q << " of " << seed;
            EXPECT_NEAR(fit.objective.back(), slow.objective.back(), 1e-7);
        }
    }
}

TEST(VotePatterns, QuestionsWithTheSameAnswersAreOne) {
    // 3 annotators with 3 answers or none give 64 patterns in 2000 questions, so each occurs many
    // times. With 12 annotators nearly all patterns differ, and the table grows.
    for (const int annotators : {3, 12}) {
        VotesBuilder builder{AnswerScale{}};
        RandomStream random(5, "test.patterns", static_cast<std::uint64_t>(annotators));
        for (int q = 0; q < 2000; ++q) {
            const std::uint32_t question = builder.question("p" + std::to_string(q), "c");
            for (int r = 0; r < annotators; ++r) {
                const auto answer = static_cast<std::uint32_t>(random.below(4));
                if (answer < 3)
                    builder.add(builder.annotator("r" + std::to_string(r)), question, answer);
            }
        }
        const Votes votes = builder.build(Repeats::first, "test");
        const VotePatterns patterns = group_by_answers(votes);
        std::map<std::vector<std::uint32_t>, std::uint32_t> plain;
        for (std::size_t q = 0; q < votes.questions(); ++q) {
            const std::vector<std::uint32_t> codes(votes.of(q).begin(), votes.of(q).end());
            ++plain[codes];
            EXPECT_TRUE(std::ranges::equal(patterns[patterns.of_question[q]], codes)) << q;
        }
        ASSERT_EQ(patterns.size(), plain.size());
        for (std::size_t p = 0; p < patterns.size(); ++p) {
            const std::vector<std::uint32_t> codes(patterns[p].begin(), patterns[p].end());
            EXPECT_EQ(patterns.questions[p], plain[codes]);
        }
    }
}

TEST(DawidSkene, TheObjectiveNeverFalls) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Crowd crowd = made_crowd(500, mixed_annotators(), 0.2, 0.5, seed);
        DawidSkeneOptions options;
        options.tolerance = 1e-10;
        const DawidSkene fit = dawid_skene(crowd.votes, options);
        EXPECT_TRUE(fit.converged);
        EXPECT_GE(static_cast<std::size_t>(fit.passes), fit.objective.size());
        for (std::size_t p = 1; p < fit.objective.size(); ++p)
            EXPECT_GE(fit.objective[p], fit.objective[p - 1] - 1e-9 * std::abs(fit.objective[p]));
        EXPECT_GT(fit.objective.back(), fit.objective.front());
    }
}

TEST(DawidSkene, BeatsTheMajorityWithUnequalAnnotators) {
    const Crowd crowd = made_crowd(3000, mixed_annotators(), 0.3, 1, 11);
    const DawidSkene fit = dawid_skene(crowd.votes);
    const double ds = errors(fit.yes, crowd.truth),
                 majority = errors(vote_proportions(crowd.votes), crowd.truth),
                 weighted =
                     errors(weighted_proportions(crowd.votes, agreement_weights(crowd.votes)),
                            crowd.truth);
    EXPECT_LT(ds, 0.03);
    EXPECT_LT(ds, 0.6 * majority);
    EXPECT_LE(weighted, majority);
    // Confusion matrices: each entry p comes from about n = 900 or 2100 answers. The tolerance is 5
    // standard errors of the proportion, and a little for the estimated truth.
    for (std::size_t r = 0; r < 7; ++r) {
        for (std::size_t l = 0; l < 2; ++l) {
            for (std::size_t a = 0; a < 3; ++a) {
                const double p = crowd.confusion[r][l][a], n = l == 1 ? 900 : 2100;
                EXPECT_NEAR(fit.confusion[(r * 2 + l) * 3 + a], p,
                            5 * std::sqrt(p * (1 - p) / n) + 0.01)
                    << r << " " << l << " " << a;
            }
        }
    }
    EXPECT_NEAR(fit.prior[1], 0.3, 5 * std::sqrt(0.21 / 3000));
    // Posteriors are calibrated: of the questions with a posterior of about 0.9 or more, nearly all
    // are true.
    double sum = 0, right = 0, n = 0;
    for (std::size_t q = 0; q < 3000; ++q) {
        if (fit.yes[q] < 0.8) continue;
        sum += fit.yes[q];
        right += crowd.truth[q];
        ++n;
    }
    EXPECT_NEAR(right / n, sum / n, 4 * std::sqrt(0.05 / n));
}

TEST(DawidSkene, SameBitsForAnyNumberOfThreads) {
    const Crowd crowd = made_crowd(20000, mixed_annotators(), 0.3, 0.6, 3);
    DawidSkeneOptions one, three;
    one.threads = 1;
    three.threads = 3;
    const DawidSkene a = dawid_skene(crowd.votes, one), b = dawid_skene(crowd.votes, three);
    EXPECT_EQ(a.yes, b.yes);
    EXPECT_EQ(a.confusion, b.confusion);
    EXPECT_EQ(a.objective, b.objective);
}

TEST(DawidSkene, AnswersThatLieAreTurnedRound) {
    // Most annotators answer no where the truth is yes, which EM alone cannot detect. So the latent
    // class with the more positive answers is called yes.
    const std::vector<std::vector<double>> good = {{0.9, 0.05, 0.05}, {0.05, 0.05, 0.9}};
    const Crowd crowd = made_crowd(500, {good, good, good, good}, 0.5, 1, 9);
    const DawidSkene fit = dawid_skene(crowd.votes);
    for (std::size_t r = 0; r < 4; ++r)
        EXPECT_GT(fit.confusion[(r * 2 + 1) * 3 + 2], fit.confusion[(r * 2) * 3 + 2]);
    EXPECT_FALSE(fit.reordered);
}

TEST(DawidSkene, OneAnnotator) {
    const DawidSkene fit = dawid_skene(votes_from({{2}, {0}, {1}, {2}, {-1}}));
    EXPECT_EQ(fit.yes[0], 1);
    EXPECT_EQ(fit.yes[1], 0);
    EXPECT_EQ(fit.yes[2], 0.5);
    // Without answers, the posterior is the prior, (1 + 0 + 0.5 + 1 + 0.5 + 0.01) / (5 + 0.02).
    EXPECT_NEAR(fit.yes[4], 3.01 / 5.02, 1e-12);
    ASSERT_FALSE(fit.notes.empty());
    EXPECT_THAT(fit.notes[0], HasSubstr("one annotator"));
}

TEST(DawidSkene, OneAnswerAQuestion) {
    const DawidSkene fit = dawid_skene(votes_from({{2, -1}, {-1, 0}, {-1, 2}}));
    ASSERT_FALSE(fit.notes.empty());
    EXPECT_THAT(fit.notes[0], HasSubstr("no question has two answers"));
    EXPECT_THAT(fit.yes, ElementsAre(1, 0, 1));
}

TEST(DawidSkene, Unanimous) {
    for (const int answer : {0, 1, 2}) {
        const DawidSkene fit =
            dawid_skene(votes_from({{answer, answer}, {answer, answer}, {answer, answer}}));
        for (const double y : fit.yes) EXPECT_NEAR(y, answer / 2.0, 0.02);
        EXPECT_THAT(fit.notes, ::testing::Contains(HasSubstr("all answers are the same")));
        for (const double p : fit.confusion) EXPECT_TRUE(std::isfinite(p) && p > 0);
    }
}

TEST(DawidSkene, AAnnotatorWithOneAnswerStaysFinite) {
    std::vector<std::vector<int>> rows;
    for (int q = 0; q < 40; ++q) rows.push_back({q % 2 == 0 ? 2 : 0, q % 2 == 0 ? 2 : 0, -1});
    rows[0][2] = 0;  // and that answer is a contradiction
    const DawidSkene fit = dawid_skene(votes_from(rows));
    EXPECT_GT(fit.yes[0], 0.9);
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_TRUE(std::isfinite(fit.confusion[(2 * 2 + 1) * 3 + a]));
        sum += fit.confusion[(2 * 2 + 1) * 3 + a];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(DawidSkene, WhatMakesNoSense) {
    EXPECT_THROW(dawid_skene(votes_from({})), Error);
    EXPECT_THROW(dawid_skene(votes_from({{-1, -1}})), Error);
    const Votes votes = votes_from({{0, 2}, {2, 2}});
    DawidSkeneOptions options;
    options.latents = 4;
    EXPECT_THROW(dawid_skene(votes, options), Error);
    options = {};
    options.smoothing = 0;
    EXPECT_THROW(dawid_skene(votes, options), Error);
    options = {};
    options.max_passes = 1;
    EXPECT_THAT(dawid_skene(votes, options).notes,
                ::testing::Contains(HasSubstr("not converged after 1 passes")));
}

TEST(DawidSkene, LongProductsStayFinite) {
    // With 60 annotators for each question, the ratio of the likelihoods overflows a double, but
    // its logarithm does not.
    std::vector<std::vector<int>> rows(2000, std::vector<int>(60));
    for (std::size_t q = 0; q < rows.size(); ++q) {
        for (std::size_t r = 0; r < 60; ++r) rows[q][r] = (q % 2 == 0) == (r % 7 != 0) ? 2 : 0;
    }
    const DawidSkene fit = dawid_skene(votes_from(rows));
    EXPECT_TRUE(std::isfinite(fit.log_likelihood));
    EXPECT_GT(fit.yes[0], 0.999);
    EXPECT_LT(fit.yes[1], 0.001);
}

}  // namespace
}  // namespace assay
