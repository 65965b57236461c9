#include "assay/annotation/propose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "annotation/item_finder.h"
#include "annotation/propose_search.h"
#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/row_reader.h"
#include "evaluate/saved_scores.h"
#include "made_votes.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string folder_of(const Scratch& scratch, const std::string& model) {
    return (scratch.path() / "runs" / "val" / model).string();
}

Proposals propose(std::vector<std::string> stores, ProposeOptions options = {}) {
    options.stores = std::move(stores);
    return propose_labels(options, *self_comm());
}

/// Probabilities of 4 classes for 4 images with labels 0, 1, 2, 3.
Made four(const std::vector<float>& scores) {
    Made made;
    made.classes = 4;
    made.scores = scores;
    made.labels = {{0}, {1}, {2}, {3}};
    made.kind = ScoreKind::probabilities;
    return made;
}
const std::vector<float> first_scores = {0.70F, 0.20F, 0.06F, 0.04F,    // class 0 is first
                                         0.55F, 0.40F, 0.03F, 0.02F,    // class 1 is second
                                         0.05F, 0.05F, 0.80F, 0.10F,    // class 2 is first
                                         0.50F, 0.30F, 0.15F, 0.05F};   // class 3 is last
const std::vector<float> second_scores = {0.25F, 0.60F, 0.10F, 0.05F,   // class 0 is second
                                          0.10F, 0.80F, 0.05F, 0.05F,   // class 1 is first
                                          0.40F, 0.35F, 0.10F, 0.15F,   // class 2 is last
                                          0.20F, 0.04F, 0.06F, 0.70F};  // class 3 is first

TEST(Propose, ThresholdsByRecallAlone) {
    Scratch scratch;
    save(scratch, four(first_scores), "a");
    ProposeOptions options;
    options.keep_original = false;
    options.recall = 0.75;  // 3 of 4 labels: probabilities 0.80, 0.70, 0.40 | 0.05
    const Proposals p = propose({folder_of(scratch, "a")}, options);
    EXPECT_NEAR(p.models[0].threshold, 0.40, 1e-6);
    EXPECT_TRUE(p.reached);
    EXPECT_NEAR(*p.recall_original.value, 0.75, 1e-12);
    // The best classes give 4 questions. Of the other classes, only the one with 0.40 reaches the
    // threshold.
    EXPECT_EQ(p.questions.size(), 5U);
    EXPECT_EQ(p.most_questions, 2U);
    EXPECT_NEAR(p.mean_questions, 1.25, 1e-12);
    EXPECT_FALSE(p.recall_gold.value);
}

TEST(Propose, TwoModelsFindWhatNeitherFindsCheaply) {
    Scratch scratch;
    save(scratch, four(first_scores), "a");
    save(scratch, four(second_scores), "b");
    ProposeOptions options;
    options.keep_original = false;
    options.recall = 1;
    const Proposals p = propose({(scratch.path() / "runs").string()}, options);
    // The best classes alone find all labels, because a is correct on 0 and 2, and b on 1 and 3.
    // The questions are {0,1}, {0,1}, {2,0}, {0,3}.
    EXPECT_EQ(*p.recall_original.value, 1);
    EXPECT_EQ(p.questions.size(), 8U);
    EXPECT_TRUE(p.models[0].chosen && p.models[1].chosen);
    // b alone needs a threshold of 0.10, which gives 3 + 2 + 4 + 2 questions.
    const Proposals one = propose({folder_of(scratch, "b")}, options);
    EXPECT_NEAR(one.models[0].threshold, 0.10, 1e-6);
    EXPECT_EQ(one.questions.size(), 11U);
}

TEST(Propose, OriginalLabelsAndAgreement) {
    Scratch scratch;
    save(scratch, four(first_scores), "a");
    ProposeOptions options;
    options.recall = 0.5;
    options.skip_agreed = true;
    const Proposals p = propose({folder_of(scratch, "a")}, options);
    EXPECT_EQ(p.agreed, 2U);  // images 0 and 2
    EXPECT_EQ(p.asked, 2U);
    // The two images on which all agree are half of the labels already. So only the best classes
    // are proposed, and the original label in addition.
    ASSERT_EQ(p.questions.size(), 4U);
    EXPECT_EQ(p.questions[0].item, 1U);
    EXPECT_EQ(p.questions[0].cls, 0);
    EXPECT_EQ(p.questions[0].models, 1U);
    EXPECT_EQ(p.questions[1].cls, 1);
    EXPECT_EQ(p.questions[1].models, 0U);
    EXPECT_NEAR(p.questions[1].prior, 0.40, 1e-6);
    EXPECT_NEAR(*p.recall_original.value, 0.5,
                1e-12);  // a question about the original label does not count as a discovery
    EXPECT_EQ(question_csv(p),
              "item,path,label,class,proposed_by,prior\n"
              "item00001,item00001,c0,c0,a,0.55\n"
              "item00001,item00001,c1,c1,original,0.4\n"
              "item00003,item00003,c0,c0,a,0.5\n"
              "item00003,item00003,c3,c3,original,0.05\n");
}

