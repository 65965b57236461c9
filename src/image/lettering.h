// Captions in images, in one small dot font.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "assay/image/image.h"

namespace assay {

/// The distance between characters, and between lines, in dots. A letter has five columns and seven
/// rows, two rows below the line, and a gap.
inline constexpr int letter_columns = 6, letter_rows = 10;

/// Calls dot(column, row) for each dot of a line of UTF-8, from its top left corner. ASCII is
/// drawn. A box replaces any other character, control characters, and bytes that are not UTF-8.
void for_each_dot(std::string_view text, const std::function<void(int column, int row)>& dot);
/// The number of characters that for_each_dot() draws.
std::size_t letters_in(std::string_view text);
/// The text, or if it has more than `most` letters, its beginning and "..", with `most` letters in
/// total.
std::string fitted(std::string_view text, std::size_t most);

/// A color as R, G, B.
using Ink = std::array<std::uint8_t, 3>;
/// Draws into an image and clips at its edges. A dot is a square of `scale` pixels.
void draw_letters(Image& image, int left, int top, std::string_view text, Ink ink = {0, 0, 0},
                  int scale = 1);
/// Fills a rectangle, clipped to the image.
void fill_box(Image& image, int left, int top, int width, int height, Ink ink);
/// Copies `part` into the image, clipped to it.
void paste_image(Image& image, const Image& part, int left, int top);

}  // namespace assay
