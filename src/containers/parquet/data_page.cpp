#include "containers/parquet/data_page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>
#include <utility>

#include "containers/little_endian.h"
#include "containers/parquet/delta.h"
#include "containers/parquet/hybrid.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t little32(Bytes bytes) {
    return static_cast<std::uint32_t>(little_endian(bytes.first(4)));
}

void check_crc(const PageHeader& header, Bytes packed) {
    if (!header.crc) return;
    const auto found = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(packed.data()), static_cast<uInt>(packed.size())));
    if (found != *header.crc)
        refuse(fmt::format("its checksum is {:08x}, but that of its bytes is {:08x}", *header.crc,
                           found));
}

}  // namespace

/// Fills one page.
class PageReader {
public:
    PageReader(const Column& column, const PageHeader& header) : column_(column), header_(header) {}

    Page read(Codec codec, Bytes packed, std::shared_ptr<const Page> dictionary) {
        check_crc(header_, packed);
        std::size_t plain = 0;  // bytes of levels that are not compressed
        if (header_.kind == PageHeader::Kind::data_v2) {
            plain = header_.level_bytes;
            if (plain > packed.size() || plain > header_.size)
                refuse(fmt::format("its levels claim {} of its {} bytes", plain, packed.size()));
        }
        Buffer& buffer = page_.bytes_.emplace(header_.size);
        if (plain > 0) std::memcpy(buffer.bytes().data(), packed.data(), plain);
        unpack(header_.packed ? codec : Codec::uncompressed, packed.subspan(plain),
               buffer.bytes().subspan(plain));
        read_levels();
        read_values(std::move(dictionary));
        return std::move(page_);
    }

private:
    Bytes rest() const { return std::as_const(*page_.bytes_).bytes().subspan(at_); }

    /// Marks which values are present. All slices with nulls are marked, and present_ counts the
    /// other values.
    void read_levels() {
        page_.slices_.resize(header_.values);
        present_ = header_.values;
        if (header_.kind == PageHeader::Kind::dictionary) return;
        std::size_t size = header_.level_bytes;
        if (header_.kind == PageHeader::Kind::data) {
            if (column_.max_definition == 0) return;
            if (rest().size() < 4) refuse("its levels are cut off");
            size = little32(rest());
            at_ = 4;
            if (size > rest().size())
                refuse(fmt::format("its levels claim {} of its {} bytes", size, rest().size()));
        }
        if (column_.max_definition > 0) {
            const auto most = static_cast<std::uint32_t>(column_.max_definition);
            const auto levels = read_hybrid(
                rest().first(size), static_cast<unsigned>(std::bit_width(most)), header_.values);
            for (std::size_t i = 0; i < levels.size(); ++i) {
                if (levels[i] > most)
                    refuse(fmt::format("a level of {}; at most {}", levels[i], most));
                if (levels[i] == most) continue;
                page_.slices_[i].size = Page::null_size;
                --present_;
            }
        }
        at_ += size;
    }

    template <class Next>
    void each_present(Next&& next) {
        for (Page::Slice& slice : page_.slices_) {
            if (slice.size != Page::null_size) slice = next();
        }
    }

    void read_values(std::shared_ptr<const Page> dictionary) {
        const bool plain =
            header_.encoding == Encoding::plain || header_.kind == PageHeader::Kind::dictionary;
        if (plain) return column_.type == Physical::boolean ? read_bits() : read_plain();
        const bool whole = column_.type == Physical::int32 || column_.type == Physical::int64;
        const bool texts = column_.type == Physical::byte_array;
        const bool fixed = column_.type == Physical::fixed_bytes;
        const bool real = column_.type == Physical::float32 || column_.type == Physical::float64;
        switch (header_.encoding) {
            case Encoding::plain_dictionary:
            case Encoding::rle_dictionary:
                return read_indices(std::move(dictionary));
            case Encoding::rle:
                if (column_.type == Physical::boolean) return read_runs();
                break;
            case Encoding::delta_binary_packed:
                if (whole) return read_differences();
                break;
            case Encoding::delta_length_byte_array:
                if (texts) return read_lengths();
                break;
            case Encoding::delta_byte_array:
                if (texts || fixed) return read_prefixes();
                break;
            case Encoding::byte_stream_split:
                if (whole || fixed || real) return read_streams();
                break;
            default:
                break;
        }
        refuse(fmt::format("values of {} are encoded as {}, which does not fit their type",
                           name_of(column_.type), name_of(header_.encoding)));
    }

