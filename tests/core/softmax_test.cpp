#include "core/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cpu.h"
#include "core/random.h"
#include "core/softmax_kernel.h"
#include "core/topk.h"

namespace assay {
namespace {

std::vector<float> random_row(std::size_t n, std::uint64_t item, bool ties) {
    RandomStream random(1, "row", item);
    std::vector<float> row(n);
    for (auto& x : row)
        x = ties ? static_cast<float>(random.below(4)) : static_cast<float>(8 * random.normal());
    return row;
}

TEST(Exp, IsAccurate) {
    double worst = 0;
    const float lowest = -87.3F;  // results are normal numbers down to here
    for (std::uint32_t bits = 0x80000000U; bits <= std::bit_cast<std::uint32_t>(lowest);
         bits += 97) {
        const float x = std::bit_cast<float>(bits);
        const double exact = std::exp(static_cast<double>(x));
        const float nearest = static_cast<float>(exact);
        const double unit = std::nextafter(nearest, 2.0F) - nearest;
        worst = std::max(worst, std::abs(static_cast<double>(exp_f32(x)) - exact) / unit);
    }
    EXPECT_LT(worst, 1.06);  // in units in the last place, the bound in softmax.h
    RecordProperty("worst_ulp", std::to_string(worst));
}

TEST(Exp, Ends) {
    EXPECT_EQ(exp_f32(0.0F), 1.0F);
    EXPECT_EQ(exp_f32(-0.0F), 1.0F);
    EXPECT_EQ(exp_f32(-1000.0F), 0.0F);
    EXPECT_EQ(exp_f32(-std::numeric_limits<float>::infinity()), 0.0F);
    EXPECT_TRUE(std::isfinite(exp_f32(1000.0F)));
    // e^-100 = 3.72e-44 is subnormal: 27 units of 2^-149 (26.5 exactly). One unit may be lost.
    EXPECT_NEAR(exp_f32(-100.0F) / std::numeric_limits<float>::denorm_min(), 26.5, 1.0);
}

TEST(ScanRow, OneClass) {
    const float x = -3;
    const RowScan scan = scan_row({&x, 1}, 0);
    EXPECT_EQ(scan.argmax, 0);
    EXPECT_EQ(scan.rank, 0);
    EXPECT_EQ(scan.max, -3);
}

TEST(ScanRow, FirstIndexWinsTies) {
    const std::vector<float> row(37, 2.0F);
    for (std::int32_t t = -1; t < 37; ++t) {
        const RowScan scan = scan_row(row, t);
        EXPECT_EQ(scan.argmax, 0);
        // every earlier class ties with the target; without a target there is no rank
        EXPECT_EQ(scan.rank, t);
    }
}

TEST(ScanRow, AgreesWithSorting) {
    for (std::uint64_t item = 0; item < 400; ++item) {
        const auto row = random_row(1 + item % 70, item, item % 2 == 0);
        std::vector<std::int32_t> order(row.size());
        for (std::size_t i = 0; i < row.size(); ++i) order[i] = static_cast<std::int32_t>(i);
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
            return row[static_cast<std::size_t>(i)] > row[static_cast<std::size_t>(j)];
        });
        std::vector<std::int32_t> best;
        top_k(row, 5, best);
        EXPECT_EQ(best, std::vector<std::int32_t>(
                            order.begin(),
                            order.begin() +
                                static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, row.size()))));
        for (std::size_t rank = 0; rank < order.size(); ++rank) {
            const RowScan scan = scan_row(row, order[rank]);
            EXPECT_EQ(scan.rank, static_cast<std::int32_t>(rank));
            EXPECT_EQ(scan.argmax, order[0]);
            EXPECT_EQ(scan.max, *std::max_element(row.begin(), row.end()));
            EXPECT_EQ(scan.min, *std::min_element(row.begin(), row.end()));
        }
    }
}

TEST(TopK, NoneAndMoreThanThereAre) {
    std::vector<std::int32_t> best{9};
    top_k({}, 3, best);
    EXPECT_TRUE(best.empty());
    const std::vector<float> row{1, 3, 2};
    top_k(row, 0, best);
    EXPECT_TRUE(best.empty());
    top_k(row, 9, best);
    EXPECT_EQ(best, (std::vector<std::int32_t>{1, 2, 0}));
}

TEST(ExpSums, AgreeWithStdExp) {
    for (std::size_t n : {1U, 7U, 8U, 9U, 1000U}) {
        const auto row = random_row(n, n, false);
        const float max = *std::max_element(row.begin(), row.end());
        double sum = 0, squares = 0;
        for (const float x : row) {
            const double e = std::exp(static_cast<double>(x - max));
            sum += e;
            squares += e * e;
        }
        const RowSums sums = exp_sums(row, max);
        EXPECT_NEAR(sums.sum, sum, 1e-7 * sum);
        EXPECT_NEAR(sums.squares, squares, 2e-7 * squares);
    }
}

TEST(Simd, BothFormsGiveTheSameBits) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "this processor has no AVX2: there is one form only";
    using namespace detail;
    const auto same = [](const RowSums& a, const RowSums& b) {
        return a.sum == b.sum && a.squares == b.squares;
    };
    for (std::uint64_t item = 0; item < 500; ++item) {
        const auto row = random_row(1 + item % 131, item, item % 3 == 0);
        const auto target = static_cast<std::int32_t>(item % (row.size() + 1)) - 1;
        const RowScan a = scan_row_plain(row, target), b = scan_row_avx2(row, target);
        EXPECT_EQ(a.max, b.max);
        EXPECT_EQ(a.min, b.min);
        EXPECT_EQ(a.argmax, b.argmax);
        EXPECT_EQ(a.rank, b.rank);
        EXPECT_TRUE(same(exp_sums_plain(row, a.max), exp_sums_avx2(row, a.max)));
        EXPECT_TRUE(same(plain_sums_plain(row), plain_sums_avx2(row)));
        std::vector<float> x(row.size()), y(row.size());
        exp_row_plain(row, a.max, 0.37F, x.data());
        exp_row_avx2(row, a.max, 0.37F, y.data());
        EXPECT_EQ(x, y);
    }
    // Every exponent of the result, including subnormal numbers.
    std::vector<float> wide;
    for (float x = -110; x < 90; x += 0.00731F) wide.push_back(x);
    std::vector<float> x(wide.size()), y(wide.size());
    exp_row_plain(wide, 0, 1, x.data());
    exp_row_avx2(wide, 0, 1, y.data());
    EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace assay
