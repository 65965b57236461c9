#include "containers/hdf5/chunk_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "containers/hdf5/growing_index.h"
#include "containers/hdf5/index_blocks.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

void refuse_missing(const std::vector<ChunkPlace>& places) {
    const auto missing = std::ranges::count(places, no_address, &ChunkPlace::address);
    if (missing > 0)
        refuse(fmt::format("{} of its {} chunks were never written", missing, places.size()));
}

/// The B-tree with the positions of the chunks.
class ChunkIndex {
public:
    ChunkIndex(const ByteSource& file, const Grid& grid)
        : reader_(file, "a tree of chunks"),
          grid_(grid),
          places_(static_cast<std::size_t>(grid.chunks())) {}

    std::vector<ChunkPlace> read(std::uint64_t tree) {
        take(tree, 0);
        refuse_missing(places_);
        return std::move(places_);
    }

private:
    void take(std::uint64_t at, int depth) {
        constexpr int deepest = 16;
        if (depth > deepest) refuse("it is damaged: its tree of chunks is circular");
        const auto head = reader_.bytes(at, 24);
        Fields fields(head, reader_.what());
        constexpr std::uint64_t tree_signature = 0x45455254;  // "TREE"
        const bool is_tree = fields.number(4) == tree_signature && fields.number(1) == 1;
        if (!is_tree) refuse(fmt::format("it is damaged: no tree of chunks at byte {}", at));
        const std::uint64_t level = fields.number(1), entries = fields.number(2);
        const std::uint64_t key = 8 + 8 * (grid_.shape.size() + 1);
        const auto body = reader_.bytes(at + 24, entries * (key + 8));
        Fields rest(body, reader_.what());
        for (std::uint64_t i = 0; i < entries; ++i) {
            ChunkPlace place;
            place.bytes = rest.number(4);
            place.left_out = static_cast<std::uint32_t>(rest.number(4));
            std::uint64_t cell = 0;
            bool inside = true;
            for (std::size_t axis = 0; axis < grid_.shape.size(); ++axis) {
                const std::uint64_t corner = rest.number(8);
                inside = inside && corner < grid_.shape[axis] && corner % grid_.chunk[axis] == 0;
                cell = cell * grid_.counts[axis] + corner / grid_.chunk[axis];
            }
            rest.skip(8);
            place.address = rest.address();
            if (level > 0) {
                take(place.address, depth + 1);
            } else if (inside) {  // data from before the array shrank may still exist
                ChunkPlace& known = places_[static_cast<std::size_t>(cell)];
                if (known.address != no_address)
                    refuse("it is damaged: two of its chunks are at the same place");
                known = place;
            }
        }
    }

    IndexReader reader_;
    const Grid& grid_;
    std::vector<ChunkPlace> places_;
};

/// The array of a data set whose axes cannot grow without limit. Long arrays have pages.
class FixedArray {
public:
    FixedArray(const ByteSource& file, std::uint64_t chunk_bytes, PlacesByElement& places)
        : file_bytes_(file.size()),
          reader_(file, "an array of chunks"),
          chunk_bytes_(chunk_bytes),
          places_(places) {}

