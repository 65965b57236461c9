// Detects image files that a browser would show differently from what classifiers saw.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::serve {

/// "image/jpeg", "image/png", "image/webp" by the first bytes; "" for anything else.
std::string_view image_type(std::span<const std::byte> bytes);

/// Whether the file asks to be rotated, or is animated. A browser would do so, but our decoders
/// (like Pillow's open) do not. Also true if it is unclear. Never reads beyond `bytes`.
bool may_look_different(std::span<const std::byte> bytes);

}  // namespace assay::serve
