#include "assay/mad/rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "core/rank_correlation.h"
#include "core/statistics.h"
#include "expected_mad.h"
#include "mad/rank_bootstrap.h"
#include "mad/rank_compare.h"
#include "message_of.h"
#include "rank_world.h"
#include "scratch.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using rank_test::counts_of_correct;
using rank_test::RankWorld;
using rank_test::write_world;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lettered(std::size_t m) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < m; ++c) names.emplace_back(1, static_cast<char>('a' + c));
    return names;
}

/// The competition of a block of the reference numbers.
RankWorld world_of(const json& block) {
    const json& correct = block["correct"];
    RankWorld world(block.contains("models") ? block["models"].get<std::vector<std::string>>()
                                             : lettered(correct.size()));
    for (std::uint32_t i = 0; i < correct.size(); ++i) {
        for (std::uint32_t j = i + 1; j < correct.size(); ++j)
            world.counts(counts_of_correct(i, j, block["n"][i][j], correct[i][j], correct[j][i]));
    }
    return world;
}

std::vector<double> places_in_order(const Ranking& ranking) {
    std::vector<double> places;
    for (const RankedClassifier& one : ranking.classifiers) places.push_back(one.place);
    return places;
}

RankOptions quick() {
    RankOptions options;
    options.bootstraps = 50;
    options.posterior.draws = 200;
    return options;
}

TEST(MadRank, ReferenceRankingsThroughTheFolder) {
    ASSAY_EXPECTED_MAD(expected);
    const Scratch scratch;
    std::size_t looked_at = 0;
    for (const json& block : expected["ranking"]) {
        SCOPED_TRACE(block["name"]);
        const Competition competition =
            write_world(scratch / block["name"].get<std::string>(), world_of(block));
        const Ranking found = rank_classifiers(competition, quick());
        const std::vector<double> places = block["rank"];
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_NEAR(found.classifiers[i].perron, number_of(block["perron"][i]), 1e-13);
            for (std::size_t j = 0; j < places.size(); ++j) {
                if (i != j && block["n"][i][j] != 0) {
                    EXPECT_NEAR(found.aggressiveness.at(i, j), number_of(block["A"][i][j]), 1e-15);
                }
            }
        }
        EXPECT_NEAR(found.consistency_index, number_of(block["consistency_index"]), 1e-12);
        const bool all = std::all_of(found.pairs.begin(), found.pairs.end(),
                                     [](const RankedPair& pair) { return pair.counts.n() > 0; });
        EXPECT_EQ(found.placed_by, all ? PlacedBy::perron : PlacedBy::hodge);
        if (all) {
            EXPECT_EQ(places_in_order(found), places);
        } else {
            EXPECT_THAT(found.warnings, Contains(HasSubstr("without a settled image")));
        }
        ++looked_at;
    }
    EXPECT_EQ(looked_at, 6U);
}

TEST(MadRank, RealRuns) {
    ASSAY_EXPECTED_MAD(expected);
    const Scratch scratch;
    for (const json& run : expected["real_run"]) {
        const auto name = run["name"].get<std::string>();
        SCOPED_TRACE(name);
        const Competition competition = write_world(scratch / name, world_of(run));
        std::string csv = "model,accuracy\n";
        for (std::size_t i = 0; i < run["models"].size(); ++i)
            csv += fmt::format("{},{}\n", run["models"][i].get<std::string>(),
                               run["pool_accuracy"][i].get<double>());
        csv += "resnet50,.8\n";
        const std::filesystem::path file = scratch / (name + ".csv");
        write_file_atomically(file, csv);
        RankOptions options = quick();
        options.against = file;
        options.ablation = true;
        options.posterior.level = .9;
        const Ranking found = rank_classifiers(competition, options);
        for (std::size_t i = 0; i < found.classifiers.size(); ++i)
            EXPECT_NEAR(found.classifiers[i].perron, run["perron"][i].get<double>(), 1e-12);
        EXPECT_NEAR(found.eigenvalue, run["lambda_max"].get<double>(), 1e-11);
        // The specification gives .886 and .943.
        ASSERT_EQ(found.comparisons.size(), 1U);
        const bool strict = name == "real_run_T0.8";
        EXPECT_NEAR(found.comparisons[0].srcc.value.value(), strict ? .886 : .943, .0005);
        EXPECT_LE(found.comparisons[0].srcc.interval.value().low,
                  found.comparisons[0].srcc.value.value());
        EXPECT_THAT(found.warnings, Contains(HasSubstr("is named `resnet50`")));
        EXPECT_DOUBLE_EQ(found.ablation.back().srcc.value.value(), 1);
        EXPECT_EQ(found.ablation.back().k, 30U);
        EXPECT_EQ(found.ablation.size(), 30U);
        // The classifiers of the file that compete, the best of the competition first.
        const std::vector<ComparedRank>& ranks = found.comparisons[0].ranks;
        ASSERT_EQ(ranks.size(), run["models"].size());
        double moved = 0, squares = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            EXPECT_EQ(ranks[i].rank, static_cast<double>(i + 1));
            EXPECT_EQ(ranks[i].moved, ranks[i].other - ranks[i].rank);
            moved += ranks[i].moved;
            squares += ranks[i].moved * ranks[i].moved;
        }
        EXPECT_EQ(moved, 0);
        // Spearman's correlation without ties is 1 - 6 sum d^2 / (m^3 - m).
        const auto m = static_cast<double>(ranks.size());
        EXPECT_NEAR(1 - 6 * squares / (m * m * m - m), *found.comparisons[0].srcc.value, 1e-12);
        // As in the specification, v2_q and v1_.75 are not separated, and the first and the last
        // classifiers are far from the best.
        if (strict) {
            EXPECT_GT(found.better.at(3, 2), .3);
            EXPECT_LT(found.better.at(3, 2), .7);
            EXPECT_GE(found.classifiers[5].rank.interval.value().low, 5);
            EXPECT_GE(found.classifiers[0].rank.interval.value().low, 4);
            EXPECT_THAT(render(report_of(found), ReportFormat::text), HasSubstr("Not resolved"));
        }
        EXPECT_LT(found.expected_tau, 1);
        // All selected images are answered, so their order is known.
        EXPECT_DOUBLE_EQ(found.list_tau, 1);
        EXPECT_TRUE(found.enough);
    }
}

