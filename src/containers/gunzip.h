// Files that gzip packed (RFC 1952).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace assay {

/// Unpacks all members, giving their bytes in order in pieces of at most 1 MiB. Throws bad_input:
/// damaged, cut off, no gzip file; whatever `piece` throws.
void gunzip(std::span<const std::byte> packed,
            const std::function<void(std::span<const std::byte>)>& piece);

}  // namespace assay
