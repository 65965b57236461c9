#include "containers/hdf5/index_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "containers/hdf5/lookup3.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::hdf5 {

std::vector<std::byte> IndexReader::bytes(std::uint64_t at, std::uint64_t size) {
    throw_if_stopped();
    std::vector<std::byte> all = bytes_at(file_, at, size, what_);
    if (size > left_)
        refuse(fmt::format("it is damaged: {} has the same block several times", what_));
    left_ -= size;
    return all;
}

std::vector<std::byte> IndexReader::sound_bytes(std::uint64_t at, std::uint64_t size) {
    std::vector<std::byte> all = bytes(at, size);
    const std::span<const std::byte> whole(all);
    Fields end(whole.last(index_checksum_bytes), what_);
    if (end.number(index_checksum_bytes) !=
        lookup3(whole.first(whole.size() - index_checksum_bytes)))
        refuse(
            fmt::format("it is damaged: the checksum of {} at byte {} does not match", what_, at));
    return all;
}

IndexBlock::IndexBlock(IndexReader& reader, std::uint64_t at, std::uint64_t size,
                       std::uint64_t signature)
    : bytes_(reader.sound_bytes(at, size)), fields_(bytes_, reader.what()) {
    if (fields_.number(4) != signature || fields_.number(1) != 0)
        refuse(fmt::format("it is damaged: no {} at byte {}", reader.what(), at));
}

ChunkPlace ElementForm::read(Fields& fields, std::uint64_t chunk_bytes) const {
    ChunkPlace place{fields.address(), chunk_bytes, 0};
    if (is_filtered) {
        place.bytes = fields.number(static_cast<std::size_t>(bytes - 12));
        place.left_out = static_cast<std::uint32_t>(fields.number(4));
    }
    return place;
}

PlacesByElement::PlacesByElement(const Grid& grid, const std::vector<std::uint64_t>& counts,
                                 std::vector<std::size_t> order)
    : places_(static_cast<std::size_t>(grid.chunks())) {
    std::vector<std::uint64_t> cell_steps(counts.size(), 1);
    for (std::size_t axis = counts.size(); axis-- > 1;)
        cell_steps[axis - 1] = cell_steps[axis] * grid.counts[axis];
    std::reverse(order.begin(), order.end());
    for (const std::size_t axis : order) {
        axes_.push_back({grid.counts[axis], elements_, cell_steps[axis]});
        if (counts[axis] > ~std::uint64_t{0} / elements_)
            refuse("it is damaged: its largest shape has more than 2^64 chunks");
        elements_ *= counts[axis];
    }
    std::reverse(axes_.begin(), axes_.end());
}

void PlacesByElement::add(const ChunkPlace& place) {
    if (wants(1)) places_[static_cast<std::size_t>(cell_)] = place;
    skip(1);
}

void PlacesByElement::skip(std::uint64_t elements) {
    at_ += std::min(elements, ~std::uint64_t{0} - at_);
    while (!complete_ && wanted_ < at_) find_next();
}

void PlacesByElement::find_next() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
        Axis& axis = axes_[i];
        if (++axis.at < axis.count) {
            wanted_ += axis.element_step;
            cell_ += axis.cell_step;
            return;
        }
        wanted_ -= axis.element_step * (axis.count - 1);
        cell_ -= axis.cell_step * (axis.count - 1);
        axis.at = 0;
    }
    complete_ = true;
}

std::vector<std::uint64_t> counts_of_largest(const Grid& grid,
                                             const std::vector<std::uint64_t>& most) {
    std::vector<std::uint64_t> counts;
    for (std::size_t axis = 0; axis < most.size(); ++axis) {
        if (most[axis] < grid.shape[axis])
            refuse("it is damaged: its largest shape is smaller than its shape");
        counts.push_back((most[axis] - 1) / grid.chunk[axis] + 1);
    }
    return counts;
}

}  // namespace assay::hdf5
