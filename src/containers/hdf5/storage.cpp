#include "containers/hdf5/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "containers/hdf5/chunk_index.h"
#include "containers/hdf5/filters.h"
#include "containers/inflated_source.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::uint64_t most_chunks = std::uint64_t{1} << 22;
constexpr std::uint64_t most_row_bytes = std::uint64_t{256} << 20;

/// When an element is read, all chunks in its row of the grid are assembled.
class ChunkedElements final : public ByteSource {
public:
    ChunkedElements(std::shared_ptr<const ByteSource> file, Grid grid, Filters filters,
                    std::vector<ChunkPlace> places)
        : file_(std::move(file)),
          grid_(std::move(grid)),
          filters_(std::move(filters)),
          row_bytes_(grid_.chunk[0] * grid_.step_bytes()),
          places_(std::move(places)) {}

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

/// Fills in the number of chunks along each axis. Throws bad_input for sizes that are impossible or
/// too large.
void count_chunks(Grid& grid, std::uint64_t file_bytes) {
    std::uint64_t chunks = 1, bytes = grid.element_bytes, row_bytes = grid.element_bytes;
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis) {
        // Compared here, so that the products below do not overflow.
        if (grid.chunk[axis] == 0) refuse("it is damaged: its chunks are empty");
        if (grid.chunk[axis] >> 32U != 0) refuse("its chunks are larger than is supported");
        grid.counts.push_back((grid.shape[axis] - 1) / grid.chunk[axis] + 1);
        // Both factors are below 2^32, so no product overflows before it is compared.
        chunks *= std::min(grid.counts[axis], most_chunks + 1);
        bytes *= grid.chunk[axis];
        row_bytes *= axis == 0 ? std::min(grid.chunk[0], grid.shape[0])
                               : std::min(grid.shape[axis], most_row_bytes + 1);
        if (chunks > most_chunks || chunks > file_bytes / 8)
            refuse(fmt::format(
                "it has more chunks than its file can hold, or than the {} that are supported",
                most_chunks));
        if (bytes > most_row_bytes || row_bytes > most_row_bytes)
            refuse(
                fmt::format("the images or rows that one chunk spans take more than the {} MiB "
                            "that are supported",
                            most_row_bytes >> 20U));
    }
}

/// The largest length of each axis, which may grow. Unlimited axes have the largest number.
std::vector<std::uint64_t> largest_shape(const Message& dataspace, const Grid& grid) {
    Fields fields(dataspace.bytes, "a shape");
    const std::uint64_t version = fields.number(1), axes = fields.number(1);
    constexpr unsigned has_largest = 0x01;
    if ((fields.number(1) & has_largest) == 0 || axes != grid.shape.size()) return grid.shape;
    fields.skip(version == 1 ? 5 : 1);
    fields.skip(static_cast<std::size_t>(8 * axes));
    std::vector<std::uint64_t> most;
    for (std::uint64_t i = 0; i < axes; ++i) most.push_back(fields.number(8));
    return most;
}

Filters filters_of(const std::vector<Message>& messages) {
    const Message* const filters = find_message(messages, Message::filters);
    return filters == nullptr ? Filters() : Filters(filters->bytes);
}

std::shared_ptr<const ByteSource> chunked(const std::shared_ptr<const ByteSource>& file,
                                          const std::vector<Message>& messages, Fields& fields,
                                          Grid grid) {
    // one more number follows the axes: the bytes of an element
    const std::uint64_t axes = fields.number(1);
    const std::uint64_t tree = fields.address();
    if (axes != grid.shape.size() + 1 || grid.shape.empty())
        refuse("it is damaged: its chunks have different axes than the array");
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis)
        grid.chunk.push_back(fields.number(4));
    if (fields.number(4) != grid.element_bytes)
        refuse("it is damaged: its chunks have elements of a different size");
    if (tree == no_address) refuse("it was never written");
    count_chunks(grid, file->size());
    auto places = chunks_in_tree(*file, grid, tree);
    return std::make_shared<const ChunkedElements>(file, std::move(grid), filters_of(messages),
                                                   std::move(places));
}

/// The layout that HDF5 1.10 and later write with libver='latest'.
std::shared_ptr<const ByteSource> newly_chunked(const std::shared_ptr<const ByteSource>& file,
                                                const std::vector<Message>& messages,
                                                Fields& fields, Grid grid) {
    constexpr unsigned partial_are_not_filtered = 0x01, single_is_filtered = 0x02;
    const std::uint64_t flags = fields.number(1), axes = fields.number(1), width = fields.number(1);
    if (axes != grid.shape.size() + 1 || grid.shape.empty() || width == 0 || width > 8)
        refuse("it is damaged: its chunks have different axes than the array");
    for (std::size_t axis = 0; axis < grid.shape.size(); ++axis)
        grid.chunk.push_back(fields.number(static_cast<std::size_t>(width)));
    if (fields.number(static_cast<std::size_t>(width)) != grid.element_bytes)
        refuse("it is damaged: its chunks have elements of a different size");
    Filters filters = filters_of(messages);
    if ((flags & partial_are_not_filtered) != 0 && filters.any())
        refuse("its chunks at the border are not packed like the others, which is not supported");
    count_chunks(grid, file->size());
    const auto most = largest_shape(*find_message(messages, Message::dataspace), grid);
    auto places = chunks_in_new_index(*file, grid, most, fields, (flags & single_is_filtered) != 0);
    return std::make_shared<const ChunkedElements>(file, std::move(grid), std::move(filters),
                                                   std::move(places));
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
    if (version < 3 || version > 5)
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
    if (kind == in_chunks)
        return newly_chunked(
            file, messages, fields,
            {.shape = shape, .chunk = {}, .counts = {}, .element_bytes = element_bytes});
    refuse("it is a view of other data sets, which is not supported");
}

}  // namespace assay::hdf5
