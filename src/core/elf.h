// What a shared library says of itself, read as hostile bytes.
#pragma once

#include <string_view>

namespace assay {

/// The names that a 64-bit shared library's dynamic linking is about, with zero bytes between them:
/// its symbols, those of others that it needs, and the libraries that it needs. "" where the bytes
/// are no such library.
std::string_view dynamic_names(std::string_view file);

}  // namespace assay
