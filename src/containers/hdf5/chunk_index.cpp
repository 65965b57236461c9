#include "containers/hdf5/chunk_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/hdf5/growing_index.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::uint64_t most_tree_nodes = std::uint64_t{1} << 22;

void refuse_missing(const std::vector<ChunkPlace>& places) {
    const auto missing = std::ranges::count(places, no_address, &ChunkPlace::address);
    if (missing > 0)
        refuse(fmt::format("{} of its {} chunks were never written", missing, places.size()));
}

/// The B-tree with the positions of the chunks.
class ChunkIndex {
public:
    ChunkIndex(const ByteSource& file, const Grid& grid)
        : file_(file), grid_(grid), places_(static_cast<std::size_t>(grid.chunks())) {}

    std::vector<ChunkPlace> read(std::uint64_t tree) {
        take(tree, 0);
        refuse_missing(places_);
        return std::move(places_);
    }

private:
    void take(std::uint64_t at, int depth) {
        constexpr int deepest = 16;
        throw_if_stopped();
        if (depth > deepest || ++nodes_ > most_tree_nodes)
            refuse("it is damaged: its tree of chunks is circular");
        const auto head = bytes_at(file_, at, 24, "a tree of chunks");
        Fields fields(head, "a tree of chunks");
        constexpr std::uint64_t tree_signature = 0x45455254;  // "TREE"
        const bool is_tree = fields.number(4) == tree_signature && fields.number(1) == 1;
        if (!is_tree) refuse(fmt::format("it is damaged: no tree of chunks at byte {}", at));
        const std::uint64_t level = fields.number(1), entries = fields.number(2);
        const std::uint64_t key = 8 + 8 * (grid_.shape.size() + 1);
        const auto body = bytes_at(file_, at + 24, entries * (key + 8), "a tree of chunks");
        Fields rest(body, "a tree of chunks");
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

    const ByteSource& file_;
    const Grid& grid_;
    std::vector<ChunkPlace> places_;
    std::uint64_t nodes_ = 0;
};

/// The array of a data set whose axes cannot grow without limit. Long arrays have pages.
class FixedArray {
public:
    FixedArray(const ByteSource& file, std::uint64_t chunk_bytes)
        : file_(file), chunk_bytes_(chunk_bytes) {}

    /// The first `count` elements of the array whose header is at `at`.
    std::vector<ChunkPlace> read(std::uint64_t at, std::uint64_t count) {
        constexpr std::uint64_t head_bytes = 24;
        const auto head = bytes_at(file_, at, head_bytes, what);
        Fields fields(head, what);
        expect(fields, 0x44484146, at);  // "FAHD"
        is_filtered_ = fields.number(1) == 1;
        element_ = fields.number(1);
        const std::uint64_t page_bits = fields.number(1), elements = fields.number(8);
        const std::uint64_t block = fields.address();
        const bool fits = is_filtered_ ? element_ > 12 && element_ <= 20 : element_ == 8;
        if (!fits || page_bits > 31 || elements != count)
            refuse("it is damaged: the array of its chunks has a different size");
        if (block == no_address) refuse("it was never written");
        // A damaged header may claim more elements than the file can hold.
        places_.reserve(static_cast<std::size_t>(std::min(elements, file_.size() / element_)));
        read_block(block, elements, std::uint64_t{1} << page_bits);
        return std::move(places_);
    }

private:
    static constexpr const char* what = "an array of chunks";
    static constexpr std::uint64_t checksum_bytes = 4;

    static void expect(Fields& fields, std::uint64_t signature, std::uint64_t at) {
        if (fields.number(4) != signature || fields.number(1) != 0)
            refuse(fmt::format("it is damaged: no array of chunks at byte {}", at));
    }

