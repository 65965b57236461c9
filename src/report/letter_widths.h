// The width of a text in the font of plots, without needing that font.
#pragma once

#include <string_view>

namespace assay {

/// In units of `size`, for valid UTF-8. Ligatures and kerning are not considered.
double letters_width(std::string_view text, double size);

}  // namespace assay