TEST(MadRank, PublishedTable) {
    // Table 1 of the paper. The paper prints .89 for it.
    const std::vector<double> places = {2, 1, 7, 4, 3, 6, 5, 8, 10, 9, 11};
    OtherScores scores;
    for (int rank = 1; rank <= 11; ++rank) scores.emplace_back(-rank);
    const Comparison found = compare_places("table 1", places, scores, {}, .95);
    EXPECT_NEAR(found.srcc.value.value(), 48.0 / 55, 1e-14);
    EXPECT_NEAR(found.kendall.value.value(), 39.0 / 55, 1e-14);
    EXPECT_FALSE(found.srcc.interval);
}

/// Classifiers of these strengths on images that pairs share. Five annotators are correct in 90 %.
RankWorld noisy_world(std::size_t m, std::uint32_t k, std::uint64_t seed, double correct = .9) {
    RankWorld world(lettered(m), 5);
    world.k = k;
    RandomStream random(seed, "competitions of tests");
    for (std::uint32_t i = 0; i < m; ++i) {
        for (std::uint32_t j = i + 1; j < m; ++j) {
            const std::int64_t pair = world.pair(i, j);
            for (std::uint32_t n = 0; n < k; ++n) {
                // The same images and labels occur in several pairs, and always have the same
                // answers.
                const auto image = static_cast<std::int64_t>(n + k * random.below(4));
                const auto first = static_cast<std::uint16_t>(i),
                           second = static_cast<std::uint16_t>(j);
                if (std::any_of(world.selected.begin(), world.selected.end(),
                                [&](const SelectedRow& row) {
                                    return row.pair == pair && row.image == image;
                                }))
                    continue;
                world.place(pair, image, first, second);
                for (const std::uint16_t label : {first, second}) {
                    const std::size_t before = world.questions.size();
                    const std::int64_t id = world.question(image, label);
                    if (world.questions.size() == before) continue;
                    const bool truth = random.uniform() < .2 + .6 * label / static_cast<double>(m);
                    std::vector<int> said;
                    for (int a = 0; a < 5; ++a)
                        said.push_back((random.uniform() < correct) == truth);
                    world.answer(id, said);
                }
            }
        }
    }
    return world;
}

/// The pairs between classifiers below `m`, with their rows.
RankWorld first_classifiers(const RankWorld& whole, std::size_t m) {
    RankWorld part = whole;
    part.names.resize(m);
    std::erase_if(part.pairs, [&](const PairRow& pair) { return pair.second >= m; });
    std::erase_if(part.selected, [&](const SelectedRow& row) {
        return std::none_of(part.pairs.begin(), part.pairs.end(),
                            [&](const PairRow& pair) { return pair.id == row.pair; });
    });
    return part;
}

TEST(MadRank, AddingAndLeavingOutChangeNoOtherPair) {
    const RankWorld five = noisy_world(5, 12, 1);
    const Scratch scratch;
    const Ranking whole = rank_classifiers(write_world(scratch / "five", five), quick());
    const Ranking four =
        rank_classifiers(write_world(scratch / "four", first_classifiers(five, 4)), quick());
    RankWorld removed = five;
    removed.active = {true, true, true, true, false};
    const Ranking after = rank_classifiers(write_world(scratch / "removed", removed), quick());
    RankOptions options = quick();
    options.without = {"e"};
    const Ranking without = rank_classifiers(Competition::open(scratch / "five"), options);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            EXPECT_EQ(whole.aggressiveness.at(i, j), four.aggressiveness.at(i, j));
            EXPECT_EQ(whole.log_ratios.at(i, j), four.log_ratios.at(i, j));
        }
        for (const Ranking* other : {&after, &without}) {
            const RankedClassifier &a = four.classifiers[i], &b = other->classifiers[i];
            EXPECT_EQ(a.perron, b.perron);
            EXPECT_EQ(a.place, b.place);
            EXPECT_EQ(*a.score.value, *b.score.value);
            EXPECT_EQ(a.rank.interval, b.rank.interval);
            EXPECT_EQ(a.bootstrap_rank, b.bootstrap_rank);
        }
    }
    EXPECT_EQ(four.better, without.better);
    EXPECT_EQ(four.questions, after.questions);
}

