#include "metric/class_wise.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/cpu.h"
#include "core/random.h"
#include "core/softmax.h"
#include "metric/class_wise_kernel.h"
#include "metric/real_sum.h"
#include "plain_definitions.h"

namespace assay {
namespace {

using plain::Table;

plain::Adaptive measured(const Table& table, int bins, int threads = 1,
                         std::uint64_t scratch = std::uint64_t{64} << 20) {
    const ClassWiseSums sums = class_wise_sums(
        plain::MemoryRows(table), {.bins = bins, .threads = threads, .scratch_bytes = scratch});
    const double classes = static_cast<double>(table.classes);
    return {real_of(sums.sums.data()) / classes, real_of(sums.sums.data() + real_slots) / classes};
}

// Rows are of every kind: random softmax, coarse steps (ties), many zeros or ones, one value. Some
// items are excluded.
Table random_table(std::uint64_t seed) {
    RandomStream random(seed, "table");
    Table t;
    t.classes = 1 + random.below(21);
    const std::size_t rows = random.below(8) == 0 ? random.below(16) : random.below(400);
    const std::uint64_t style = random.below(6);
    for (std::size_t i = 0; i < rows; ++i) {
        t.labels.push_back(
            random.below(12) == 0 ? -1 : static_cast<std::int32_t>(random.below(t.classes)));
        for (std::size_t c = 0; c < t.classes; ++c) {
            const double u = random.uniform();
            const auto step = static_cast<double>(random.below(5)) / 4;
            const double x = style == 0   ? u
                             : style == 1 ? step
                             : style == 2 ? std::pow(u, 12)
                             : style == 3 ? (u < 0.7 ? 0 : u)
                             : style == 4 ? 0.25
                                          : std::ldexp(u, -static_cast<int>(random.below(150)));
            t.p.push_back(static_cast<float>(x));
        }
    }
    return t;
}

TEST(ClassWise, NoItems) {
    EXPECT_EQ(measured({3, {}, {}}, 15).by_size, 0);
    EXPECT_EQ(measured({2, {0.5F, 0.5F}, {-1}}, 15).by_size, 0);
}

TEST(ClassWise, OneItem) {
    // Class 0 has p .25 and y 1, so .75. Class 1 has p .75 and y 0, so .75. Each has one bin.
    EXPECT_DOUBLE_EQ(measured({2, {0.25F, 0.75F}, {0}}, 15).by_size, 0.75);
    EXPECT_NEAR(measured({2, {0.25F, 0.75F}, {0}}, 15).equal, 0.75 / 15, 1e-15);
}

TEST(ClassWise, ZerosAreDroppedEvenWhenRight) {
    // Class 0 has p = 0 and so no bin although it is correct: 0. Class 1 has p 1 and y 0: 1.
    EXPECT_DOUBLE_EQ(measured({2, {0.0F, 1.0F}, {0}}, 15).by_size, 0.5);
}

TEST(ClassWise, AllEqualSharesOneBin) {
    // Eight items have .5 for both classes, and four are correct for each: |4 - 4| = 0.
    Table t{2, std::vector<float>(16, 0.5F), {0, 1, 0, 1, 0, 1, 0, 1}};
    EXPECT_EQ(measured(t, 15).by_size, 0);
}

TEST(ClassWise, Fixture) {
    const auto fixture = plain::calibration_fixture();
    Table t{3, {}, fixture.at("labels").get<std::vector<std::int32_t>>()};
    for (const auto& row : fixture.at("prob_times_64")) {
        for (const auto& x : row) t.p.push_back(x.get<float>() / 64);
    }
    EXPECT_NEAR(measured(t, 15).by_size, fixture.at("ace15").get<double>(), 1e-12);
    EXPECT_NEAR(measured(t, 5).by_size, fixture.at("ace5").get<double>(), 1e-12);
}

TEST(ClassWise, AgreesWithTheWordingOnNineHundredTables) {
    for (std::uint64_t seed = 0; seed < 900; ++seed) {
        const Table t = random_table(seed);
        for (const int bins : {15, 1 + static_cast<int>(seed % 40)}) {
            const auto expected = plain::adaptive_error(t, bins), found = measured(t, bins);
            ASSERT_NEAR(found.by_size, expected.by_size, 1e-12)
                << "seed " << seed << ", " << bins << " bins";
            ASSERT_NEAR(found.equal, expected.equal, 1e-12)
                << "seed " << seed << ", " << bins << " bins";
        }
    }
}

TEST(ClassWise, SameBitsForAnyThreadsScratchAndShares) {
    RandomStream random(3, "large");
    Table t;
    t.classes = 37;
    for (int i = 0; i < 5000; ++i) {  // three blocks of items
        t.labels.push_back(static_cast<std::int32_t>(random.below(37)));
        for (int c = 0; c < 37; ++c)
            t.p.push_back(static_cast<float>(std::pow(random.uniform(), 20)));
    }
    const auto all = class_wise_sums(plain::MemoryRows(t), {});
    for (const int threads : {2, 3, 7}) {
        for (const std::uint64_t scratch : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
            const auto again = class_wise_sums(plain::MemoryRows(t),
                                               {.threads = threads, .scratch_bytes = scratch});
            EXPECT_EQ(again.sums, all.sums);
            EXPECT_EQ(again.without, all.without);
        }
    }
    // The rows are the parts of three ranks, one of which is empty.
    auto sum = class_wise_sums(plain::MemoryRows(t), {.first_class = 0, .last_class = 20});
    for (const auto& part :
         {class_wise_sums(plain::MemoryRows(t), {.first_class = 20, .last_class = 20}),
          class_wise_sums(plain::MemoryRows(t), {.first_class = 20, .last_class = 37})}) {
        for (std::size_t k = 0; k < sum.sums.size(); ++k) sum.sums[k] += part.sums[k];
        for (std::size_t k = 0; k < sum.without.size(); ++k) sum.without[k] += part.without[k];
    }
    EXPECT_EQ(sum.sums, all.sums);
    EXPECT_EQ(sum.without, all.without);
}

TEST(ClassWise, StreamedRowsGiveTheSameBits) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Table t = random_table(seed);
        const int bins = seed % 3 == 0 ? 1 + static_cast<int>(seed % 40) : 15;
        const auto columns = class_wise_sums(plain::MemoryRows(t), {.bins = bins});
        const auto streamed =
            class_wise_sums(plain::MemoryRows(t), {.bins = bins, .threads = 2, .columns_limit = 0});
        ASSERT_EQ(streamed.sums, columns.sums) << "seed " << seed;
        ASSERT_EQ(streamed.without, columns.without) << "seed " << seed;
    }
    // There are several batches of blocks and several slices of classes, in two parts.
    Table t;
    t.classes = 130;
    RandomStream random(8, "stream");
    for (int i = 0; i < 40000; ++i) {
        t.labels.push_back(static_cast<std::int32_t>(random.below(130)));
        for (int c = 0; c < 130; ++c) {
            t.p.push_back(
                std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x3F800001U))));
        }
    }
    const auto columns = class_wise_sums(plain::MemoryRows(t), {.threads = 2});
    auto sum =
        class_wise_sums(plain::MemoryRows(t), {.threads = 3, .columns_limit = 0, .last_class = 70});
    const auto rest = class_wise_sums(plain::MemoryRows(t),
                                      {.threads = 2, .columns_limit = 0, .first_class = 70});
    for (std::size_t k = 0; k < sum.sums.size(); ++k) sum.sums[k] += rest.sums[k];
    for (std::size_t k = 0; k < sum.without.size(); ++k) sum.without[k] += rest.without[k];
    EXPECT_EQ(sum.sums, columns.sums);
    EXPECT_EQ(sum.without, columns.without);
}

