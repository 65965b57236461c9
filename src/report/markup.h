// Escapes foreign texts in XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Escapes text for an element or an attribute in double quotes.
std::string markup_text(std::string_view text);

}  // namespace assay
