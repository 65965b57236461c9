#include "assay/mad/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/mad/pairs.h"
#include "core/random.h"
#include "core/rank_correlation.h"
#include "expected_mad.h"
#include "message_of.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Counts for tests in which single images do not matter. As many images as possible show both
/// labels.
PairCounts counts_of(std::uint32_t i, std::uint32_t j, std::uint64_t n, std::uint64_t first,
                     std::uint64_t second) {
    PairCounts pair{.first = i, .second = j};
    pair.both = first + second > n ? first + second - n : 0;
    pair.only_first = first - pair.both;
    pair.only_second = second - pair.both;
    pair.neither = n - pair.both - pair.only_first - pair.only_second;
    return pair;
}

std::vector<PairCounts> pairs_of(const json& block) {
    std::vector<PairCounts> pairs;
    const auto& correct = block["correct"];
    for (std::uint32_t i = 0; i < correct.size(); ++i) {
        for (std::uint32_t j = i + 1; j < correct.size(); ++j)
            pairs.push_back(counts_of(i, j, block["n"][i][j], correct[i][j], correct[j][i]));
    }
    return pairs;
}

PairMatrix equal_weights(std::size_t m) {
    PairMatrix weights(m);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) weights.at(i, j) = 1;
    }
    return weights;
}

TEST(MadRanking, ReferenceRankings) {
    ASSAY_EXPECTED_MAD(expected);
    std::size_t looked_at = 0;
    for (const json& block : expected["ranking"]) {
        SCOPED_TRACE(block["name"]);
        const std::vector<PairCounts> pairs = pairs_of(block);
        const std::size_t m = block["correct"].size();
        const PairMatrix a = aggressiveness(m, pairs), l = log_ratios(m, pairs);
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < m; ++j) {
                if (i != j && pairs[0].n() > 0 && block["n"][i][j] != 0) {
                    EXPECT_NEAR(a.at(i, j), number_of(block["A"][i][j]), 1e-15);
                }
                EXPECT_NEAR(std::exp(l.at(i, j)), number_of(block["B"][i][j]),
                            1e-14 * number_of(block["B"][i][j]));
            }
        }
        const PerronRanking found = perron(l);
        const HodgeRanking hodge = hodge_rank(l, equal_weights(m));
        for (std::size_t i = 0; i < m; ++i) {
            EXPECT_NEAR(found.scores[i], number_of(block["perron"][i]), 1e-13);
            EXPECT_NEAR(hodge.scores[i], number_of(block["hodge"][i]), 1e-13);
        }
        EXPECT_NEAR(found.eigenvalue, number_of(block["lambda_max"]), 1e-12);
        EXPECT_NEAR(found.consistency_index, number_of(block["consistency_index"]), 1e-12);
        EXPECT_EQ(places_of(found.scores), block["rank"].get<std::vector<double>>());
        EXPECT_LT(found.iterations, 60U);
        ++looked_at;
    }
    EXPECT_EQ(looked_at, 6U);
}

TEST(MadRanking, RealRun) {
    ASSAY_EXPECTED_MAD(expected);
    for (const json& run : expected["real_run"]) {
        SCOPED_TRACE(run["name"]);
        for (const char* key : {"correct", "n", "perron"})
            ASSERT_TRUE(run.contains(key)) << run.dump().substr(0, 400);
        const PairMatrix l = log_ratios(run["correct"].size(), pairs_of(run));
        const PerronRanking found = perron(l);
        for (std::size_t i = 0; i < found.scores.size(); ++i) {
            const json& theirs = run["perron"][i];
            EXPECT_NEAR(found.scores[i],
                        theirs.is_string() ? number_of(theirs) : theirs.get<double>(), 1e-6);
        }
    }
}

TEST(MadRanking, AnotherClassifierLeavesTheOthersAsTheyWere) {
    ASSAY_EXPECTED_MAD(expected);
    const json *four = nullptr, *five = nullptr;
    for (const json& block : expected["ranking"]) {
        if (block["name"] == "m4_k10") four = &block;
        if (block["name"] == "m5_add_model") five = &block;
    }
    ASSERT_TRUE(four != nullptr && five != nullptr);
    const PairMatrix before = log_ratios(4, pairs_of(*four)),
                     after = log_ratios(5, pairs_of(*five));
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(before.at(i, j), after.at(i, j));
    }
}

