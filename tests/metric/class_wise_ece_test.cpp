#include "metric/class_wise_ece.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "metric/families.h"
#include "metric/real_sum.h"
#include "plain_definitions.h"

namespace assay {
namespace {

using plain::Table;

// Searches the items of every bin one by one, as in the definition.
double class_wise_ece_by_wording(const Table& t, int bins, const std::string& rule) {
    const std::vector<float> e = families::equal_width_edges(bins);
    const auto inside = [&](int b, float p) {
        const float low = e[static_cast<std::size_t>(b)], high = e[static_cast<std::size_t>(b) + 1];
        const bool last = b == bins - 1;
        if (rule == "right_closed") return (p > low || (b == 0 && p == 0)) && p <= high;
        return p >= low && (p < high || (last && p == 1 && rule == "left_closed_merged"));
    };
    double n = 0, sum = 0;
    for (const auto label : t.labels) n += label >= 0 ? 1 : 0;
    if (n == 0) return 0;
    for (std::size_t c = 0; c < t.classes; ++c) {
        for (int b = 0; b <= bins; ++b) {
            double members = 0, p = 0, y = 0;
            for (std::size_t i = 0; i < t.rows(); ++i) {
                const float x = t.at(i, c);
                const bool one = x == 1 && rule == "left_closed";
                if (t.labels[i] < 0 || (b == bins ? !one : one || !inside(b, x))) continue;
                members += 1;
                p += x;
                y += t.labels[i] == static_cast<std::int32_t>(c) ? 1 : 0;
            }
            if (members > 0) sum += members / n * std::abs(y / members - p / members);
        }
    }
    return sum / static_cast<double>(t.classes);
}

double ece_found(const Table& t, const ClassWiseEceOptions& options) {
    return real_of(class_wise_ece_sums(plain::MemoryRows(t), options).error.data()) /
           static_cast<double>(t.classes);
}

Table ece_table(std::uint64_t seed, std::size_t rows) {
    RandomStream random(seed, "class-wise ece");
    Table t;
    t.classes = 1 + random.below(9);
    const std::uint64_t style = random.below(3);
    for (std::size_t i = 0; i < rows; ++i) {
        t.labels.push_back(
            random.below(10) == 0 ? -1 : static_cast<std::int32_t>(random.below(t.classes)));
        for (std::size_t c = 0; c < t.classes; ++c) {
            const double u = random.uniform();
            // Scores are arbitrary numbers, fifteenths (which are bin edges), zeros and ones.
            t.p.push_back(style == 0   ? static_cast<float>(u * u)
                          : style == 1 ? families::equal_width_edges(15)[random.below(16)]
                                       : static_cast<float>(random.below(2)));
        }
    }
    return t;
}

TEST(ClassWiseEce, OneItem) {
    // Class 0 has |1 - .25| and class 1 |0 - .75|, so the mean is .75.
    EXPECT_DOUBLE_EQ(ece_found({2, {0.25F, 0.75F}, {0}}, {}), 0.75);
    EXPECT_EQ(ece_found({2, {0.25F, 0.75F}, {-1}}, {}), 0);
    EXPECT_EQ(ece_found({2, {}, {}}, {}), 0);
}

TEST(ClassWiseEce, BinsAreNotJoined) {
    // Class 0 has two bins: {.25, .25} with one hit (|1 - .5| = .5), and {.75} without a hit (.75).
    // Class 1 has {.75, .75} with one hit (|1 - 1.5| = .5), and {.25} with a hit (.75). n is 3.
    const Table t{2, {0.25F, 0.75F, 0.25F, 0.75F, 0.75F, 0.25F}, {0, 1, 1}};
    EXPECT_DOUBLE_EQ(ece_found(t, {.bins = 2}), 1.25 / 3);
    // In one bin, the errors partly cancel: |1 - 1.25| and |2 - 1.75|.
    EXPECT_NEAR(ece_found(t, {.bins = 1}), 0.25 / 3, 1e-15);
}

TEST(ClassWiseEce, AgreesWithTheWording) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const Table t = ece_table(seed, seed % 4 == 0 ? seed % 7 : 20 + 3 * seed);
        for (const std::string rule : {"left_closed", "left_closed_merged", "right_closed"}) {
            for (const int bins : {15, 1 + static_cast<int>(seed % 20)}) {
                ASSERT_NEAR(ece_found(t, {.bins = bins, .edges = rule}),
                            class_wise_ece_by_wording(t, bins, rule), 1e-10)
                    << "seed " << seed << ' ' << rule << ' ' << bins;
            }
        }
    }
}

TEST(ClassWiseEce, SameBitsForAnyThreadsAndShares) {
    Table t = ece_table(5, 6000);
    ASSERT_GT(t.classes, 2U);
    const auto all = class_wise_ece_sums(plain::MemoryRows(t), {});
    const auto threads = class_wise_ece_sums(plain::MemoryRows(t), {.threads = 3});
    auto sum = class_wise_ece_sums(plain::MemoryRows(t), {.last_class = 2});
    const auto rest = class_wise_ece_sums(plain::MemoryRows(t), {.first_class = 2});
    EXPECT_EQ(threads.error, all.error);
    EXPECT_EQ(threads.without, all.without);
    for (std::size_t k = 0; k < sum.without.size(); ++k) sum.without[k] += rest.without[k];
    for (std::size_t k = 0; k < sum.error.size(); ++k) sum.error[k] += rest.error[k];
    EXPECT_EQ(sum.error, all.error);
    EXPECT_EQ(sum.without, all.without);
}

TEST(ClassWiseEce, WithoutAGroupIsNeverHavingSeenIt) {
    const Table t = ece_table(9, 1000);
    const auto places = group_places(0, 1000);
    Table left = t;
    for (std::size_t i = 0; i < left.rows(); ++i) {
        if (places[i] % group_count == 5) left.labels[i] = -1;
    }
    const auto all = class_wise_ece_sums(plain::MemoryRows(t), {});
    EXPECT_NEAR(real_of(all.without.data() + 5 * real_slots) / static_cast<double>(t.classes),
                ece_found(left, {}), 1e-10);
}

}  // namespace
}  // namespace assay
