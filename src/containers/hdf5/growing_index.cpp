#include "containers/hdf5/growing_index.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "containers/hdf5/index_blocks.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

/// An array whose elements are in its index block, in data blocks, and in data blocks of secondary
/// blocks. Each secondary block u has 2^(u/2) data blocks of 2^((u+1)/2) times the least number of
/// elements. Long data blocks have pages.
class ExtensibleArray {
public:
    ExtensibleArray(const ByteSource& file, std::uint64_t chunk_bytes, PlacesByElement& places)
        : file_bytes_(file.size()),
          reader_(file, "an extensible array of chunks"),
          chunk_bytes_(chunk_bytes),
          places_(places) {}

    /// Reads the elements of the array whose header is at `at`. Blocks and pages without a chunk
    /// of the grid are not read.
    void read(std::uint64_t at) {
        constexpr std::uint64_t head_bytes = 72;
        IndexBlock head(reader_, at, head_bytes, 0x44484145);  // "EAHD"
        Fields& fields = head.fields();
        form_.is_filtered = fields.number(1) == 1;
        form_.bytes = fields.number(1);
        const std::uint64_t bits = fields.number(1), in_index = fields.number(1),
                            least = fields.number(1), pointers = fields.number(1),
                            page_bits = fields.number(1);
        fields.skip(48);  // statistics
        const std::uint64_t index = fields.address();
        if (!form_.fits() || bits == 0 || bits > 64 || !std::has_single_bit(least) ||
            !std::has_single_bit(pointers) || page_bits > 31)
            refuse("it is damaged: the array of its chunks has a different form");
        header_ = at;
        per_page_ = std::uint64_t{1} << page_bits;
        offset_bytes_ = (bits + 7) / 8;
        if (index == no_address) refuse("it was never written");
        read_index(index, in_index, least, pointers, bits);
    }

private:
    void read_index(std::uint64_t at, std::uint64_t in_index, std::uint64_t least,
                    std::uint64_t pointers, std::uint64_t bits) {
        const auto least_bits = static_cast<std::uint64_t>(std::countr_zero(least));
        if (bits < least_bits) refuse("it is damaged: the array of its chunks has no blocks");
        const std::uint64_t blocks = 1 + bits - least_bits;
        const std::uint64_t direct =
            std::min(blocks, 2 * static_cast<std::uint64_t>(std::countr_zero(pointers)));
        const std::uint64_t addresses = 2 * (pointers - 1) + blocks - direct;
        const std::uint64_t bytes =
            14 + in_index * form_.bytes + addresses * 8 + index_checksum_bytes;
        IndexBlock index(reader_, at, bytes, 0x42494145);  // "EAIB"
        Fields& fields = index.fields();
        check_owner(fields);
        for (std::uint64_t i = 0; i < in_index; ++i) places_.add(form_.read(fields, chunk_bytes_));
        for (std::uint64_t u = 0; u < blocks && !places_.complete(); ++u) {
            const std::uint64_t data_blocks = std::uint64_t{1} << (u / 2);
            const std::uint64_t elements = least << ((u + 1) / 2);
            if (u >= direct) {
                read_secondary(fields.address(), data_blocks, elements);
                continue;
            }
            for (std::uint64_t b = 0; b < data_blocks; ++b)
                read_data(fields.address(), elements, {}, 0);
        }
    }

    void check_owner(Fields& fields) const {
        fields.skip(1);  // whether there are filters, as in the header
        if (fields.address() != header_)
            refuse("it is damaged: the array of its chunks has a block of another array");
    }