TEST(MadRank, TheOrderOfClassifiersDecidesNothing) {
    const RankWorld world = noisy_world(5, 12, 2);
    RankWorld turned = world;
    const auto turn = [](std::uint32_t c) { return 4 - c; };
    for (PairRow& pair : turned.pairs) {
        const std::uint32_t first = pair.first;
        pair.first = turn(pair.second);
        pair.second = turn(first);
    }
    for (SelectedRow& row : turned.selected) std::swap(row.first_label, row.second_label);
    std::reverse(turned.names.begin(), turned.names.end());
    const Scratch scratch;
    RankOptions options = quick();
    options.ablation = true;
    const Ranking a = rank_classifiers(write_world(scratch / "a", world), options),
                  b = rank_classifiers(write_world(scratch / "b", turned), options);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(a.classifiers[i].name, b.classifiers[4 - i].name);
        EXPECT_EQ(a.classifiers[i].place, b.classifiers[4 - i].place);
        EXPECT_EQ(a.classifiers[i].bootstrap_rank, b.classifiers[4 - i].bootstrap_rank);
        EXPECT_NEAR(*a.classifiers[i].score.value, *b.classifiers[4 - i].score.value, 1e-12);
    }
    ASSERT_EQ(a.ablation.size(), b.ablation.size());
    for (std::size_t r = 0; r < a.ablation.size(); ++r)
        EXPECT_EQ(a.ablation[r].srcc.value, b.ablation[r].srcc.value);
}

TEST(MadRank, SameBitsForAnyNumberOfThreads) {
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", noisy_world(5, 12, 3));
    RankOptions options;
    options.bootstraps = 130;
    std::string first;
    for (const int threads : {1, 2, 3, 7}) {
        options.threads = threads;
        for (const VoteRule votes : {VoteRule::majority, VoteRule::dawid_skene}) {
            options.votes = votes;
            const std::string text =
                report_of(rank_classifiers(competition, options)).result.dump();
            if (threads == 1 && votes == VoteRule::majority) first = text;
            if (votes == VoteRule::majority) {
                EXPECT_EQ(text, first) << threads;
            }
        }
    }
}

TEST(MadRank, QuestionsAreCountedOnceAndSavedWhereShared) {
    RankWorld world({"a", "b", "c"}, 3);
    world.k = 1;
    const std::int64_t ab = world.pair(0, 1), ac = world.pair(0, 2), bc = world.pair(1, 2);
    // One image is used for all three pairs, so three questions are enough instead of six.
    world.place(ab, 1, 10, 11);
    world.place(ac, 1, 10, 12);
    world.place(bc, 1, 11, 12);
    world.answer(world.question(1, 10), {1, 1, 1});
    world.answer(world.question(1, 11), {0, 0, 0});
    world.answer(world.question(1, 12), {0, 0, 0});
    world.answer(world.question(9, 9, true), {1, 1, 1});  // gold questions that belong to no pair
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.questions, 3U);
    EXPECT_EQ(found.settled, 3U);
    EXPECT_EQ(found.answers, 9U);
    EXPECT_EQ(found.annotators, 3U);
    EXPECT_EQ(found.saved, 3U);
    EXPECT_EQ(found.needed_without_sharing, 6U);
    EXPECT_DOUBLE_EQ(found.answers_per_question, 3);
    EXPECT_EQ(found.cases[1], 2U);
    EXPECT_EQ(found.cases[2], 1U);
    // a is in two pairs with the same image.
    EXPECT_EQ(found.classifiers[0].images, 1U);
    EXPECT_EQ(found.classifiers[0].correct.n, 1U);
    EXPECT_EQ(found.classifiers[0].place, 1);
    EXPECT_EQ(found.classifiers[1].place, 2.5);
    const Report report = report_of(found);
    EXPECT_FALSE(report.partial);
    EXPECT_EQ(report.result["needed_without_sharing"], 6);
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("\n2.5 (2 – 3)  b"));
}

TEST(MadRank, LaterAnswersNeitherDecideNorCost) {
    RankWorld world({"a", "b"}, 6);
    const std::int64_t pair = world.pair(0, 1);
    world.place(pair, 1, 10, 11);
    world.answer(world.question(1, 10), {1, 1, 1, 0, 0, 0});
    world.answer(world.question(1, 11), {0, 0, 0, 0, 0, 0});
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.pairs[0].counts.only_first, 1U);
    EXPECT_DOUBLE_EQ(found.answers_per_question, 5);
    EXPECT_THAT(render(report_of(found), ReportFormat::text),
                HasSubstr("needed 5.00 answers on average, of at most 5"));
}

TEST(MadRank, AnImageToReplaceIsNotOpen) {
    RankWorld world({"a", "b"}, 5);
    world.counts({.first = 0, .second = 1, .only_first = 5, .only_second = 1});
    world.place(1, 900, 4, 5);
    world.answer(world.question(900, 4), {2, 2, 2, 2, 2});
    world.answer(world.question(900, 5), {1});  // unfinished, because no longer shown
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.pairs[0].open, 0U);
    EXPECT_EQ(found.pairs[0].to_replace, 1U);
    EXPECT_EQ(found.open, 0U);
    EXPECT_EQ(found.questions, 14U);
    EXPECT_EQ(found.settled, 13U);
    EXPECT_THAT(found.warnings,
                Contains(HasSubstr("1 selected image nobody can judge; run `assay mad select ")));
    EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("mad answers"))));
    EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("not a random part"))));
    const Report report = report_of(found);
    EXPECT_FALSE(report.partial);
    EXPECT_THAT(render(report, ReportFormat::text),
                HasSubstr("1 is no longer wanted, because nobody can judge"));
}

