// Converts bytes to text for a page with gzip and base64.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// The same text always gives the same bytes, without date and file name. Throws internal.
std::string gzipped(std::string_view text);
/// RFC 4648 with padding. None of the characters has a meaning in HTML.
std::string base64(std::span<const unsigned char> bytes);
std::string base64(std::string_view bytes);

}  // namespace assay