// This table counts the reads, or fails at an item.
class WatchedRows final : public ProbabilityRows {
public:
    WatchedRows(const Table& table, std::uint64_t bad) : rows_(table), bad_(bad) {}
    std::uint64_t items() const override { return rows_.items(); }
    std::uint32_t classes() const override { return rows_.classes(); }
    std::int32_t target(std::uint64_t item) const override { return rows_.target(item); }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override {
        if (first <= bad_ && bad_ < first + n) throw Error(ErrorCode::bad_input, "a bad item");
        numbers += std::uint64_t{n} * (end - begin);
        rows_.read(first, n, begin, end, out);
    }
    mutable std::atomic<std::uint64_t> numbers{0};

private:
    plain::MemoryRows rows_;
    std::uint64_t bad_;
};

TEST(ClassWise, RanksThatShareItemsReadTheirOwnAndGiveTheSameBits) {
    Table t;
    t.classes = 70;
    RandomStream random(9, "ranks");
    for (int i = 0; i < 20'000; ++i) {  // ten blocks of items
        t.labels.push_back(random.below(50) == 0 ? -1
                                                 : static_cast<std::int32_t>(random.below(70)));
        for (int c = 0; c < 70; ++c) {
            // The last class has no item, and another class has only ones.
            t.p.push_back(c == 69   ? 0
                          : c == 68 ? 1
                                    : static_cast<float>(std::pow(random.uniform(), 20)));
        }
    }
    const auto want = class_wise_sums(plain::MemoryRows(t), {.keep_edges = true});
    for (const int ranks : {1, 2, 3, 8, 13}) {
        for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
            std::mutex mutex;
            std::uint64_t most = 0;
            run_thread_ranks(ranks, [&](Comm& comm) {
                const WatchedRows rows(t, ~std::uint64_t{0});
                const auto got =
                    class_wise_sums(rows, {.row_shares_beyond = limit, .keep_edges = true}, comm);
                const std::scoped_lock lock(mutex);
                most = std::max(most, rows.numbers.load());
                EXPECT_EQ(got.sums, want.sums);
                EXPECT_EQ(got.without, want.without);
                ASSERT_EQ(got.edges.size(), want.edges.size());
                for (std::size_t c = 0; c < 70; ++c) {
                    EXPECT_EQ(got.edges[c].m, want.edges[c].m);
                    EXPECT_EQ(got.edges[c].bounds, want.edges[c].bounds);
                    EXPECT_EQ(got.edges[c].confidence, want.edges[c].confidence);
                    EXPECT_EQ(got.edges[c].members, want.edges[c].members);
                }
            });
            // There are four passes over the blocks of a rank.
            const std::uint64_t stretches = (10 + ranks - 1) / ranks;
            if (limit == 0) {
                EXPECT_LE(most, 4 * stretches * group_stretch * 70) << ranks;
            }
        }
    }
}

