#include "containers/parquet/data_page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>
#include <utility>

#include "containers/parquet/hybrid.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t little32(Bytes bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
    return value;
}

void check_crc(const PageHeader& header, Bytes packed) {
    if (!header.crc) return;
    const auto found = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(packed.data()), static_cast<uInt>(packed.size())));
    if (found != *header.crc)
        refuse(fmt::format("its checksum is {:08x}, of its bytes {:08x}", *header.crc, found));
}

}  // namespace

/// Fills one page.
class PageReader {
public:
    PageReader(const Column& column, const PageHeader& header) : column_(column), header_(header) {}

    Page read(Codec codec, Bytes packed, std::shared_ptr<const Page> dictionary) {
        check_crc(header_, packed);
        std::size_t plain = 0;  // bytes of levels that are not packed
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
        if (header_.encoding == Encoding::plain || header_.kind == PageHeader::Kind::dictionary) {
            read_plain();
        } else {
            read_indices(std::move(dictionary));
        }
        return std::move(page_);
    }

private:
    Bytes rest() const { return std::as_const(*page_.bytes_).bytes().subspan(at_); }

    /// Which values are there: all slices of nulls are marked, and present_ counts the others.
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

    void read_plain() {
        const Bytes values = rest();
        std::size_t at = 0;
        const bool texts = column_.type == Physical::byte_array;
        const std::size_t fixed = column_.type == Physical::int32 ? 4 : 8;
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
            refuse("its values are those of a dictionary, and the chunk has none");
        if (present_ > 0) {
            if (rest().empty()) refuse("its values are cut off");
            const auto width = static_cast<unsigned>(rest()[0]);
            const auto indices = read_hybrid(rest().subspan(1), width, present_);
            std::size_t n = 0;
            each_present([&] {
                const std::uint32_t index = indices[n++];
                if (index >= dictionary->size()) {
                    refuse(fmt::format("a value is number {} of a dictionary of {}", index,
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
    std::size_t at_ = 0;  ///< what of the page's bytes is read
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
