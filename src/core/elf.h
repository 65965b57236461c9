// The names inside a shared library. The reader treats the bytes as hostile.
#pragma once

#include <string_view>

namespace assay {

/// The names that dynamic linking uses in a 64-bit shared library, separated by zero bytes. They
/// are the symbols that it defines, the symbols that it needs, and the libraries that it needs.
/// Returns "" if the bytes are no such library.
std::string_view dynamic_names(std::string_view file);

}  // namespace assay
