// How wide a text is in the font of plots, without that font.
#pragma once

#include <string_view>

namespace assay {

/// In units of `size`, for valid UTF-8. No pairs of letters are drawn together.
double letters_width(std::string_view text, double size);

}  // namespace assay
