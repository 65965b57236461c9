#include "containers/hdf5/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "containers/hdf5/filters.h"
#include "containers/inflated_source.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::uint64_t most_chunks = std::uint64_t{1} << 22;
constexpr std::uint64_t most_row_bytes = std::uint64_t{256} << 20;

struct Grid {
    std::vector<std::uint64_t> shape, chunk;  ///< elements along each axis
    std::vector<std::uint64_t> counts;        ///< chunks along each axis
    std::size_t element_bytes = 1;

    std::uint64_t chunks() const {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies<>());
    }
    std::uint64_t chunk_bytes() const {
        return std::accumulate(chunk.begin(), chunk.end(), std::uint64_t{element_bytes},
                               std::multiplies<>());
    }
    /// The number of bytes of one step along the first axis.
    std::uint64_t step_bytes() const {
        return std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{element_bytes},
                               std::multiplies<>());
    }
};

struct ChunkPlace {
    std::uint64_t address = no_address;
    std::uint32_t bytes = 0, left_out = 0;  ///< filters that were not applied
};

/// The B-tree with the positions of the chunks.
class ChunkIndex {
public:
    ChunkIndex(const ByteSource& file, const Grid& grid)
        : file_(file), grid_(grid), places_(static_cast<std::size_t>(grid.chunks())) {}

    std::vector<ChunkPlace> read(std::uint64_t tree) {
        take(tree, 0);
        if (found_ != places_.size())
            refuse(fmt::format("{} of its {} chunks were never written", places_.size() - found_,
                               places_.size()));
        return std::move(places_);
    }

private:
    void take(std::uint64_t at, int depth) {
        constexpr int deepest = 16;
        throw_if_stopped();
        if (depth > deepest || ++nodes_ > most_chunks)
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
            place.bytes = static_cast<std::uint32_t>(rest.number(4));
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
                ++found_;
            }
        }
    }

    const ByteSource& file_;
    const Grid& grid_;
    std::vector<ChunkPlace> places_;
    std::uint64_t found_ = 0, nodes_ = 0;
};

/// When an element is read, all chunks in its row of the grid are assembled.
class ChunkedElements final : public ByteSource {
public:
    ChunkedElements(std::shared_ptr<const ByteSource> file, Grid grid, Filters filters,
                    std::uint64_t tree)
        : file_(std::move(file)),
          grid_(std::move(grid)),
          filters_(std::move(filters)),
          row_bytes_(grid_.chunk[0] * grid_.step_bytes()),
          places_(ChunkIndex(*file_, grid_).read(tree)) {}

    std::uint64_t size() const noexcept override { return grid_.shape[0] * grid_.step_bytes(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size() || out.size() > size() - offset)
            refuse(fmt::format("it ends at byte {}; bytes up to {} are needed", size(),
                               offset + out.size()));
        for (std::size_t done = 0; done < out.size();) {
            const std::uint64_t at = offset + done;
            const Row held = row(at / row_bytes_);
            const auto begin = static_cast<std::size_t>(at % row_bytes_);
            const std::size_t n = std::min(out.size() - done, held->size() - begin);
            std::copy_n(held->begin() + static_cast<std::ptrdiff_t>(begin), n,
                        out.begin() + static_cast<std::ptrdiff_t>(done));
            done += n;
        }
    }

private:
    using Row = std::shared_ptr<const std::vector<std::byte>>;

    Row row(std::uint64_t number) const {
        constexpr std::size_t most_rows = 3;
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(kept_, number, &std::pair<std::uint64_t, Row>::first);
        if (found != kept_.end()) return found->second;
        const std::uint64_t steps =
            std::min(grid_.chunk[0], grid_.shape[0] - number * grid_.chunk[0]);
        auto made = std::make_shared<std::vector<std::byte>>(
            static_cast<std::size_t>(steps * grid_.step_bytes()));
        const std::uint64_t across = places_.size() / grid_.counts[0];
        for (std::uint64_t i = 0; i < across; ++i) {
            throw_if_stopped();
            put(number * across + i, *made);
        }
        kept_.emplace_back(number, std::move(made));
        if (kept_.size() > most_rows) kept_.pop_front();
        return kept_.back().second;
    }

    /// Copies the part of a chunk that lies in the array to its position in its row.
    void put(std::uint64_t cell, std::vector<std::byte>& row) const {
        const ChunkPlace& place = places_[static_cast<std::size_t>(cell)];
        const auto size = static_cast<std::size_t>(grid_.chunk_bytes());
        const std::vector<std::byte> chunk =
            filters_.undo(bytes_at(*file_, place.address, place.bytes, "a chunk"), place.left_out,
                          size, grid_.element_bytes);
        const std::size_t axes = grid_.shape.size();
        std::vector<std::uint64_t> corner(axes), extent(axes), at(axes, 0);
        for (std::size_t axis = axes; axis-- > 0; cell /= grid_.counts[axis]) {
            corner[axis] = cell % grid_.counts[axis] * grid_.chunk[axis];
            extent[axis] = std::min(grid_.chunk[axis], grid_.shape[axis] - corner[axis]);
        }
        corner[0] = 0;  // becomes the start of the row
        const auto run = static_cast<std::size_t>(extent[axes - 1] * grid_.element_bytes);
        for (;;) {  // copies the runs along the last axis
            std::uint64_t from = 0, to = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                from = from * grid_.chunk[axis] + at[axis];
                to = to * (axis == 0 ? 1 : grid_.shape[axis]) + corner[axis] + at[axis];
            }
            std::copy_n(chunk.begin() + static_cast<std::ptrdiff_t>(from * grid_.element_bytes),
                        run, row.begin() + static_cast<std::ptrdiff_t>(to * grid_.element_bytes));
            std::size_t axis = axes - 1;
            while (axis > 0 && ++at[axis - 1] == extent[axis - 1]) at[--axis] = 0;
            if (axis == 0) return;
        }
    }

    std::shared_ptr<const ByteSource> file_;
    Grid grid_;
    Filters filters_;
    std::uint64_t row_bytes_;
    std::vector<ChunkPlace> places_;
    mutable std::mutex mutex_;
    /// ordered by creation, the newest last
    mutable std::deque<std::pair<std::uint64_t, Row>> kept_;
};