    /// Takes the decoded values that are present, in sequence.
    void take_decoded(Buffer values) {
        const auto width = static_cast<std::uint32_t>(width_of(column_));
        std::uint32_t at = 0;
        each_present([&] {
            at += width;
            return Page::Slice{at - width, width};
        });
        page_.bytes_ = std::move(values);
    }

    void read_bits() {
        const Bytes packed = rest();
        if (packed.size() < (present_ + 7) / 8) refuse("its values are cut off");
        Buffer values(present_);
        for (std::size_t i = 0; i < present_; ++i)
            values.bytes()[i] = packed[i / 8] >> (i % 8) & std::byte{1};
        take_decoded(std::move(values));
    }

    /// Booleans in runs, after the number of their bytes.
    void read_runs() {
        if (present_ == 0) return;
        if (rest().size() < 4) refuse("its values are cut off");
        const std::size_t size = little32(rest());
        if (size > rest().size() - 4)
            refuse(fmt::format("its values claim {} of its {} bytes", size, rest().size()));
        const auto runs = read_hybrid(rest().subspan(4, size), 1, present_);
        Buffer values(present_);
        for (std::size_t i = 0; i < present_; ++i)
            values.bytes()[i] = static_cast<std::byte>(runs[i]);
        take_decoded(std::move(values));
    }

    void read_differences() {
        if (present_ == 0) return;
        const Deltas deltas = read_deltas(rest(), present_);
        const std::size_t width = width_of(column_);
        Buffer values(present_ * width);
        for (std::size_t i = 0; i < present_; ++i)
            for (std::size_t b = 0; b < width; ++b)
                values.bytes()[i * width + b] = static_cast<std::byte>(deltas.values[i] >> (8 * b));
        take_decoded(std::move(values));
    }

    /// The encoding with all lengths first, then all bytes.
    void read_lengths() {
        if (present_ == 0) return;
        const Deltas lengths = read_deltas(rest(), present_);
        std::size_t at = at_ + lengths.size, n = 0;
        const std::size_t end = at_ + rest().size();
        each_present([&] {
            const std::uint64_t size = lengths.values[n++];
            if (size > end - at) {
                refuse(fmt::format("a value claims {} bytes; {} are left in the page", size,
                                   end - at));
            }
            at += size;
            return Page::Slice{static_cast<std::uint32_t>(at - size),
                               static_cast<std::uint32_t>(size)};
        });
    }