TEST(MadRanking, HodgeRankWithoutSomePairs) {
    // The pairs are 0 - 1 and 1 - 2. A tree always fits exactly. Classifier 3 is in no pair.
    PairMatrix l(4), w(4);
    l.at(0, 1) = std::log(2);
    l.at(1, 0) = -l.at(0, 1);
    l.at(1, 2) = std::log(3);
    l.at(2, 1) = -l.at(1, 2);
    w.at(0, 1) = 10;
    w.at(1, 2) = 5;
    const HodgeRanking tree = hodge_rank(l, w);
    EXPECT_THAT(tree.component, testing::ElementsAre(0, 0, 0, 1));
    EXPECT_EQ(tree.components, 2U);
    EXPECT_NEAR(tree.scores[0], (2 * std::log(2) + std::log(3)) / 3, 1e-14);
    EXPECT_NEAR(tree.scores[1], (std::log(3) - std::log(2)) / 3, 1e-14);
    EXPECT_EQ(tree.scores[3], 0);
    EXPECT_NEAR(tree.residual, 0, 1e-28);
    // A weighted triangle with a cycle: the differences are 1, 1 and 1, but 2 would be consistent
    // for the last one.
    PairMatrix t(3), v(3);
    t.at(0, 1) = t.at(1, 2) = t.at(0, 2) = 1;
    t.at(1, 0) = t.at(2, 1) = t.at(2, 0) = -1;
    v.at(0, 1) = v.at(1, 2) = 1;
    v.at(0, 2) = 2;
    const HodgeRanking triangle = hodge_rank(t, v);
    EXPECT_NEAR(triangle.scores[0], .6, 1e-14);
    EXPECT_NEAR(triangle.scores[1], 0, 1e-14);
    EXPECT_NEAR(triangle.residual, .4, 1e-14);
    EXPECT_NEAR(triangle.cyclicity, .1, 1e-14);
}

TEST(MadRanking, RandomPairsByOtherMeans) {
    for (std::uint64_t world = 0; world < 30; ++world) {
        RandomStream random(world, "rankings of tests");
        const auto m = static_cast<std::uint32_t>(2 + random.below(8));
        std::vector<PairCounts> pairs;
        for (std::uint32_t i = 0; i < m; ++i) {
            for (std::uint32_t j = i + 1; j < m; ++j) {
                const std::uint64_t n = random.below(40);
                pairs.push_back(counts_of(i, j, n, random.below(n + 1), random.below(n + 1)));
            }
        }
        const PairMatrix l = log_ratios(m, pairs);
        const PerronRanking found = perron(l);
        EXPECT_NEAR(std::accumulate(found.scores.begin(), found.scores.end(), 0.0), 1, 1e-13);
        EXPECT_GE(found.eigenvalue, m - 1e-9);
        for (std::uint32_t i = 0; i < m; ++i) {
            double sum = 0;
            for (std::uint32_t j = 0; j < m; ++j)
                sum += std::exp(i == j ? 0 : l.at(i, j)) * found.scores[j];
            EXPECT_NEAR(sum, found.eigenvalue * found.scores[i], 1e-11 * sum);
        }
        // With equal weights and all pairs, the score is the mean of the row.
        const HodgeRanking hodge = hodge_rank(l, equal_weights(m));
        for (std::uint32_t i = 0; i < m; ++i) {
            double mean = 0;
            for (std::uint32_t j = 0; j < m; ++j) mean += l.at(i, j) / m;
            EXPECT_NEAR(hodge.scores[i], mean, 1e-12);
        }
    }
}