TEST(MadRank, WhatIsMissingIsNamed) {
    RankWorld world({"a", "b"}, 3);
    world.counts({.first = 0, .second = 1, .only_first = 5, .only_second = 5});
    RankOptions options = quick();
    options.stop_at = .999;
    const Scratch scratch;
    const auto text = [&](const std::string& name) {
        return render(report_of(rank_classifiers(write_world(scratch / name, world), options)),
                      ReportFormat::text);
    };
    // A known tie cannot have a wrong order.
    EXPECT_THAT(text("all"), HasSubstr("No further answers are needed for 0.999"));
    world.place(1, 900, 4, 5, false);
    EXPECT_THAT(text("unasked"), HasSubstr("of the first: 1 selected image is not asked about "
                                           "(`assay mad questions`)."));
    world.selected.back().asked = true;
    world.answer(world.question(900, 4), {1});
    world.question(900, 5);
    EXPECT_THAT(text("open"), HasSubstr("of the first: 2 questions are open."));
    world.votes = 1;
    for (AnswerRow& row : world.answers)
        if (row.question == world.question(900, 4)) row.answer = Answer::cannot_say;
    EXPECT_THAT(text("unclear"),
                HasSubstr("of the first: 1 image is to be replaced (`assay mad select`)."));
}

TEST(MadRank, ClassifiersThatAreTheSame) {
    // a and b make the same predictions, so their pair has no image. The order on the selected
    // images is still known.
    RankWorld world({"a", "b", "c"}, 3);
    world.images = 10;
    world.labels.assign(3, std::vector<std::uint16_t>(10, 1));
    world.labels[2][0] = 2;
    world.pair(0, 1);
    world.counts({.first = 0, .second = 2, .only_first = 4, .only_second = 1});
    world.counts({.first = 1, .second = 2, .only_first = 4, .only_second = 1});
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.list_tau, 1);
    EXPECT_TRUE(found.enough);
    EXPECT_LT(found.expected_tau, .95);
    EXPECT_EQ(std::count_if(
                  found.warnings.begin(), found.warnings.end(),
                  [](const std::string& one) { return one.find("a and b") != std::string::npos; }),
              1);
    EXPECT_THAT(found.warnings,
                Contains(HasSubstr("a and b make the same prediction for every image")));
}

TEST(MadRank, GroupsAreNotCompared) {
    RankWorld world(lettered(4));
    world.counts({.first = 0, .second = 1, .only_first = 9, .only_second = 2});
    world.counts({.first = 2, .second = 3, .only_first = 1, .only_second = 8});
    world.images = 50;
    world.labels.assign(4, std::vector<std::uint16_t>(50, 1));
    for (std::uint16_t c = 1; c < 4; ++c) world.labels[c].assign(50, c);
    world.control = {{40, 1, 50, 1}};
    for (std::uint16_t c = 1; c < 4; ++c)
        world.answer(world.question(40, c), {c == 2, c == 2, c == 2});
    RankOptions options = quick();
    const Scratch scratch;
    options.against = scratch / "other.csv";
    write_file_atomically(options.against, std::string("model,score\na,4\nb,3\nc,2\nd,1\n"));
    const Competition competition = write_world(scratch / "mad", world);
    const Ranking found = rank_classifiers(competition, options);
    ASSERT_EQ(found.comparisons.size(), 2U);
    for (const Comparison& one : found.comparisons) {
        for (const Estimate* estimate : {&one.srcc, &one.kendall}) {
            EXPECT_FALSE(estimate->value);
            EXPECT_FALSE(estimate->interval);
            EXPECT_THAT(estimate->undefined, HasSubstr("no chain of pairs"));
        }
        EXPECT_TRUE(one.ranks.empty());
    }
}

TEST(MadRank, OpenQuestionsMakeItPartial) {
    RankWorld world({"a", "b"}, 3);
    world.counts({.first = 0, .second = 1, .only_first = 5, .only_second = 1});
    world.place(1, 900, 4, 5);
    world.answer(world.question(900, 4), {1, 1, 1});
    world.answer(world.question(900, 5), {1});
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.questions - found.settled, 1U);
    EXPECT_EQ(found.pairs[0].open, 1U);
    EXPECT_EQ(found.pairs[0].counts.n(), 6U);
    EXPECT_TRUE(report_of(found).partial);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("1 of 14 questions are open")));
    EXPECT_THAT(found.warnings,
                Contains(HasSubstr("1 pair whose settled images are not a random")));
    EXPECT_LT(found.list_tau, 1);
}

