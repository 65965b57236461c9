// Disjoint sets, against sets that are merged member by member.
#include "core/joined_sets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"

namespace assay {
namespace {

TEST(JoinedSets, TheSmallestMemberRepresentsASet) {
    JoinedSets sets(5);
    EXPECT_EQ(sets.size(), 5U);
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(sets.of(i), i);
    sets.join(4, 3);
    sets.join(3, 1);
    EXPECT_EQ(sets.of(4), 1U);
    EXPECT_EQ(sets.of(0), 0U);
    EXPECT_EQ(sets.of(2), 2U);
    sets.join(1, 4);  // already joined
    EXPECT_EQ(sets.of(1), 1U);
}

TEST(JoinedSets, RandomPairsGiveTheSetsOfASlowMerge) {
    constexpr std::uint32_t n = 200;
    RandomStream random(1, "joined sets");
    JoinedSets sets(n);
    std::vector<std::uint32_t> label(n);
    for (std::uint32_t i = 0; i < n; ++i) label[i] = i;
    for (int pair = 0; pair < 150; ++pair) {
        const auto a = static_cast<std::uint32_t>(random.below(n)),
                   b = static_cast<std::uint32_t>(random.below(n));
        sets.join(a, b);
        const std::uint32_t from = std::max(label[a], label[b]), to = std::min(label[a], label[b]);
        std::ranges::replace(label, from, to);
    }
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(sets.of(i), label[i]);
}

}  // namespace
}  // namespace assay
