#include "column_sweep.h"

#include <algorithm>

#include "class_wise_parts.h"
#include "core/parallel.h"

namespace assay::detail {

std::size_t stretches_of(const ProbabilityRows& rows) {
    return static_cast<std::size_t>((rows.items() + group_stretch - 1) / group_stretch);
}

void sweep_columns(const ProbabilityRows& rows, std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body) {
    sweep_columns(rows, 0, stretches_of(rows), begin, end, threads, body);
}

void sweep_columns(const ProbabilityRows& rows, std::size_t first_stretch, std::size_t last,
                   std::uint32_t begin, std::uint32_t end, int threads,
                   const std::function<void(const ColumnTile&)>& body) {
    constexpr std::uint32_t slice = 64;
    constexpr std::size_t batch = 16;  // stretches that all slices read while they are in memory
    if (begin >= end) return;
    const std::uint32_t width = std::max(slice, std::min(rows.slice(), end - begin));
    const std::size_t slices = (end - begin + width - 1) / width;
    for (std::size_t first = first_stretch; first < last; first += batch) {
        throw_if_stopped();
        parallel_blocks(slices, threads, [&](std::size_t k) {
            ColumnTile tile;
            tile.from = begin + static_cast<std::uint32_t>(k) * width;
            tile.to = std::min(tile.from + width, end);
            tile.stride = stride_of(group_stretch);
            std::vector<float> columns((tile.to - tile.from) * tile.stride);
            tile.data = columns.data();
            for (std::size_t s = first; s < std::min(first + batch, last); ++s) {
                const std::vector<std::uint16_t> places = group_places(s, rows.items());
                turn_stretch(rows, s, places, tile.from, tile.to - tile.from, columns.data(),
                             tile.stride);
                tile.stretch = s;
                tile.first_item = s * std::uint64_t{group_stretch};
                tile.items = std::min<std::uint64_t>(group_stretch, rows.items() - tile.first_item);
                tile.places = places;
                body(tile);
            }
        });
    }
}

}  // namespace assay::detail