TEST(MadRank, GroupsThatNoPairJoins) {
    RankWorld world(lettered(4));
    world.counts({.first = 0, .second = 1, .only_first = 9, .only_second = 2});
    world.counts({.first = 2, .second = 3, .only_first = 1, .only_second = 8});
    for (const auto& [i, j] : {std::pair{0U, 2U}, {0U, 3U}, {1U, 2U}, {1U, 3U}}) world.pair(i, j);
    const Scratch scratch;
    RankOptions options = quick();
    options.ablation = true;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), options);
    EXPECT_EQ(found.components, 2U);
    EXPECT_EQ(found.placed_by, PlacedBy::hodge);
    EXPECT_EQ(places_in_order(found), (std::vector<double>{1, 2, 2, 1}));
    EXPECT_THAT(found.warnings, Contains(HasSubstr("form 2 groups")));
    EXPECT_THAT(found.warnings, Contains(HasSubstr("4 pairs without a settled image (a and c; a "
                                                   "and d; b and c; and 1 more)")));
    EXPECT_FALSE(found.ablation.back().srcc.value);
    EXPECT_THAT(render(report_of(found), ReportFormat::text), HasSubstr("group"));
}

TEST(MadRank, UnevenAskingIsPlacedByThePosterior) {
    RankWorld world = noisy_world(4, 12, 4);
    // All images of the first classifier's pairs, and four images of the other pairs.
    for (SelectedRow& row : world.selected)
        row.asked = world.pairs[static_cast<std::size_t>(row.pair - 1)].first == 0 || row.place < 4;
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.placed_by, PlacedBy::posterior);
    std::vector<double> scores;
    for (const RankedClassifier& one : found.classifiers) scores.push_back(*one.score.value);
    EXPECT_EQ(places_in_order(found), places_of(scores));
    EXPECT_THAT(render(report_of(found), ReportFormat::text), HasSubstr("follow the posterior"));
    // The draw counts as even if each pair has the same number, or all of a shorter list.
    for (SelectedRow& row : world.selected) row.asked = row.place < 4;
    EXPECT_EQ(rank_classifiers(write_world(scratch / "even", world), quick()).placed_by,
              PlacedBy::perron);
}

TEST(MadRank, UnevenAskingOfGroupsIsPlacedByThePosterior) {
    RankWorld world(lettered(4));
    world.counts({.first = 0, .second = 1, .only_first = 9, .only_second = 2});
    world.counts({.first = 2, .second = 3, .only_first = 2, .only_second = 8});
    for (SelectedRow& row : world.selected) row.asked = row.pair == 1 || row.place < 4;
    RankOptions options = quick();
    options.ablation = true;
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), options);
    EXPECT_EQ(found.components, 2U);
    EXPECT_EQ(found.placed_by, PlacedBy::posterior);
    EXPECT_EQ(found.classifiers[0].place, 1);
    EXPECT_EQ(found.classifiers[1].place, 2);
    EXPECT_FALSE(found.ablation.back().srcc.value);
    EXPECT_THAT(render(report_of(found), ReportFormat::text),
                testing::AllOf(HasSubstr("follow the posterior"), HasSubstr("within each group")));
}

TEST(MadRank, AReplacementThatIsNotAskedYetIsNoUnevenAsking) {
    RankWorld world = noisy_world(4, 12, 4);
    const auto replaced = std::find_if(world.selected.begin(), world.selected.end(),
                                       [](const SelectedRow& row) { return row.pair == 2; });
    replaced->state = SelectedState::replaced;
    world.place(2, 5000, 0, 2, false);
    const Scratch scratch;
    EXPECT_EQ(rank_classifiers(write_world(scratch / "one", world), quick()).placed_by,
              PlacedBy::perron);
    // There are two images without questions, and one of them replaces no other image.
    world.place(2, 5001, 0, 2, false);
    for (std::int64_t image = 6000; image < 6004; ++image) {
        world.place(1, image, 0, 1);
        for (const std::uint16_t label : {std::uint16_t{0}, std::uint16_t{1}})
            world.answer(world.question(image, label), {1, 1, 1, 1, 1});
    }
    EXPECT_EQ(rank_classifiers(write_world(scratch / "two", world), quick()).placed_by,
              PlacedBy::posterior);
}

// If further answers would not help, the message proposes another command.
TEST(MadRank, NothingToRankByNamesTheCommandThatHelps) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.votes = 3;
    const auto message = [&](const std::string& name) {
        write_world(scratch / name, world);
        return message_of([&] { rank_classifiers(Competition::open(scratch / name), quick()); },
                          ErrorCode::usage);
    };
    const std::int64_t pair = world.pair(0, 1);
    EXPECT_THAT(
        message("1"),
        HasSubstr("no image qualifies for any of 1 pairs; to see why, run `assay mad select "));
    // The image with questions is replaced, and the other one has no questions yet.
    world.place(pair, 1, 2, 3);
    world.selected[0].state = SelectedState::replaced;
    world.place(pair, 2, 2, 3, false);
    EXPECT_THAT(message("2"), HasSubstr("there are no questions yet; run `assay mad questions "));
    world.selected[1].asked = true;
    world.answer(world.question(2, 2), {2, 2, 2});
    world.question(2, 3);
    EXPECT_THAT(
        message("3"),
        HasSubstr("nobody can judge the selected images; to replace them, run `assay mad select "));
}