TEST(Propose, GoldSetsDecide) {
    Scratch scratch;
    save(scratch, four(first_scores), "a");
    ProposeOptions options;
    options.recall = 1;
    options.gold = write(scratch.path() / "gold.json", "[[0, 1], [], [], []]");
    options.keep_original = false;
    const Proposals p = propose({folder_of(scratch, "a")}, options);
    EXPECT_EQ(p.sampled, 1U);
    EXPECT_NEAR(p.models[0].threshold, 0.20, 1e-6);
    EXPECT_EQ(*p.recall_gold.value, 1);
    EXPECT_EQ(p.recall_gold.n, 2U);
    EXPECT_NEAR(*p.recall_original.value, 0.75, 1e-12);
    options.gold = write(scratch.path() / "none.json", "[[], [], [], []]");
    EXPECT_THROW(propose({folder_of(scratch, "a")}, options), Error);
}

TEST(Propose, RanksAndReducedStores) {
    Scratch scratch;
    save(scratch, four(first_scores), "a", StorageFormat::top_k);  // the 2 best classes are stored
    save(scratch, four(second_scores), "b", StorageFormat::label);
    ProposeOptions options;
    options.rule = ProposeOptions::Rule::rank;
    options.keep_original = false;
    options.recall = 0.75;
    const Proposals a = propose({folder_of(scratch, "a")}, options);
    EXPECT_EQ(a.models[0].threshold, 2);
    EXPECT_EQ(a.questions.size(), 8U);
    EXPECT_THAT(a.notes[0], HasSubstr("a keeps 2 classes"));
    options.recall = 1;
    const Proposals out_of_reach = propose({folder_of(scratch, "a")}, options);
    EXPECT_FALSE(out_of_reach.reached);
    EXPECT_THAT(out_of_reach.notes.back(), HasSubstr("find 3 of 4 known labels"));
    EXPECT_TRUE(propose({folder_of(scratch, "a"), folder_of(scratch, "b")}, options).reached);
}

TEST(Propose, ItemsWithoutScoresAreCounted) {
    Scratch scratch;
    Made made = four(first_scores);
    made.states = {RowState::ok, RowState::unreadable, RowState::ok, RowState::ok};
    save(scratch, made, "a");
    const Proposals p = propose({folder_of(scratch, "a")}, {});
    EXPECT_EQ(p.not_scored, 1U);
    EXPECT_EQ(p.recall_original.n, 3U);
}

TEST(Propose, ReachesTheRecallWithFewQuestionsOnMadeUpModels) {
    Scratch scratch;
    for (std::uint64_t m = 0; m < 3; ++m)
        save(scratch, made_up(2000, 20, m + 1, 2), "m" + std::to_string(m));
    ProposeOptions options;
    options.recall = 0.95;
    options.keep_original = false;
    const Proposals p = propose({(scratch.path() / "runs").string()}, options);
    EXPECT_GE(*p.recall_original.value, 0.95);
    EXPECT_LT(*p.recall_original.value, 0.96);
    options.choose_models = false;
    const Proposals all = propose({(scratch.path() / "runs").string()}, options);
    EXPECT_LE(p.questions.size(), all.questions.size());
    ProposeOptions threads = options;
    threads.threads = 1;
    const Proposals again = propose({(scratch.path() / "runs").string()}, threads);
    ASSERT_EQ(again.questions.size(), all.questions.size());
    for (std::size_t i = 0; i < all.questions.size(); ++i) {
        EXPECT_EQ(all.questions[i].item, again.questions[i].item);
        EXPECT_EQ(all.questions[i].cls, again.questions[i].cls);
        EXPECT_EQ(all.questions[i].prior, again.questions[i].prior);
    }
    // An independent count: there is a question about a pair if a model ranks the class first, or
    // above its threshold.
    const std::vector<PredictionStore> stores = open_models({scratch.path() / "runs"}).stores;
    std::set<std::pair<std::uint64_t, std::int32_t>> expected;
    for (std::size_t m = 0; m < stores.size(); ++m) {
        const RowReader reader(stores[m]);
        for (std::uint64_t i = 0; i < 2000; ++i) {
            std::vector<RankedClass> ranked;
            ASSERT_EQ(reader.top(i, 20, ranked), RowStatus::ok);
            for (std::size_t n = 0; n < ranked.size(); ++n) {
                if (n == 0 || static_cast<double>(ranked[n].probability) >= all.models[m].threshold)
                    expected.emplace(i, ranked[n].cls);
            }
        }
    }
    EXPECT_EQ(expected.size(), all.questions.size());
}

