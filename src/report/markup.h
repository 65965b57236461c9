// Foreign texts in XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// For an element or an attribute in double quotes.
std::string markup_text(std::string_view text);

}  // namespace assay