TEST(ClassWise, ARankThatCannotReadEndsAll) {
    const Table t = [] {
        Table made;
        made.classes = 3;
        for (int i = 0; i < 9000; ++i) {
            made.labels.push_back(i % 3);
            for (int c = 0; c < 3; ++c) made.p.push_back(c == i % 3 ? 0.5F : 0.25F);
        }
        return made;
    }();
    for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
        std::atomic<int> told{0};
        run_thread_ranks(3, [&](Comm& comm) {
            const WatchedRows rows(t, comm.rank() == 1 ? 4500 : ~std::uint64_t{0});
            try {
                class_wise_sums(rows, {.row_shares_beyond = limit}, comm);
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::bad_input);
                ++told;
            }
        });
        EXPECT_EQ(told, 3);
    }
}

// The same rows in memory, as unchanged probabilities or as logits with a shift and a factor.
class RowsInPlace final : public ProbabilityRows {
public:
    RowsInPlace(const Table& table, Direct how)
        : t_(table), how_(how), nothing_(table.classes, 0.5F) {}
    std::uint64_t items() const override { return t_.rows(); }
    std::uint32_t classes() const override { return static_cast<std::uint32_t>(t_.classes); }
    std::int32_t target(std::uint64_t item) const override { return t_.labels[item]; }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override {
        for (std::uint64_t i = first; i < first + n; ++i) {
            const ScoreRow r = row(i);
            for (std::uint32_t c = begin; c < end; ++c) {
                *out++ = how_ == Direct::exponential
                             ? exp_f32(r.scores[c] - r.shift) * r.factor
                             : std::clamp(r.scores[c] * r.factor, 0.0F, 1.0F);
            }
        }
    }
    Direct direct() const override { return how_; }
    ScoreRow row(std::uint64_t item) const override {
        if (t_.labels[item] < 0) return {nothing_.data(), 0, 0};
        return {t_.p.data() + item * t_.classes, how_ == Direct::exponential ? 1.0F : 0.0F, 0.75F};
    }

private:
    const Table& t_;
    const Direct how_;
    const std::vector<float> nothing_;
};