TEST(MadRank, WhatItRefuses) {
    const Scratch scratch;
    RankWorld world({"a", "b", "c"});
    const auto message = [&](const std::string& name, const RankOptions& options = quick(),
                             ErrorCode code = ErrorCode::usage) {
        if (!std::filesystem::exists(scratch / name)) write_world(scratch / name, world);
        return message_of([&] { rank_classifiers(Competition::open(scratch / name), options); },
                          code);
    };
    EXPECT_THAT(message("1"), HasSubstr("`assay mad select "));
    const std::int64_t pair = world.pair(0, 1);
    world.place(pair, 1, 2, 3, false);
    EXPECT_THAT(message("2"), HasSubstr("there are no questions yet; run `assay mad questions "));
    world.selected[0].asked = true;
    world.question(1, 2);
    world.question(1, 3);
    EXPECT_THAT(
        message("3"),
        HasSubstr("no question is answered yet; to import answers, run `assay mad answers "));
    world.answer(1, {1, 1, 1});
    EXPECT_THAT(message("4"), HasSubstr("no image has both of its questions settled"));
    world.answer(2, {0, 0, 0});
    RankOptions options = quick();
    options.without = {"aa"};
    EXPECT_THAT(message("5", options), HasSubstr("did you mean `a`?"));
    options.without = {"a", "c"};
    EXPECT_THAT(message("5", options), HasSubstr("two classifiers, but"));
    options = quick();
    options.stop_at = 1;
    EXPECT_THAT(message("5", options), HasSubstr("must be in (0, 1)"));
    options = quick();
    options.ratios.alpha = 0;
    EXPECT_THAT(message("5", options),
                HasSubstr("b is correct on none of the 1 images of the pair a "
                          "and b"));
    options = quick();
    options.against = scratch / "other.csv";
    const auto against = [&](const std::string& csv) {
        write_file_atomically(options.against, csv);
        return message("5", options, ErrorCode::bad_input);
    };
    EXPECT_THAT(against("model,score\na,1\nb,2\n"), HasSubstr("it has 2 of the ranked"));
    EXPECT_THAT(against("model,score\na,1\na,2\n"), HasSubstr("line 3: model `a` appears twice"));
    EXPECT_THAT(against("model,score\na,nan\n"), HasSubstr("the score is `nan`"));
    EXPECT_THAT(against("model,top1\na,1\n"), HasSubstr("score, accuracy or rank"));
    // The scores are probably losses, because the best model has the lowest value.
    EXPECT_THAT(against("model,score,rank\na,.1,1\nb,.2,2\nc,.3,3\n"),
                HasSubstr("order `a` and `b` differently (rank 1 and 2, score 0.1 and 0.2)"));
}

TEST(MadRank, WithoutSmoothing) {
    // b is correct only on the last images of the list. The ratio over all images is 9/3.
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 9, .only_second = 3});
    RankOptions options = quick();
    options.ratios.alpha = 0;
    options.ablation = true;
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), options);
    EXPECT_NEAR(found.classifiers[0].perron, .75, 1e-13);
    EXPECT_EQ(found.ablation.size(), 12U);
    EXPECT_EQ(found.ablation.back().k, 12U);
}

TEST(MadRank, PlacesThatNoListCanHaveCostNothing) {
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 3});
    world.selected.back().place = UINT32_MAX;
    RankOptions options = quick();
    options.ablation = true;
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), options);
    EXPECT_EQ(found.ablation.size(), 3U);
    EXPECT_EQ(found.ablation.back().images, 3U);
}

TEST(MadRank, RanksOfAFileAreBestFirst) {
    const Scratch scratch;
    const std::filesystem::path file = scratch / "ranks.csv";
    write_file_atomically(file, std::string("classifier,place\nc,1\na,2\nb,3\n"));
    std::vector<std::string> unknown;
    const OtherScores scores = read_other_scores(file, {"a", "b", "c"}, unknown);
    EXPECT_DOUBLE_EQ(compare_places("", {2, 3, 1}, scores, {}, .95).kendall.value.value(), 1);
    EXPECT_TRUE(unknown.empty());
    // Scores in another column that give the same order, except for a tie.
    write_file_atomically(file, std::string("model,place,score\nc,1,.9\na,2,.5\nb,3,.5\n"));
    EXPECT_EQ(read_other_scores(file, {"a", "b", "c"}, unknown), (OtherScores{.5, .5, .9}));
    EXPECT_THAT(compare_places("", {1, 1, 1}, scores, {}, .95).srcc.undefined,
                HasSubstr("the same place"));
}

TEST(MadRank, ControlSampleBesideIt) {
    RankWorld world = noisy_world(3, 6, 5);
    world.images = 1000;
    world.labels.assign(3, std::vector<std::uint16_t>(1000, 1));
    world.labels[1].assign(1000, 2);
    world.labels[2].assign(1000, 3);
    for (std::int64_t image = 500; image < 520; ++image) {
        world.control.push_back({image, 0, 1000, 20});
        for (std::uint16_t c = 0; c < 3; ++c)
            world.answer(world.question(image, static_cast<std::uint16_t>(c + 1)),
                         std::vector<int>(5, image < 505 + 5 * c));
    }
    const Scratch scratch;
    const Ranking found = rank_classifiers(write_world(scratch / "mad", world), quick());
    EXPECT_EQ(found.control, 20U);
    EXPECT_DOUBLE_EQ(found.classifiers[0].accuracy.value.value(), .25);
    EXPECT_DOUBLE_EQ(found.classifiers[2].accuracy.value.value(), .75);
    ASSERT_EQ(found.comparisons.size(), 1U);
    EXPECT_EQ(found.comparisons[0].with, "accuracy (control sample)");
    EXPECT_EQ(found.comparisons[0].classifiers, 3U);
    // 60 questions of the control sample, in addition to two for each place.
    std::uint64_t places = 0;
    for (const RankedPair& pair : found.pairs) places += pair.asked;
    EXPECT_EQ(found.needed_without_sharing, 60 + 2 * places);
    EXPECT_EQ(found.saved, 60 + 2 * places - found.questions);
    // If two classifiers predict the same label, the sample asks once. This does not count as
    // sharing between places.
    world.labels[1].assign(1000, 1);
    const Ranking same = rank_classifiers(write_world(scratch / "same", world), quick());
    EXPECT_EQ(same.questions, found.questions - 20);
    EXPECT_EQ(same.saved, found.saved);
}

