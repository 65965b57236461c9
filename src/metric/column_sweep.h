// One pass over rows by columns: tiles of one stretch of items and some classes, transposed so that
// a class's numbers are adjacent. Memory: one tile per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "metric/class_wise.h"
#include "metric/ordered_rows.h"

namespace assay::detail {

/// Numbers of the classes [from, to) in one stretch. A column has a place for each item, in the
/// order of group_places(); places without an item and excluded items contain zeros.
template <class Number>
struct TileOf {
    std::size_t stretch = 0;
    std::uint64_t first_item = 0, items = 0;
    std::span<const std::uint16_t> places;
    std::uint32_t from = 0, to = 0;
    const Number* data = nullptr;
    std::size_t stride = 0;
    std::span<const Number> column(std::uint32_t c) const {
        return {data + (c - from) * stride, places.size()};
    }
};
using ColumnTile = TileOf<float>;  ///< of probabilities
using KeyTile = TileOf<double>;    ///< a tile of order keys

/// Calls body(tile) for all classes in [begin, end) and all stretches, on several threads. The
/// tiles of one class come one after another, in the order of the stretches.
void sweep_columns(const ProbabilityRows& rows, std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body);
void sweep_columns(const OrderedRows& rows, std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const KeyTile&)>& body);
std::size_t stretches_of(const ProbabilityRows& rows);
/// The same calls for the stretches [first, last).
void sweep_columns(const ProbabilityRows& rows, std::size_t first, std::size_t last,
                   std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body);

/// Double sums of quantized probabilities stay exact over this many stretches (2^13 ones).
inline constexpr std::size_t exact_stretches = 256;

}  // namespace assay::detail