class CopiedRows final : public ProbabilityRows {
public:
    explicit CopiedRows(const ProbabilityRows& rows) : rows_(rows) {}
    std::uint64_t items() const override { return rows_.items(); }
    std::uint32_t classes() const override { return rows_.classes(); }
    std::int32_t target(std::uint64_t item) const override { return rows_.target(item); }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override {
        rows_.read(first, n, begin, end, out);
    }

private:
    const ProbabilityRows& rows_;
};

TEST(ClassWise, RowsInPlaceGiveTheSameBitsAsCopies) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Table t = random_table(seed);
        for (const auto how :
             {ProbabilityRows::Direct::exponential, ProbabilityRows::Direct::proportional}) {
            const RowsInPlace rows(t, how);
            for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
                const auto direct = class_wise_sums(rows, {.columns_limit = limit});
                const auto copied = class_wise_sums(CopiedRows(rows), {});
                ASSERT_EQ(direct.sums, copied.sums) << "seed " << seed;
                ASSERT_EQ(direct.without, copied.without) << "seed " << seed;
            }
        }
    }
}

TEST(ClassWise, ValuesInFewKeys) {
    // All numbers are within a thousandth, so every edge is in one or two keys, which hold far too
    // many items for a sort. A tenth are exact zeros, and a tenth the smallest number, which share
    // the lowest key.
    for (const bool with_zeros : {false, true}) {
        RandomStream random(11, "few keys");
        Table t;
        t.classes = 2;
        for (int i = 0; i < 6000; ++i) {
            t.labels.push_back(static_cast<std::int32_t>(random.below(2)));
            for (int c = 0; c < 2; ++c) {
                const std::uint64_t kind = with_zeros ? random.below(10) : 2;
                t.p.push_back(kind == 0   ? 0.0F
                              : kind == 1 ? std::numeric_limits<float>::denorm_min() *
                                                static_cast<float>(1 + random.below(100))
                                          : static_cast<float>(0.5 + 0.0005 * random.uniform()));
            }
        }
        for (const int bins : {15, 100}) {
            const auto expected = plain::adaptive_error(t, bins), found = measured(t, bins);
            EXPECT_NEAR(found.by_size, expected.by_size, 1e-9) << bins << " bins";
            EXPECT_NEAR(found.equal, expected.equal, 1e-9) << bins << " bins";
            EXPECT_EQ(
                class_wise_sums(plain::MemoryRows(t), {.bins = bins, .columns_limit = 0}).without,
                class_wise_sums(plain::MemoryRows(t), {.bins = bins}).without);
        }
    }
}

TEST(ClassWise, LeavingOutAGroupIsLeavingOutItsItems) {
    // With at most group_count items, every item is a group. Values without an item, with the
    // same edges, are computed by hand for two items. Class 0: p (.2, .6), y (0, 1). The edge of 1
    // bin is 1.0: gap |.8 - 1| / 2. Without item 0: |.6 - 1| / 1; without 1: .2. Class 1 mirrors
    // it: p (.8, .4), y (1, 0): .2/2; without item 0: .4; without item 1: |.8 - 1| = .2.
    const Table t{2, {0.2F, 0.8F, 0.6F, 0.4F}, {1, 0}};
    const auto sums = class_wise_sums(plain::MemoryRows(t), {.bins = 1});
    std::vector<double> without;
    for (std::uint32_t g = 0; g < group_count; ++g) {
        if (const double x = real_of(&sums.without[g * 2 * real_slots]); x != 0)
            without.push_back(x / 2);
    }
    std::sort(without.begin(), without.end());
    ASSERT_EQ(without.size(), 2U);
    EXPECT_NEAR(without[0], 0.2, 1e-7);
    EXPECT_NEAR(without[1], 0.4, 1e-7);
}

