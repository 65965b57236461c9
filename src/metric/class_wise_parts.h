// What the two ways through the class-wise bins share: columns in memory (class_wise.cpp) and rows streamed
// (class_wise_stream.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "class_wise.h"

namespace assay::detail {

/// Places of all stretches: items, the last stretch rounded up to whole rounds of groups.
std::uint64_t places_of(std::uint64_t items);
ClassWiseSums empty_sums();
void add_sums(ClassWiseSums& to, const ClassWiseSums& from);
/// Ranks of the edges 1 .. bins-1 among m values, ascending.
std::vector<std::uint64_t> edge_ranks(std::uint64_t m, std::size_t bins);

/// Stretch `s`, classes [begin, begin + width), turned: out[c * places + place], zeros where no item lands.
void turn_stretch(const ProbabilityRows& rows, std::size_t s, std::uint32_t begin, std::uint32_t width, float* out);

/// One class: sums of p - y by group and bin in units of 2^-40, the numbers of values below the bounds, and of all
/// values.
struct ClassBins {
    std::span<const std::int64_t> exact;   ///< group_count x (bins + 1)
    std::span<const std::uint64_t> below;  ///< one a bound
    std::uint64_t m;
};
/// `hits`: items of the class in each bin.
ClassEdges edges_of(const ClassBins& cls, std::span<const float> bounds, std::span<const std::uint64_t> hits);
void add_errors(const ClassBins& cls, std::span<const std::uint64_t> group_items, ClassWiseSums& result);

ClassWiseSums streamed_sums(const ProbabilityRows& rows, const ClassWiseOptions& options);

}  // namespace assay::detail
