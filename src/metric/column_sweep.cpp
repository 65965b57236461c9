#include "metric/column_sweep.h"

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "metric/class_wise_kernel.h"
#include "metric/class_wise_parts.h"

namespace assay::detail {
namespace {

std::size_t stretches_in(std::uint64_t items) {
    return static_cast<std::size_t>((items + group_stretch - 1) / group_stretch);
}

void turn(const ProbabilityRows& rows, const ColumnTile& tile, float* out) {
    turn_stretch(rows, tile.stretch, tile.places, tile.from, tile.to - tile.from, out, tile.stride);
}

// Processes a cache line of each column at a time: eight places, whose rows are far apart.
void turn(const OrderedRows& rows, const KeyTile& tile, double* out) {
    constexpr std::size_t line = 8;
    constexpr std::uint64_t nobody = UINT64_MAX;
    std::vector<std::uint64_t> item_at(tile.places.size(), nobody);
    for (std::size_t j = 0; j < tile.items; ++j) {
        if (rows.counts(tile.first_item + j)) item_at[tile.places[j]] = tile.first_item + j;
    }
    const std::uint32_t slice = std::min(tile.to - tile.from, rows.slice());
    std::vector<double> keys(line * slice);
    for (std::uint32_t c = tile.from; c < tile.to; c += slice) {
        const std::uint32_t end = std::min(c + slice, tile.to), width = end - c;
        for (std::size_t j = 0; j < item_at.size(); j += line) {
            for (std::size_t k = 0; k < line; ++k) {
                if (j + line + k < item_at.size() && item_at[j + line + k] != nobody)
                    rows.prefetch(item_at[j + line + k], c, end);
                double* const to = keys.data() + k * width;
                if (item_at[j + k] != nobody) {
                    rows.read(item_at[j + k], c, end, to);
                } else {
                    std::fill(to, to + width, 0.0);
                }
            }
            transpose8(keys.data(), width, out + (c - tile.from) * tile.stride + j, tile.stride);
        }
    }
}

template <class Rows, class Number>
void sweep(const Rows& rows, std::size_t first_stretch, std::size_t last, std::uint32_t begin,
           std::uint32_t end, int threads, const std::function<void(const TileOf<Number>&)>& body) {
    constexpr std::uint32_t slice = 64;
    constexpr std::size_t batch = 16;  // stretches that all slices read while they are in memory
    if (begin >= end) return;
    const std::uint32_t width = std::max(slice, std::min(rows.slice(), end - begin));
    const std::size_t slices = (end - begin + width - 1) / width;
    for (std::size_t first = first_stretch; first < last; first += batch) {
        throw_if_stopped();
        parallel_blocks(slices, threads, [&](std::size_t k) {
            TileOf<Number> tile;
            tile.from = begin + static_cast<std::uint32_t>(k) * width;
            tile.to = std::min(tile.from + width, end);
            tile.stride = stride_of(group_stretch);
            std::vector<Number> columns((tile.to - tile.from) * tile.stride);
            tile.data = columns.data();
            for (std::size_t s = first; s < std::min(first + batch, last); ++s) {
                const std::vector<std::uint16_t> places = group_places(s, rows.items());
                tile.stretch = s;
                tile.first_item = s * std::uint64_t{group_stretch};
                tile.items = std::min<std::uint64_t>(group_stretch, rows.items() - tile.first_item);
                tile.places = places;
                turn(rows, tile, columns.data());
                body(tile);
            }
        });
    }
}

}  // namespace

std::size_t stretches_of(const ProbabilityRows& rows) {
    return stretches_in(rows.items());
}

void sweep_columns(const ProbabilityRows& rows, std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body) {
    sweep(rows, 0, stretches_of(rows), begin, end, threads, body);
}

void sweep_columns(const OrderedRows& rows, std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const KeyTile&)>& body) {
    sweep(rows, 0, stretches_in(rows.items()), begin, end, threads, body);
}

void sweep_columns(const ProbabilityRows& rows, std::size_t first, std::size_t last,
                   std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body) {
    sweep(rows, first, last, begin, end, threads, body);
}

}  // namespace assay::detail
