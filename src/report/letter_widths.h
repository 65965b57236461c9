// Computes the width of a text in the font of plots, without that font.
#pragma once

#include <string_view>

namespace assay {

/// The width in units of `size`, for valid UTF-8, without ligatures and kerning.
double letters_width(std::string_view text, double size);

}  // namespace assay