TEST(Propose, StoresOfAttacksAreSkipped) {
    Scratch scratch;
    for (const char* model : {"a", "a@pgd-linf-8_255", "b"})
        save(scratch, four(*model == 'a' ? first_scores : second_scores), model);
    const std::string runs = (scratch.path() / "runs").string();
    ProposeOptions options;
    options.choose_models = false;
    const Proposals found = propose({runs}, options);
    ASSERT_EQ(found.models.size(), 2U);
    EXPECT_EQ(found.models[0].name, "a");
    EXPECT_EQ(found.models[1].name, "b");
    const Report report = report_of(found);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0], HasSubstr("1 store of an attack is skipped"));
    EXPECT_EQ(report.result.at("warnings").at(0), report.warnings[0]);
    // If the store of an attack is given explicitly, it is used without a warning.
    const Proposals named = propose({folder_of(scratch, "a@pgd-linf-8_255")}, options);
    EXPECT_EQ(named.models.at(0).name, "a@pgd-linf-8_255");
    EXPECT_THAT(report_of(named).warnings, ::testing::IsEmpty());
    EXPECT_FALSE(report_of(named).result.contains("warnings"));
}

TEST(Propose, TheSameForAnyNumberOfRanks) {
    Scratch scratch;
    Made made = made_up(1100, 20, 1, 2);
    save(scratch, made, "a");
    save(scratch, made_up(1100, 20, 2, 2), "b");
    ProposeOptions options;
    options.stores = {(scratch.path() / "runs").string()};
    options.recall = 0.9;
    options.skip_agreed = true;
    std::uint64_t seen = 0;
    const Proposals one = propose_labels(options, *self_comm(), [&](const Progress& p) {
        EXPECT_LE(p.done, p.total);
        seen = p.step == "questions" ? p.done : 0;
    });
    EXPECT_EQ(seen, 1100U);
    const std::string questions = question_csv(one), result = report_of(one).result.dump();
    // 1100 items are 5 blocks, so with 7 ranks two have no block
    for (const int ranks : {2, 3, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            const Proposals p = propose_labels(options, comm);
            EXPECT_EQ(question_csv(p), questions) << ranks;
            EXPECT_EQ(report_of(p).result.dump(), result) << ranks;
        });
    }
}

TEST(Propose, SearchAgainstTryingEverything) {
    // The levels are random, and the reference tries every mask and every level.
    RandomStream random(3, "pairs");
    CandidatePairs pairs;
    pairs.models = 3;
    for (int p = 0; p < 200; ++p) {
        for (int m = 0; m < 3; ++m)
            pairs.levels.push_back(random.uniform() < 0.3
                                       ? CandidatePairs::never
                                       : static_cast<std::uint32_t>(random.below(30)));
        pairs.known.push_back(random.uniform() < 0.3 ? 1 : 0);
        pairs.free.push_back(random.uniform() < 0.1 ? 1 : 0);
    }
    const std::uint64_t wanted = pairs.all_known() * 8 / 10;
    std::uint64_t fewest = UINT64_MAX;
    for (std::uint64_t mask = 1; mask < 8; ++mask) {
        for (std::uint32_t level = 0; level < 30; ++level) {
            std::uint64_t found = 0, questions = 0;
            for (std::size_t p = 0; p < 200; ++p) {
                bool proposed = false;
                for (std::size_t m = 0; m < 3; ++m)
                    proposed =
                        proposed || ((mask >> m & 1U) != 0 && pairs.levels[p * 3 + m] <= level);
                found += proposed && pairs.known[p] != 0 ? 1 : 0;
                questions += proposed || pairs.free[p] != 0 ? 1 : 0;
            }
            if (found >= wanted) fewest = std::min(fewest, questions);
        }
    }
    const Choice choice = best_subset(pairs, wanted, 2);
    EXPECT_TRUE(choice.reached);
    EXPECT_EQ(choice.questions, fewest);
    EXPECT_GE(choice.found, wanted);
}

TEST(Propose, WhatMakesNoSense) {
    Scratch scratch;
    save(scratch, four(first_scores), "a");
    ProposeOptions options;
    options.recall = 0;
    EXPECT_THROW(propose({folder_of(scratch, "a")}, options), Error);
    EXPECT_THROW(propose({(scratch.path() / "nowhere").string()}, {}), Error);
    Made other = made_up(7, 4, 1);
    save(scratch, other, "c", StorageFormat::full_f32, 100, false, "others");
    EXPECT_THROW(propose({folder_of(scratch, "a"), (scratch.path() / "others").string()}, {}),
                 Error);
    EXPECT_THROW(propose_rule_named("ranks?"), Error);
}

TEST(ItemFinder, ByIdPathFileOrEnd) {
    Dataset d;
    d.name = "d";
    for (const char* id : {"cat/1.png", "cat/2.png", "dog/1.png", "dog/31.png"}) d.ids.append(id);
    EXPECT_EQ(item_named(d, "dog/1.png"), 2U);
    EXPECT_EQ(item_named(d, "2.png"), 1U);
    EXPECT_EQ(item_named(d, "31"), 3U);
    EXPECT_EQ(item_named(d, "at/2.png"), 1U);
    const auto message = [&](const std::string& name) {
        return message_of([&] { item_named(d, name); }, ErrorCode::usage);
    };
    EXPECT_THAT(message("1.png"),
                HasSubstr("`1.png` is a suffix of 2 items: `cat/1.png`, `dog/1.png`"));
    EXPECT_THAT(message("cat/3.png"), HasSubstr("did you mean"));
    EXPECT_THAT(message(""), HasSubstr("no item"));
}

}  // namespace
}  // namespace assay
