// Code shared by the two ways to compute the class-wise bins: columns in memory (class_wise.cpp)
// and streamed rows (class_wise_stream.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/collective/comm.h"
#include "metric/class_wise.h"

namespace assay::detail {

/// The number of places in all stretches: the items, with the last stretch rounded up to whole
/// rounds of groups.
std::uint64_t places_of(std::uint64_t items);
ClassWiseSums empty_sums();
void add_sums(ClassWiseSums& to, const ClassWiseSums& from);
/// The ascending ranks of the edges 1 .. bins-1 among m values.
std::vector<std::uint64_t> edge_ranks(std::uint64_t m, std::size_t bins);

/// Rows in memory (ProbabilityRows::direct) in the order of their places, at least sixteen; a place
/// without an item has a row of `nothing` with factor 0.
std::vector<ScoreRow> rows_by_place(const ProbabilityRows& rows, std::size_t s,
                                    std::span<const std::uint16_t> places, const float* nothing);
/// Transposes classes [begin, begin + width) of these rows: out[c * out_stride + place].
void turn_rows(std::span<const ScoreRow> rows, bool exponential, std::uint32_t begin,
               std::uint32_t width, float* out, std::size_t out_stride);
/// The same for stretch `s` of any rows, with zeros at places without an item.
void turn_stretch(const ProbabilityRows& rows, std::size_t s, std::span<const std::uint16_t> places,
                  std::uint32_t begin, std::uint32_t width, float* out, std::size_t out_stride);
/// At least `places`, and not a power of two: otherwise neighboring columns would share the few
/// cache lines of one set.
constexpr std::uint64_t stride_of(std::uint64_t places) {
    return (places + 15) / 32 * 32 + 16;
}

/// The bins of one class. They have the sums of p - y by group and bin, in units of 2^-40. They
/// also have the numbers of values below the bounds, and the number of all values.
struct ClassBins {
    std::span<const std::int64_t> exact;   ///< group_count x (bins + 1)
    std::span<const std::uint64_t> below;  ///< one entry per bound
    std::uint64_t m;
};
/// `hits` counts the items of the class in each bin.
ClassEdges edges_of(const ClassBins& cls, std::span<const float> bounds,
                    std::span<const std::uint64_t> hits);
void add_errors(const ClassBins& cls, std::span<const std::uint64_t> group_items,
                ClassWiseSums& result);

/// Collective: ranks pass the same options, and each rank gets the whole result.
ClassWiseSums streamed_sums(const ProbabilityRows& rows, const ClassWiseOptions& options,
                            Comm& comm);

}  // namespace assay::detail