TEST(MadRanking, PublishedTable) {
    // Table 1 of the paper gives 48/55. The paper prints .89.
    const std::vector<double> accuracy{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        mad{2, 1, 7, 4, 3, 6, 5, 8, 10, 9, 11};
    EXPECT_NEAR(spearman_rho(accuracy, mad).value(), 48.0 / 55, 1e-14);
    EXPECT_NEAR(kendall_tau_b(accuracy, mad).value(), 39.0 / 55, 1e-14);
}

TEST(MadRanking, WhatItRefuses) {
    const std::vector<PairCounts> none = {counts_of(0, 1, 5, 0, 3)};
    EXPECT_THAT(message_of([&] { log_ratios(2, none, {.alpha = 0}); }),
                HasSubstr("classifier 0 is correct on none of the 5 images"));
    const std::vector<PairCounts> twice = {counts_of(0, 1, 5, 2, 3), counts_of(0, 1, 5, 2, 3)};
    EXPECT_THAT(message_of([&] { log_ratios(2, twice); }, ErrorCode::usage), HasSubstr("twice"));
    EXPECT_THAT(message_of([&] { log_ratios(1, none); }, ErrorCode::usage),
                HasSubstr("no pair of 1"));
    EXPECT_THAT(message_of([&] { log_ratios(2, none, {.alpha = -1}); }, ErrorCode::usage),
                HasSubstr("alpha is -1"));
    EXPECT_EQ(perron(log_ratios(1, {})).scores, std::vector<double>{1});
    EXPECT_EQ(perron(log_ratios(1, {})).consistency_index, 0);
    EXPECT_EQ(places_of(std::vector<double>{.3, .5, .3, .1}),
              (std::vector<double>{2.5, 1, 2.5, 4}));
}

Settled settled(const json& votes) {
    std::vector<Answer> answers;
    for (const int v : votes) answers.push_back(static_cast<Answer>(v));
    return settle(answers);
}

TEST(MadVotes, ReferenceImages) {
    ASSAY_EXPECTED_MAD(expected);
    PairCounts pair{.first = 0, .second = 1};
    for (const json& image : expected["voting"]["images"]) {
        const Settled i = settled(image["li"]), j = settled(image["lj"]);
        count(pair, i, j);
        EXPECT_EQ(name_of(case_of(i, j)),
                  image["case"] == "replace" ? "replaced" : image["case"].get<std::string>());
        if (image.contains("winner")) {
            EXPECT_EQ(i.yes, image["winner"] == "i");
        }
    }
    const json& counts = expected["voting"]["counts"];
    EXPECT_EQ(pair.both, counts["I"]);
    EXPECT_EQ(pair.only_first + pair.only_second, counts["II"]);
    EXPECT_EQ(pair.neither, counts["III"]);
    EXPECT_EQ(pair.replaced, counts["replaced"]);
    EXPECT_EQ(pair.first_correct(), counts["correct_i"]);
    EXPECT_EQ(pair.second_correct(), counts["correct_j"]);
}

// For every sequence of five answers: a question is settled exactly if no further answers can
// change the result.
TEST(MadVotes, SettledMeansThatNothingChangesIt) {
    for (int code = 0; code < 243; ++code) {
        std::vector<Answer> all;
        for (int i = 0, rest = code; i < 5; ++i, rest /= 3)
            all.push_back(static_cast<Answer>(rest % 3));
        for (std::size_t known = 0; known <= 5; ++known) {
            const std::span<const Answer> part(all.data(), known);
            bool changes = false;
            const Settled end = settle(all);
            int more = 1;
            for (std::size_t i = known; i < 5; ++i) more *= 3;
            for (int other = 0; other < more; ++other) {
                std::vector<Answer> full(part.begin(), part.end());
                for (int i = 0, rest = other; full.size() < 5; ++i, rest /= 3)
                    full.push_back(static_cast<Answer>(rest % 3));
                const Settled s = settle(full);
                changes = changes || s.yes != end.yes || s.unclear != end.unclear;
            }
            EXPECT_EQ(is_settled(part, 5), !changes) << code << " " << known;
        }
    }
    EXPECT_TRUE(is_settled(std::vector<Answer>(3, Answer::yes), 5));
    EXPECT_FALSE(settle({}).yes);
    EXPECT_FALSE(settle({}).unclear);
}

}  // namespace
}  // namespace assay::mad