    void read_block(std::uint64_t at, std::uint64_t elements, std::uint64_t per_page) {
        constexpr std::uint64_t head_bytes = 14;
        const auto head = bytes_at(file_, at, head_bytes, what);
        Fields fields(head, what);
        expect(fields, 0x42444146, at);  // "FADB"
        at += head_bytes;
        if (elements <= per_page) return read_elements(at, elements);
        const std::uint64_t pages = (elements - 1) / per_page + 1;
        const auto begun = bytes_at(file_, at, (pages + 7) / 8, what);
        at += begun.size() + checksum_bytes;
        for (std::uint64_t page = 0; page < pages; ++page) {
            const std::uint64_t here = std::min(per_page, elements - page * per_page);
            const auto bits = std::to_integer<unsigned>(begun[static_cast<std::size_t>(page / 8)]);
            if ((bits << (page % 8) & 0x80U) != 0) {
                read_elements(at, here);
            } else {
                places_.resize(places_.size() + static_cast<std::size_t>(here));
            }
            at += here * element_ + checksum_bytes;
        }
    }

    void read_elements(std::uint64_t at, std::uint64_t count) {
        throw_if_stopped();
        const auto bytes = bytes_at(file_, at, count * element_, what);
        Fields fields(bytes, what);
        for (std::uint64_t i = 0; i < count; ++i) {
            ChunkPlace place{fields.address(), chunk_bytes_, 0};
            if (is_filtered_) {
                place.bytes = fields.number(static_cast<std::size_t>(element_ - 12));
                place.left_out = static_cast<std::uint32_t>(fields.number(4));
            }
            places_.push_back(place);
        }
    }

    const ByteSource& file_;
    std::uint64_t chunk_bytes_;
    std::uint64_t element_ = 8;
    bool is_filtered_ = false;
    std::vector<ChunkPlace> places_;
};

}  // namespace

std::vector<ChunkPlace> chunks_in_tree(const ByteSource& file, const Grid& grid,
                                       std::uint64_t tree) {
    return ChunkIndex(file, grid).read(tree);
}

std::vector<ChunkPlace> chunks_in_new_index(const ByteSource& file, const Grid& grid,
                                            const std::vector<std::uint64_t>& most, Fields& fields,
                                            bool single_is_filtered) {
    constexpr std::uint64_t single = 1, implicit = 2, fixed = 3, extensible = 4, tree = 5;
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
    // The index has a place for each chunk of the largest shape.
    std::uint64_t all = 1;
    std::vector<std::uint64_t> counts;
    for (std::size_t axis = 0; axis < most.size(); ++axis) {
        if (most[axis] < grid.shape[axis])
            refuse("it is damaged: its largest shape is smaller than its shape");
        counts.push_back((most[axis] - 1) / grid.chunk[axis] + 1);
        if (counts.back() > file.size() / all) refuse("it has more chunks than its file can hold");
        all *= counts.back();
    }
    const std::uint64_t bytes = grid.chunk_bytes();
    std::vector<ChunkPlace> places;
    if (type == fixed) {
        places = FixedArray(file, bytes).read(address, all);
        if (places.size() != all)
            refuse("it is damaged: the array of its chunks has a different size");
    } else {
        places.resize(static_cast<std::size_t>(grid.chunks()));
    }
    const std::uint64_t chunks = grid.chunks();
    for (std::uint64_t cell = 0; cell < chunks; ++cell) {
        std::uint64_t rest = cell, at = 0, step = 1;
        for (std::size_t axis = counts.size(); axis-- > 0; rest /= grid.counts[axis]) {
            at += rest % grid.counts[axis] * step;
            step *= counts[axis];
        }
        // The places move to the front of one array: `at` is never before `cell`.
        places[static_cast<std::size_t>(cell)] = type == fixed
                                                     ? places[static_cast<std::size_t>(at)]
                                                     : ChunkPlace{address + at * bytes, bytes, 0};
    }
    places.resize(static_cast<std::size_t>(chunks));
    refuse_missing(places);
    return places;
}

}  // namespace assay::hdf5