/// Competitions of the specification's simulation. Each pair has its own strength in addition to
/// those of the classifiers. Both labels are correct with probability .329, and none with .136.
struct TrueWorld {
    std::vector<double> places;
    PairMatrix ratios{0};
};

TrueWorld true_world(std::size_t m, std::uint64_t seed) {
    RandomStream random(seed, "true rankings of tests");
    std::vector<double> theta(m);
    for (double& t : theta) t = random.normal();
    TrueWorld world;
    world.ratios = PairMatrix(m);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            // No proportions give a ratio beyond log((I + II) / I).
            const double l = std::clamp(theta[i] - theta[j] + .4 * random.normal(), -.95, .95);
            world.ratios.at(i, j) = l;
            world.ratios.at(j, i) = -l;
        }
    }
    world.places = places_of(perron(world.ratios).scores);
    return world;
}

RankWorld sampled_world(const TrueWorld& truth, std::uint32_t k, std::uint64_t seed) {
    constexpr double both = .329, one = .535;
    const std::size_t m = truth.places.size();
    RankWorld world(lettered(m), 1);
    world.votes = 1;
    world.k = k;
    RandomStream random(seed, "answers of tests");
    for (std::uint32_t i = 0; i < m; ++i) {
        for (std::uint32_t j = i + 1; j < m; ++j) {
            const double b = std::exp(truth.ratios.at(i, j));
            const double wins = ((both + one) * b - both) / (one * (1 + b));
            PairCounts counts{.first = i, .second = j};
            for (std::uint32_t n = 0; n < k; ++n) {
                const double u = random.uniform();
                if (u < both)
                    ++counts.both;
                else if (u < both + one * wins)
                    ++counts.only_first;
                else if (u < both + one)
                    ++counts.only_second;
                else
                    ++counts.neither;
            }
            world.counts(counts);
        }
    }
    return world;
}

// 60 competitions of seven classifiers give 420 ranks, which are correlated within each
// competition. So a coverage of .9 is measured within about .04.
TEST(MadRankSimulation, BootstrapIntervalsHoldTheTruePlaces) {
    constexpr std::size_t m = 7;
    constexpr int runs = 60;
    int held = 0, points = 0;
    double width = 0;
    for (int run = 0; run < runs; ++run) {
        const TrueWorld truth = true_world(m, static_cast<std::uint64_t>(run));
        const RankWorld world = sampled_world(truth, 20, static_cast<std::uint64_t>(run));
        RankOptions options;
        options.bootstraps = 200;
        options.posterior.seed = static_cast<std::uint64_t>(run);
        const Tally tally = world.tally();
        const std::vector<std::uint32_t> component(m, 0);
        const std::vector<PairCounts> counts =
            counts_of_pairs(tally, world.pairs, world.selected, world.numbers());
        const std::vector<double> places =
            places_by(PlacedBy::perron, m, counts, options, component);
        const auto replicates =
            bootstrap_places(tally, world.pairs, world.selected, world.numbers(), PlacedBy::perron,
                             options, component);
        for (std::size_t c = 0; c < m; ++c) {
            std::vector<double> own;
            for (const auto& replicate : replicates) own.push_back(replicate[c]);
            const Interval interval = place_interval(own, places[c], .9);
            held += interval.low <= truth.places[c] && truth.places[c] <= interval.high;
            points += interval.low == interval.high;
            width += (interval.high - interval.low) / (runs * m);
        }
    }
    const double coverage = held / static_cast<double>(runs * m);
    RecordProperty("coverage", fmt::format("{:.4f}", coverage));
    RecordProperty("width", fmt::format("{:.3f}", width));
    EXPECT_GT(coverage, .88);
    // The intervals must not be so wide that they cover everything.
    EXPECT_LT(width, 3.5);
    EXPECT_GT(points, 0);
}

