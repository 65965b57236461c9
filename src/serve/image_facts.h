// What of an image file a browser would show differently from what the classifiers saw.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::serve {

/// "image/jpeg", "image/png", "image/webp" by the first bytes; "" for everything else.
std::string_view image_type(std::span<const std::byte> bytes);

/// Whether the file says that it is to be turned, or moves: a browser obeys, our decoders (as
/// Pillow's open) do not. True, too, where that is not plain to see. Never reads beyond `bytes`.
bool may_look_different(std::span<const std::byte> bytes);

}  // namespace assay::serve