    /// For each value, the length of the prefix shared with the value before, then the suffixes as
    /// in read_lengths().
    void read_prefixes() {
        if (present_ == 0) return;
        const Deltas prefixes = read_deltas(rest(), present_);
        at_ += prefixes.size;
        const Deltas suffixes = read_deltas(rest(), present_);
        at_ += suffixes.size;
        const Bytes ends = rest();
        std::uint64_t all = 0, before = 0, in_ends = 0;
        for (std::size_t i = 0; i < present_; ++i) {
            if (prefixes.values[i] > before || suffixes.values[i] > ends.size() - in_ends) {
                refuse(fmt::format(
                    "a value claims {} bytes of the previous one and {} of its own; only {} and {} "
                    "exist",
                    prefixes.values[i], suffixes.values[i], before, ends.size() - in_ends));
            }
            in_ends += suffixes.values[i];
            before = prefixes.values[i] + suffixes.values[i];
            all += before;
            if (column_.type == Physical::fixed_bytes && before != column_.length)
                refuse(
                    fmt::format("a value of {} bytes; each must have {}", before, column_.length));
            if (all > largest_page)
                refuse(fmt::format("its values take more than {} bytes", largest_page));
        }
        Buffer values(all);
        std::byte* const out = values.bytes().data();
        std::size_t at = 0, last = 0, n = 0;
        in_ends = 0;
        each_present([&] {
            const std::size_t prefix = prefixes.values[n], own = suffixes.values[n];
            ++n;
            if (prefix > 0) std::memcpy(out + at, out + last, prefix);
            if (own > 0) std::memcpy(out + at + prefix, ends.data() + in_ends, own);
            in_ends += own;
            last = at;
            at += prefix + own;
            return Page::Slice{static_cast<std::uint32_t>(last),
                               static_cast<std::uint32_t>(prefix + own)};
        });
        page_.bytes_ = std::move(values);
    }

    /// All first bytes of the values, then all second bytes, and so on.
    void read_streams() {
        const Bytes streams = rest();
        const std::size_t width = width_of(column_);
        if (streams.size() / width < present_) refuse("its values are cut off");
        Buffer values(present_ * width);
        for (std::size_t b = 0; b < width; ++b)
            for (std::size_t i = 0; i < present_; ++i)
                values.bytes()[i * width + b] = streams[b * present_ + i];
        take_decoded(std::move(values));
    }

    void read_plain() {
        const Bytes values = rest();
        std::size_t at = 0;
        const bool texts = column_.type == Physical::byte_array;
        const std::size_t fixed = width_of(column_);
        each_present([&] {
            std::size_t size = fixed;
            if (texts) {
                if (values.size() - at < 4) refuse("its values are cut off");
                size = little32(values.subspan(at));
                at += 4;
            }
            if (size > values.size() - at) {
                refuse(fmt::format("a value claims {} bytes; {} are left in the page", size,
                                   values.size() - at));
            }
            const Page::Slice slice{static_cast<std::uint32_t>(at_ + at),
                                    static_cast<std::uint32_t>(size)};
            at += size;
            return slice;
        });
    }

    void read_indices(std::shared_ptr<const Page> dictionary) {
        if (dictionary == nullptr)
            refuse("its values refer to a dictionary, but the chunk has none");
        if (present_ > 0) {
            if (rest().empty()) refuse("its values are cut off");
            const auto width = static_cast<unsigned>(rest()[0]);
            const auto indices = read_hybrid(rest().subspan(1), width, present_);
            std::size_t n = 0;
            each_present([&] {
                const std::uint32_t index = indices[n++];
                if (index >= dictionary->size()) {
                    refuse(fmt::format("a value refers to entry {} of a dictionary of {}", index,
                                       dictionary->size()));
                }
                return dictionary->slices_[index];
            });
        }
        page_.bytes_.reset();
        page_.dictionary_ = std::move(dictionary);
    }

    const Column& column_;
    const PageHeader& header_;
    Page page_;
    std::size_t at_ = 0;  ///< number of bytes of the page that were read
    std::size_t present_ = 0;
};

std::optional<std::span<const std::byte>> Page::operator[](std::size_t i) const {
    const Slice slice = slices_.at(i);
    if (slice.size == null_size) return std::nullopt;
    const Page& holder = dictionary_ != nullptr ? *dictionary_ : *this;
    return holder.bytes_->bytes().subspan(slice.offset, slice.size);
}

std::size_t Page::memory() const noexcept {
    return (bytes_ ? bytes_->bytes().size() : 0) + slices_.size() * sizeof(Slice);
}

Page read_page(const Column& column, Codec codec, const PageHeader& header,
               std::span<const std::byte> packed, std::shared_ptr<const Page> dictionary) {
    return PageReader(column, header).read(codec, packed, std::move(dictionary));
}

}  // namespace assay::parquet
