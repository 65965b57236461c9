// Hits from stored predictions: every storage format, rows without scores or labels, stores of
// several data sets.
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/replication/study.h"
#include "evaluate/saved_scores.h"

namespace assay::replication {
namespace {

Made four_rows() {
    Made made;
    made.scores = {3, 1, 2, 0, 5, 1, 1, 1, 9, 4, 4, 0};  // best: 0, 1, 2, 0 (lower of equals)
    made.labels = {{0}, {0, 1}, {1}, {}};
    return made;
}

TEST(HitsOfStores, EveryStorageFormat) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        const Scratch scratch;
        save(scratch, four_rows(), "a", storage, 2);
        const Hits hits = read_hits(scratch / "runs", 2, *self_comm());
        EXPECT_EQ(hits.classifiers, (std::vector<std::string>{"a"}));
        EXPECT_EQ(hits.images[1], "item00001");
        EXPECT_EQ(hits.hit, (std::vector<std::uint8_t>{1, 1, 0, Hits::unknown}))
            << name_of(storage);
    }
}

TEST(HitsOfStores, WhatHasNoScoreIsUnknown) {
    const Scratch scratch;
    Made made = four_rows();
    made.states = {RowState::ok, RowState::unreadable, RowState::ok, RowState::ok};
    save(scratch, made, "a", StorageFormat::full_f32, 2);
    save(scratch, four_rows(), "b", StorageFormat::full_f32, 2,
         true);  // the second shard is missing
    const Hits hits = read_hits(scratch / "runs", 1, *self_comm());
    EXPECT_EQ(hits.classifiers, (std::vector<std::string>{"a", "b"}));
    constexpr std::uint8_t u = Hits::unknown;
    EXPECT_EQ(hits.hit, (std::vector<std::uint8_t>{1, 1, u, 1, 0, u, u, u}));
}

TEST(HitsOfStores, RanksReadTogether) {
    const Scratch scratch;
    Made made = four_rows();
    save(scratch, made, "a", StorageFormat::full_f32, 2);
    save(scratch, made, "b", StorageFormat::label, 1);
    const Hits alone = read_hits(scratch / "runs", 1, *self_comm());
    for (const int ranks : {2, 3, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            const Hits hits = read_hits(scratch / "runs", 1, comm);
            EXPECT_EQ(hits.hit, alone.hit) << ranks;
            EXPECT_EQ(hits.classifiers, alone.classifiers);
        });
    }
}

TEST(HitsOfStores, StoresOfAttacksAreSkipped) {
    const Scratch scratch;
    for (const char* model : {"a", "a@pgd-linf-8_255", "b"}) save(scratch, four_rows(), model);
    const Hits hits = read_hits(scratch / "runs", 1, *self_comm());
    EXPECT_EQ(hits.classifiers, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(hits.warnings.size(), 1U);
    EXPECT_NE(hits.warnings[0].find("1 store of an attack is skipped"), std::string::npos);
    const Hits named = read_hits(scratch / "runs/val/a@pgd-linf-8_255", 1, *self_comm());
    EXPECT_EQ(named.classifiers, (std::vector<std::string>{"a@pgd-linf-8_255"}));
}

TEST(HitsOfStores, NothingThere) {
    const Scratch scratch;
    EXPECT_THROW(read_hits(scratch.path(), 1, *self_comm()), Error);
    EXPECT_THROW(read_hits(scratch / "absent.csv", 1, *self_comm()), Error);
}

}  // namespace
}  // namespace assay::replication