TEST(ClassWise, SubnormalProbabilitiesAreKept) {
    const float tiny = std::numeric_limits<float>::denorm_min();
    const Table t{1, {tiny, 0.0F, 0.5F}, {0, 0, 0}};
    EXPECT_NEAR(measured(t, 15).by_size, plain::adaptive_error(t, 15).by_size, 1e-12);
}

TEST(Kernel, BothFormsGiveTheSameBits) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "this processor has no AVX2: there is one form only";
    RandomStream random(5, "kernel");
    std::vector<float> x(2048);
    for (auto& p : x)
        p = static_cast<float>(random.below(3) == 0 ? 0.125 * static_cast<double>(random.below(9))
                                                    : std::pow(random.uniform(), 9));
    std::array<float, detail::tree_bounds> bounds{};
    for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = x[i * 100];
    bounds[14] = 1;
    std::sort(bounds.begin(), bounds.end());
    std::vector<double> a(group_count * 16), b(group_count * 16);
    detail::add_by_bin_plain(x, bounds, 16, a.data());
    detail::add_by_bin_avx2(x, bounds, 16, b.data());
    EXPECT_EQ(a, b);

    // Every third key is undecided, and the others belong to one of 16 bins.
    std::vector<std::uint16_t> slot(detail::keys);
    for (std::size_t k = 0; k < slot.size(); ++k)
        slot[k] = static_cast<std::uint16_t>(k % 3 == 0 ? detail::unsettled + k % 7
                                                        : k % 16 * group_count);
    std::vector<std::int64_t> sums(group_count * 16), sums2(sums);
    std::vector<std::uint32_t> rest(x.size()), rest2(x.size());
    const std::size_t left = detail::add_by_key_plain(x, slot.data(), sums.data(), rest.data());
    EXPECT_EQ(detail::add_by_key_avx2(x, slot.data(), sums2.data(), rest2.data()), left);
    EXPECT_GT(left, 0U);
    EXPECT_EQ(sums, sums2);
    EXPECT_EQ(rest, rest2);

    std::vector<ScoreRow> scores, ahead;
    for (std::size_t j = 0; j < 16; ++j) {
        scores.push_back(
            {x.data() + 40 * j, 0.5F + static_cast<float>(j), 0.25F * static_cast<float>(j)});
        ahead.push_back({x.data() + 40 * j + 640, 0, 0});
    }
    x[3] = -0.0F;
    x[4] = -1.0F;
    for (const bool exponential : {false, true}) {
        std::vector<float> one(29 * 48), two(29 * 48);
        detail::turn16_plain(scores.data(), exponential, 29, one.data(), 48);
        detail::turn16_avx2(scores.data(), ahead.data(), exponential, 29, two.data(), 48);
        for (std::size_t k = 0; k < one.size(); ++k)
            ASSERT_EQ(std::bit_cast<std::uint32_t>(one[k]), std::bit_cast<std::uint32_t>(two[k]))
                << k;
    }

    std::vector<const float*> rows;
    for (std::size_t j = 0; j < 8; ++j) rows.push_back(x.data() + 37 * j);
    std::vector<float> turned(29 * 8), again(29 * 8);
    detail::transpose8_plain(rows.data(), 29, turned.data(), 8);
    detail::transpose8_avx2(rows.data(), 29, again.data(), 8);
    EXPECT_EQ(turned, again);
    EXPECT_EQ(turned[8 * 28 + 3], x[37 * 3 + 28]);
}

}  // namespace
}  // namespace assay