TEST(MadRankSimulation, ExpectedCorrelationsAreMet) {
    constexpr std::size_t m = 7;
    constexpr int runs = 150;
    double expected = 0, realised = 0, expected_of_list = 0, realised_of_list = 0;
    for (int run = 0; run < runs; ++run) {
        const auto seed = static_cast<std::uint64_t>(1000 + run);
        const TrueWorld truth = true_world(m, seed);
        RankWorld world = sampled_world(truth, 30, seed);
        const Tally tally = world.tally();
        const auto posterior = [&](bool of_lists) {
            PosteriorOptions options;
            options.draws = 100;
            options.lists_alone = of_lists;
            return posterior_of(
                m, answered_places(tally, world.pairs, world.selected, world.numbers(), {}),
                options);
        };
        const Posterior whole = posterior(true);
        // A random third of each list is answered.
        RandomStream random(seed, "thirds of tests");
        for (SelectedRow& row : world.selected) row.asked = random.below(3) == 0;
        const Posterior list = posterior(true), all = posterior(false);
        std::vector<double> of_list, list_scores, all_scores, true_scores;
        for (std::size_t c = 0; c < m; ++c) {
            of_list.push_back(*whole.scores[c].value);
            list_scores.push_back(*list.scores[c].value);
            all_scores.push_back(*all.scores[c].value);
            true_scores.push_back(-truth.places[c]);
        }
        expected += (1 - 2 * all.error) / runs;
        realised += kendall_tau_b(all_scores, true_scores).value() / runs;
        expected_of_list += (1 - 2 * list.error) / runs;
        realised_of_list += kendall_tau_b(list_scores, of_list).value() / runs;
    }
    for (const auto& [name, value] : {std::pair{"expected", expected},
                                      {"realised", realised},
                                      {"expected_of_list", expected_of_list},
                                      {"realised_of_list", realised_of_list}})
        RecordProperty(name, fmt::format("{:.4f}", value));
    // The claimed probability must not exceed the realized one by much. Each mean is known within
    // about .02.
    EXPECT_LT(expected, realised + .04);
    EXPECT_GT(expected, realised - .08);
    EXPECT_LT(expected_of_list, realised_of_list + .04);
    EXPECT_GT(expected_of_list, realised_of_list - .08);
}

TEST(MadBootstrap, ImagesAreWeighedOnceForAllPairs) {
    // Both pairs use the same image. In replicates in which its weight is 0, both lose it, and all
    // classifiers tie.
    RankWorld world({"a", "b", "c"}, 1);
    world.votes = 1;
    const std::int64_t ab = world.pair(0, 1), ac = world.pair(0, 2);
    world.place(ab, 1, 10, 11);
    world.place(ac, 1, 10, 12);
    world.answer(world.question(1, 10), {1});
    world.answer(world.question(1, 11), {0});
    world.answer(world.question(1, 12), {0});
    RankOptions options;
    options.bootstraps = 2000;
    const auto replicates = bootstrap_places(world.tally(), world.pairs, world.selected,
                                             world.numbers(), PlacedBy::perron, options, {0, 0, 0});
    const BootstrapWeights weights(0, "mad images");
    int without = 0;
    for (std::size_t r = 0; r < replicates.size(); ++r) {
        const bool there = weights(r, 1) > 0;
        without += there ? 0 : 1;
        EXPECT_EQ(replicates[r],
                  there ? (std::vector<double>{1, 2.5, 2.5}) : (std::vector<double>{2, 2, 2}));
    }
    EXPECT_NEAR(without / 2000.0, std::exp(-1), .04);
}

TEST(MadBootstrap, APairThatLosesItsImagesIsNoTie) {
    // a is better than b, and b much better than c. Perron's vector counts the missing pair of a
    // and c as a tie, so a would rank below b.
    std::vector<PairCounts> counts(3);
    counts[0] = {.first = 0, .second = 1, .only_first = 1};
    counts[1] = {.first = 0, .second = 2};
    counts[2] = {.first = 1, .second = 2, .only_first = 9};
    EXPECT_EQ(rule_for(PlacedBy::perron, 3, counts), PlacedBy::hodge);
    EXPECT_EQ(rule_for(PlacedBy::posterior, 3, counts), PlacedBy::posterior);
    EXPECT_EQ(places_by(PlacedBy::perron, 3, counts, {}, {0, 0, 0}),
              (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(places_of(perron(log_ratios(3, counts, {})).scores), (std::vector<double>{2, 1, 3}));
    counts[1].only_second = 1;
    EXPECT_EQ(rule_for(PlacedBy::perron, 3, counts), PlacedBy::perron);
}

TEST(MadBootstrap, AnnotatorsAreDrawnWithReplacement) {
    // Two annotators say that a is correct, and one says b. A replicate reverses the answer if it
    // draws the third annotator two or three times: 3 (1/3)^2 (2/3) + (1/3)^3 = 7/27.
    RankWorld world({"a", "b"}, 3);
    world.votes = 3;
    const std::int64_t pair = world.pair(0, 1);
    world.place(pair, 1, 10, 11);
    world.answer(world.question(1, 10), {1, 1, 0});
    world.answer(world.question(1, 11), {0, 0, 1});
    RankOptions options;
    options.bootstraps = 4000;
    const auto replicates = bootstrap_places(world.tally(), world.pairs, world.selected,
                                             world.numbers(), PlacedBy::perron, options, {0, 0});
    const BootstrapWeights weights(0, "mad images");
    double turned = 0, there = 0;
    for (std::size_t r = 0; r < replicates.size(); ++r) {
        if (weights(r, 1) == 0) continue;
        ++there;
        turned += replicates[r][0] == 2 ? 1 : 0;
    }
    EXPECT_NEAR(turned / there, 7.0 / 27, .03);
}

}  // namespace
}  // namespace assay::mad
