// What a page holds.
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
    /// The bytes of a value, which live as long as this does; nothing for a null.
    std::optional<std::span<const std::byte>> operator[](std::size_t i) const;
    /// What it keeps in memory, without its dictionary.
    std::size_t memory() const noexcept;

private:
    friend class PageReader;
    struct Slice {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    static constexpr std::uint32_t null_size = UINT32_MAX;

    std::optional<Buffer> bytes_;  ///< unpacked, unless all values are the dictionary's
    std::vector<Slice> slices_;
    std::shared_ptr<const Page> dictionary_;
};

/// Unpacks and decodes a page of `column`. `dictionary`: the chunk's, or null. `packed`: what
/// stands behind the header. Throws bad_input: damaged in any way.
Page read_page(const Column& column, Codec codec, const PageHeader& header,
               std::span<const std::byte> packed, std::shared_ptr<const Page> dictionary);

}  // namespace assay::parquet
