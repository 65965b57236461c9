// Unpacks gzip files (RFC 1952).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace assay {

/// Unpacks all members and passes their bytes in order, in pieces of at most 1 MiB. Throws
/// bad_input: damaged, truncated, no gzip file. Passes on exceptions of `piece`.
void gunzip(std::span<const std::byte> packed,
            const std::function<void(std::span<const std::byte>)>& piece);

}  // namespace assay
