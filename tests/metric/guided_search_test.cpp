// Compares the plain and the AVX2 version of the search among ascending values, and of the other
// inner loops of ranks.
#include "metric/guided_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cpu.h"
#include "core/random.h"
#include "metric/class_wise_kernel.h"
#include "store/order_keys.h"

namespace assay {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Searches for the values, their neighbours, and numbers between and beyond them.
std::vector<double> column_for(const std::vector<double>& values) {
    std::vector<double> column = {0, -0.0, 1e300, -1e300, infinity, -infinity};
    for (std::size_t i = 0; i < values.size(); ++i) {
        column.push_back(values[i]);
        column.push_back(std::nextafter(values[i], infinity));
        column.push_back(std::nextafter(values[i], -infinity));
        if (i > 0 && std::isfinite(values[i - 1]) && std::isfinite(values[i]))
            column.push_back(values[i - 1] / 2 + values[i] / 2);
    }
    while (column.size() % GuidedSearch::lanes != 0) column.push_back(values.front());
    return column;
}

void expect_slots(const std::vector<double>& values, const char* what) {
    const GuidedSearch search(values);
    const std::vector<double> column = column_for(values);
    std::vector<std::uint32_t> plain(column.size()), fast(column.size()), either(column.size());
    search.find(values, column, either.data());
    search.find_plain(values.data(), column, plain.data());
    if (cpu_has_avx2()) {
        search.find_avx2(values.data(), column, fast.data());
        EXPECT_EQ(fast, plain) << what;
    }
    EXPECT_EQ(either, plain) << what;
    for (std::size_t i = 0; i < column.size(); ++i) {
        const auto below = std::ranges::lower_bound(values, column[i]);
        const bool equal = below != values.end() && *below == column[i];
        ASSERT_EQ(plain[i],
                  2 * static_cast<std::uint32_t>(below - values.begin()) + (equal ? 1 : 0))
            << what << ": " << column[i];
    }
}

TEST(GuidedSearch, CornerCases) {
    expect_slots({0}, "one");
    expect_slots({-infinity}, "one infinite");
    expect_slots({-infinity, infinity}, "nothing finite");
    expect_slots({-infinity, 3, infinity}, "one finite");
    expect_slots({-infinity, 1, 2, 2.5, infinity}, "infinite ends");
    expect_slots({-1.7e308, 1.7e308}, "a range that is infinite");
    expect_slots({0, 5e-324}, "the smallest range");
    expect_slots({1, std::nextafter(1, 2)}, "neighbours");
    expect_slots({0, 1, 1e300}, "all but one in a cell");
}

TEST(GuidedSearch, CrowdedAndSpreadValues) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomStream random(seed, "guided search", 0);
        std::vector<double> values(1 + random.below(300));
        for (double& x : values) {
            // The values range from evenly spread to nearly all in one cell.
            x = std::pow(random.uniform(), 1 + static_cast<double>(seed % 20)) * 1e3;
            if (seed % 3 == 1) x = random.normal();
            if (seed % 3 == 2) x = std::round(4 * random.normal()) / 4;
        }
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        expect_slots(values, "random");
    }
}

TEST(GuidedSearch, MoreValuesThanCells) {
    std::vector<double> values(100'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) * 0.25 - 7;
    expect_slots(values, "many");
}

TEST(ColumnKernels, TurnedRowsOfAnyWidth) {
    for (const std::size_t classes : {1U, 3U, 4U, 7U, 64U, 129U}) {
        std::vector<double> rows(8 * classes), plain(classes * 16), fast(classes * 16);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i);
        detail::transpose8_plain(rows.data(), classes, plain.data(), 16);
        EXPECT_EQ(plain[(classes - 1) * 16 + 7], static_cast<double>(8 * classes - 1));
        if (!cpu_has_avx2()) continue;
        detail::transpose8_avx2(rows.data(), classes, fast.data(), 16);
        EXPECT_EQ(fast, plain) << classes;
    }
}

TEST(ColumnKernels, KeysOfLogits) {
    RandomStream random(1, "keys of logits", 0);
    std::vector<float> x(1003);
    for (float& value : x) value = static_cast<float>(10 * random.normal());
    x[5] = -std::numeric_limits<float>::infinity();
    for (const std::size_t count : {1U, 4U, 6U, 1003U}) {
        std::vector<double> plain(count), fast(count);
        store::keys_of_logits_plain(x.data(), count, 31.4, 0.1 / 3, plain.data());
        EXPECT_EQ(plain[0], (static_cast<double>(x[0]) - 31.4) - 0.1 / 3);
        if (!cpu_has_avx2()) continue;
        store::keys_of_logits_avx2(x.data(), count, 31.4, 0.1 / 3, fast.data());
        EXPECT_EQ(fast, plain) << count;
    }
}

}  // namespace
}  // namespace assay