/// Bytes that are stored in the message itself.
class CompactElements final : public ByteSource {
public:
    explicit CompactElements(std::span<const std::byte> bytes)
        : bytes_(bytes.begin(), bytes.end()), source_(bytes_) {}
    CompactElements(const CompactElements&) = delete;
    CompactElements& operator=(const CompactElements&) = delete;

    std::uint64_t size() const noexcept override { return source_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        source_.read(offset, out);
    }

private:
    std::vector<std::byte> bytes_;
    MemorySource source_;
};

std::shared_ptr<const ByteSource> chunked(const std::shared_ptr<const ByteSource>& file,
                                          const std::vector<Message>& messages, Fields& fields,
                                          Grid grid) {
    // one more number follows the axes: the bytes of an element
    const std::uint64_t axes = fields.number(1);
    const std::uint64_t tree = fields.address();
    if (axes != grid.shape.size() + 1 || grid.shape.empty())
        refuse("it is damaged: its chunks have different axes than the array");
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis) {
        grid.chunk.push_back(fields.number(4));
        if (grid.chunk.back() == 0) refuse("it is damaged: its chunks are empty");
        grid.counts.push_back((grid.shape[axis] - 1) / grid.chunk.back() + 1);
    }
    if (fields.number(4) != grid.element_bytes)
        refuse("it is damaged: its chunks have elements of a different size");
    if (tree == no_address) refuse("it was never written");
    std::uint64_t chunks = 1, bytes = grid.element_bytes, row_bytes = grid.element_bytes;
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis) {
        // Both factors are below 2^32, so no product overflows before it is compared.
        chunks *= std::min(grid.counts[axis], most_chunks + 1);
        bytes *= grid.chunk[axis];
        row_bytes *= axis == 0 ? std::min(grid.chunk[0], grid.shape[0])
                               : std::min(grid.shape[axis], most_row_bytes + 1);
        if (chunks > most_chunks || chunks > file->size() / 32)
            refuse(fmt::format(
                "it has more chunks than its file can hold, or than the {} that are supported",
                most_chunks));
        if (bytes > most_row_bytes || row_bytes > most_row_bytes)
            refuse(
                fmt::format("the images or rows that one chunk spans take more than the {} MiB "
                            "that are supported",
                            most_row_bytes >> 20U));
    }
    const Message* const filters = find_message(messages, Message::filters);
    return std::make_shared<const ChunkedElements>(
        file, std::move(grid), filters == nullptr ? Filters() : Filters(filters->bytes), tree);
}

}  // namespace

std::shared_ptr<const ByteSource> stored_elements(const std::shared_ptr<const ByteSource>& file,
                                                  const std::vector<Message>& messages,
                                                  const std::vector<std::uint64_t>& shape,
                                                  std::size_t element_bytes) {
    if (find_message(messages, Message::external_files) != nullptr)
        refuse("its elements are in other files, which are not supported");
    const std::uint64_t bytes = std::accumulate(shape.begin(), shape.end(),
                                                std::uint64_t{element_bytes}, std::multiplies<>());
    const Message* const layout = find_message(messages, Message::layout);
    Fields fields(layout->bytes, "a layout");
    const std::uint64_t version = fields.number(1);
    if (version != 3 && version != 4)
        refuse(fmt::format("a layout of version {} is not supported", version));
    constexpr std::uint64_t compact = 0, contiguous = 1, in_chunks = 2;
    const std::uint64_t kind = fields.number(1);
    if (kind == compact) {
        const auto size = static_cast<std::size_t>(fields.number(2));
        if (size < bytes) refuse("it is damaged: it has fewer elements than its shape");
        return std::make_shared<const CompactElements>(
            fields.bytes(size).first(static_cast<std::size_t>(bytes)));
    }
    if (kind == contiguous) {
        const std::uint64_t address = fields.address(), size = fields.number(8);
        if (address == no_address) refuse("it was never written");
        if (size < bytes) refuse("it is damaged: it has fewer elements than its shape");
        return std::make_shared<const SourcePart>(file, address, bytes);
    }
    if (kind == in_chunks && version == 3)
        return chunked(file, messages, fields,
                       {.shape = shape, .chunk = {}, .counts = {}, .element_bytes = element_bytes});
    refuse(kind == in_chunks ? "its chunks have an index of HDF5 1.10, which is not supported "
                               "(write it with h5py without libver='latest')"
                             : "it is a view of other data sets, which is not supported");
}

}  // namespace assay::hdf5
