// The contents of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "containers/parquet/format.h"
#include "containers/parquet/unpack.h"

namespace assay::parquet {

/// The values of a column of bytes, or of numbers, in one page: one for each row, or each entry of
/// a dictionary. Const functions may be called from many threads.
class Page {
public:
    std::size_t size() const noexcept { return slices_.size(); }
    /// The bytes of a value, valid as long as this object exists, or nothing for a null.
    std::optional<std::span<const std::byte>> operator[](std::size_t i) const;
    /// Bytes of memory of the page, without its dictionary.
    std::size_t memory() const noexcept;

private:
    friend class PageReader;
    struct Slice {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    static constexpr std::uint32_t null_size = UINT32_MAX;

    std::optional<Buffer> bytes_;  ///< unpacked values, unless all values come from the dictionary
    std::vector<Slice> slices_;
    std::shared_ptr<const Page> dictionary_;
};

/// Unpacks and decodes a page of `column`. `dictionary` is the chunk's, or null. `packed` are the
/// bytes after the header. Throws bad_input for any damage.
Page read_page(const Column& column, Codec codec, const PageHeader& header,
               std::span<const std::byte> packed, std::shared_ptr<const Page> dictionary);

}  // namespace assay::parquet
