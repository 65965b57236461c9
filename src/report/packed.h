// Bytes as text that stands in a page: gzip, base64.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// The same bytes for the same text: no date, no file name. Throws internal.
std::string gzipped(std::string_view text);
/// RFC 4648, with padding: no character of it means anything in HTML.
std::string base64(std::span<const unsigned char> bytes);
std::string base64(std::string_view bytes);

}  // namespace assay