    void read_secondary(std::uint64_t at, std::uint64_t data_blocks, std::uint64_t elements) {
        // The last block may end at 2^64 elements, which the grid never reaches.
        const std::uint64_t all =
            data_blocks > ~std::uint64_t{0} / elements ? ~std::uint64_t{0} : data_blocks * elements;
        if (at == no_address || !places_.wants(all)) return places_.skip(all);
        const bool has_pages = elements > per_page_;
        const std::uint64_t pages = has_pages ? elements / per_page_ : 0;
        const std::uint64_t mask_of_block = (pages + 7) / 8;
        if (data_blocks > file_bytes_ || mask_of_block > file_bytes_ / data_blocks)
            refuse("it is damaged: the array of its chunks is larger than its file");
        const std::uint64_t mask_bytes = data_blocks * mask_of_block;
        const std::uint64_t bytes =
            14 + offset_bytes_ + mask_bytes + data_blocks * 8 + index_checksum_bytes;
        IndexBlock block(reader_, at, bytes, 0x42534145);  // "EASB"
        Fields& fields = block.fields();
        check_owner(fields);
        fields.skip(static_cast<std::size_t>(offset_bytes_));
        const auto written = fields.bytes(static_cast<std::size_t>(mask_bytes));
        for (std::uint64_t b = 0; b < data_blocks && !places_.complete(); ++b)
            read_data(fields.address(), elements, written, b * pages);
    }

