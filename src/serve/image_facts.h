// Detects image files that a browser would show differently from what classifiers saw.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::serve {

/// Returns "image/jpeg", "image/png" or "image/webp", from the first bytes. "" for other data.
std::string_view image_type(std::span<const std::byte> bytes);

/// True if the file requests a rotation, or is animated. A browser would show both, but our
/// decoders (like Pillow's open) do not. Also true if it is unclear. Never reads beyond `bytes`.
bool may_look_different(std::span<const std::byte> bytes);

}  // namespace assay::serve