    /// Reads the elements of the array whose header is at `at`.
    void read(std::uint64_t at) {
        constexpr std::uint64_t head_bytes = 28;
        IndexBlock head(reader_, at, head_bytes, 0x44484146);  // "FAHD"
        Fields& fields = head.fields();
        form_.is_filtered = fields.number(1) == 1;
        form_.bytes = fields.number(1);
        const std::uint64_t page_bits = fields.number(1), elements = fields.number(8);
        const std::uint64_t block = fields.address();
        if (!form_.fits() || page_bits > 31 || elements != places_.elements() ||
            elements > file_bytes_ / form_.bytes)
            refuse("it is damaged: the array of its chunks has a different size");
        if (block == no_address) refuse("it was never written");
        read_block(block, at, elements, std::uint64_t{1} << page_bits);
    }

private:
    void read_block(std::uint64_t at, std::uint64_t header, std::uint64_t elements,
                    std::uint64_t per_page) {
        const bool has_pages = elements > per_page;
        const std::uint64_t pages = has_pages ? (elements - 1) / per_page + 1 : 0;
        const std::uint64_t mask_bytes = (pages + 7) / 8;
        const std::uint64_t bytes =
            14 + (has_pages ? mask_bytes : elements * form_.bytes) + index_checksum_bytes;
        IndexBlock block(reader_, at, bytes, 0x42444146);  // "FADB"
        Fields& fields = block.fields();
        fields.skip(1);  // whether there are filters, as in the header
        if (fields.address() != header)
            refuse("it is damaged: the array of its chunks has a block of another array");
        if (!has_pages) return add_elements(fields, elements);
        const auto written = fields.bytes(static_cast<std::size_t>(mask_bytes));
        at += bytes;
        for (std::uint64_t page = 0; page < pages; ++page) {
            const std::uint64_t here = std::min(per_page, elements - page * per_page);
            const std::uint64_t page_bytes = here * form_.bytes + index_checksum_bytes;
            const auto bits =
                std::to_integer<unsigned>(written[static_cast<std::size_t>(page / 8)]);
            if ((bits << (page % 8) & 0x80U) == 0 || !places_.wants(here)) {
                places_.skip(here);
            } else {
                const auto all = reader_.sound_bytes(at, page_bytes);
                Fields of_page(all, reader_.what());
                add_elements(of_page, here);
            }
            at += page_bytes;
        }
    }

    void add_elements(Fields& fields, std::uint64_t elements) {
        for (std::uint64_t i = 0; i < elements; ++i) places_.add(form_.read(fields, chunk_bytes_));
    }

    std::uint64_t file_bytes_;
    IndexReader reader_;
    std::uint64_t chunk_bytes_;
    PlacesByElement& places_;
    ElementForm form_;
};

/// Chunks without an index are in the file in sequence, those of the largest shape.
std::vector<ChunkPlace> chunks_in_sequence(const ByteSource& file, std::uint64_t chunk_bytes,
                                           std::uint64_t address, PlacesByElement& places) {
    if (places.elements() > file.size()) refuse("it has more chunks than its file can hold");
    while (!places.complete())
        places.add({address + places.skip_to_wanted() * chunk_bytes, chunk_bytes, 0});
    return places.take();
}

}  // namespace

std::vector<ChunkPlace> chunks_in_tree(const ByteSource& file, const Grid& grid,
                                       std::uint64_t tree) {
    return ChunkIndex(file, grid).read(tree);
}

std::vector<ChunkPlace> chunks_in_new_index(const ByteSource& file, const Grid& grid,
                                            const std::vector<std::uint64_t>& most, Fields& fields,
                                            bool single_is_filtered) {
    constexpr std::uint64_t single = 1, implicit = 2, extensible = 4, tree = 5;  // 3: fixed
    const std::uint64_t type = fields.number(1);
    if (type == single) {
        ChunkPlace place{no_address, grid.chunk_bytes(), 0};
        if (single_is_filtered) {
            place.bytes = fields.number(8);
            place.left_out = static_cast<std::uint32_t>(fields.number(4));
        }
        place.address = fields.address();
        if (grid.chunks() != 1) refuse("it is damaged: it has one chunk of several");
        refuse_missing({place});
        return {place};
    }
    if (type < implicit || type > tree)
        refuse(fmt::format(
            "its chunks have an index of the type {}, which is not supported. To write the file "
            "again: h5repack -l CONTI IN.h5 OUT.h5",
            type));
    constexpr std::size_t bytes_of_form[] = {0, 1, 5, 6};  // repeated in the index itself
    fields.skip(bytes_of_form[type - implicit]);
    const std::uint64_t address = fields.address();
    if (address == no_address) refuse("it was never written");
    if (address > file.size()) refuse("it is damaged or cut off: its chunks are beyond its end");
    if (type == extensible || type == tree) {
        auto places = type == tree ? chunks_in_new_tree(file, grid, address)
                                   : chunks_in_extensible_array(file, grid, most, address);
        refuse_missing(places);
        return places;
    }
    std::vector<std::size_t> order(grid.shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    PlacesByElement elements(grid, counts_of_largest(grid, most), std::move(order));
    const std::uint64_t bytes = grid.chunk_bytes();
    if (type == implicit) return chunks_in_sequence(file, bytes, address, elements);
    FixedArray(file, bytes, elements).read(address);
    auto places = elements.take();
    refuse_missing(places);
    return places;
}

}  // namespace assay::hdf5