    /// `written` has a bit for each page of a block with pages, from the bit `first` on.
    void read_data(std::uint64_t at, std::uint64_t elements, std::span<const std::byte> written,
                   std::uint64_t first) {
        if (at == no_address || !places_.wants(elements)) return places_.skip(elements);
        const bool has_pages = !written.empty();
        const std::uint64_t head = 14 + offset_bytes_ + (has_pages ? index_checksum_bytes : 0);
        if (elements > file_bytes_ / form_.bytes)
            refuse("it is damaged: the array of its chunks is larger than its file");
        const std::uint64_t bytes =
            has_pages ? head : head + elements * form_.bytes + index_checksum_bytes;
        IndexBlock block(reader_, at, bytes, 0x42444145);  // "EADB"
        check_owner(block.fields());
        block.fields().skip(static_cast<std::size_t>(offset_bytes_));
        if (!has_pages) return add_elements(block.fields(), elements);
        const std::uint64_t page_bytes = per_page_ * form_.bytes + index_checksum_bytes;
        at += head;
        for (std::uint64_t page = first; page < first + elements / per_page_; ++page) {
            const auto bits =
                std::to_integer<unsigned>(written[static_cast<std::size_t>(page / 8)]);
            if ((bits << (page % 8) & 0x80U) == 0 || !places_.wants(per_page_)) {
                places_.skip(per_page_);
            } else {
                const auto all = reader_.sound_bytes(at, page_bytes);
                Fields fields(all, reader_.what());
                add_elements(fields, per_page_);
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
    std::uint64_t header_ = 0, per_page_ = 1, offset_bytes_ = 0;
};

/// A B-tree of version 2 whose records have the place of a chunk and its position in the grid.
class NewTree {
public:
    NewTree(const ByteSource& file, const Grid& grid)
        : reader_(file, "a tree of chunks"),
          grid_(grid),
          places_(static_cast<std::size_t>(grid.chunks())) {}

    std::vector<ChunkPlace> read(std::uint64_t at) {
        constexpr std::uint64_t head_bytes = 38;
        IndexBlock head(reader_, at, head_bytes, 0x44485442);  // "BTHD"
        Fields& fields = head.fields();
        constexpr std::uint64_t plain = 10, filtered = 11;
        type_ = fields.number(1);
        node_bytes_ = fields.number(4);
        record_bytes_ = fields.number(2);
        const std::uint64_t depth = fields.number(2);
        fields.skip(2);
        const std::uint64_t root = fields.address(), records = fields.number(2);
        const std::uint64_t position = 8 * grid_.shape.size();
        const bool fits = record_bytes_ > position && (type_ == plain || type_ == filtered);
        form_ = {record_bytes_ - position, type_ == filtered};
        constexpr std::uint64_t deepest = 16;
        if (!fits || !form_.fits() || depth > deepest || node_bytes_ < node_head + record_bytes_)
            refuse("it is damaged: the tree of its chunks has a different form");
        measure_levels(depth);
        if (root != no_address) take(root, records, depth);
        return std::move(places_);
    }

private:
    static constexpr std::uint64_t node_head = 10;  ///< signature, version, type, checksum

    /// The number of bytes that store a number up to `most`.
    static std::uint64_t bytes_for(std::uint64_t most) {
        return (static_cast<std::uint64_t>(std::bit_width(most)) + 7) / 8;
    }

    /// How many bytes the numbers of records take in the pointers of each level.
    void measure_levels(std::uint64_t depth) {
        const std::uint64_t in_leaf = (node_bytes_ - node_head) / record_bytes_;
        count_bytes_ = bytes_for(in_leaf);
        total_bytes_ = {0};
        std::uint64_t below = in_leaf;  // the most records in a node of the level and below it
        for (std::uint64_t level = 1; level <= depth; ++level) {
            const std::uint64_t pointer = 8 + count_bytes_ + total_bytes_.back();
            if (node_bytes_ < node_head + pointer) refuse("it is damaged: a tree of small nodes");
            const std::uint64_t most =
                (node_bytes_ - node_head - pointer) / (record_bytes_ + pointer);
            constexpr std::uint64_t largest = std::uint64_t{1} << 62;
            below = below > largest / (most + 1) ? largest : (most + 1) * below + most;
            total_bytes_.push_back(bytes_for(below));
        }
    }

    void take(std::uint64_t at, std::uint64_t records, std::uint64_t level) {
        const std::uint64_t pointer =
            level == 0 ? 0 : 8 + count_bytes_ + total_bytes_[static_cast<std::size_t>(level - 1)];
        const std::uint64_t bytes =
            node_head + records * record_bytes_ + (level == 0 ? 0 : (records + 1) * pointer);
        if (bytes > node_bytes_) refuse("it is damaged: a node of its tree is too long");
        constexpr std::uint64_t leaf = 0x464c5442, inner = 0x4e495442;  // "BTLF", "BTIN"
        IndexBlock node(reader_, at, bytes, level == 0 ? leaf : inner);
        Fields& fields = node.fields();
        if (fields.number(1) != type_) refuse("it is damaged: a node of another tree");
        for (std::uint64_t i = 0; i < records; ++i) add(fields);
        for (std::uint64_t i = 0; level > 0 && i <= records; ++i) {
            const std::uint64_t child = fields.address(),
                                count = fields.number(static_cast<std::size_t>(count_bytes_));
            fields.skip(static_cast<std::size_t>(pointer - 8 - count_bytes_));
            take(child, count, level - 1);
        }
    }

    void add(Fields& fields) {
        const ChunkPlace place = form_.read(fields, grid_.chunk_bytes());
        std::uint64_t cell = 0;
        bool inside = true;
        for (std::size_t axis = 0; axis < grid_.shape.size(); ++axis) {
            const std::uint64_t step = fields.number(8);
            inside = inside && step < grid_.counts[axis];
            cell = cell * grid_.counts[axis] + step;
        }
        if (!inside) return;  // from before the array shrank, which the format permits
        ChunkPlace& known = places_[static_cast<std::size_t>(cell)];
        if (known.address != no_address)
            refuse("it is damaged: two of its chunks are at the same place");
        known = place;
    }

    IndexReader reader_;
    const Grid& grid_;
    std::vector<ChunkPlace> places_;
    ElementForm form_;
    std::uint64_t type_ = 0, node_bytes_ = 0, record_bytes_ = 0, count_bytes_ = 0;
    std::vector<std::uint64_t> total_bytes_;  ///< by the level of the child
};

}  // namespace

std::vector<ChunkPlace> chunks_in_extensible_array(const ByteSource& file, const Grid& grid,
                                                   const std::vector<std::uint64_t>& most,
                                                   std::uint64_t address) {
    // The elements are numbered with the unlimited axis first, and for the largest shape.
    std::vector<std::size_t> order(grid.shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto unlimited = std::find(most.begin(), most.end(), ~std::uint64_t{0});
    if (unlimited == most.end()) refuse("it is damaged: none of its axes can grow");
    const auto moved = order.begin() + (unlimited - most.begin());
    std::rotate(order.begin(), moved, moved + 1);
    std::vector<std::uint64_t> counts = counts_of_largest(grid, most);
    counts[order.front()] = grid.counts[order.front()];
    PlacesByElement places(grid, counts, std::move(order));
    ExtensibleArray(file, grid.chunk_bytes(), places).read(address);
    return places.take();  // elements after the last block are chunks that were never written
}

std::vector<ChunkPlace> chunks_in_new_tree(const ByteSource& file, const Grid& grid,
                                           std::uint64_t address) {
    return NewTree(file, grid).read(address);
}

}  // namespace assay::hdf5
