// Decompresses pages.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "containers/parquet/format.h"

namespace assay::parquet {

/// Uninitialized bytes, so that a size that a file only claims takes no memory.
class Buffer {
public:
    explicit Buffer(std::size_t size)
        : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}
    std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
    std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t size_;
};

/// Unpacks `packed` into `out`. Throws bad_input if it is damaged or does not fill `out` exactly.
/// Never produces more than that.
void unpack(Codec codec, std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace assay::parquet
