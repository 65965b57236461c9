// A small alphabet for captions.
#pragma once

#include <string_view>

#include "demo/world/canvas.h"

namespace assay::world {

inline constexpr int glyph_width = 6, glyph_height = 10;  ///< pixels at scale 1, the gaps included

/// Draws lower-case letters, digits and - . , : ( ) from the top left corner; other characters are
/// blanks.
void draw_text(Canvas& canvas, int x, int y, std::string_view text, Colour colour, int scale = 1);
int text_width(std::string_view text, int scale = 1);

}  // namespace assay::world
