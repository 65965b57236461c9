// Captions in images: one small font, of dots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "assay/image/image.h"

namespace assay {

/// Dots from one character to the next, and from a line's top to where the next may begin: five
/// columns and seven rows of a letter, two below the line, and a gap.
inline constexpr int letter_columns = 6, letter_rows = 10;

/// Calls dot(column, row) for each dot of a line of UTF-8, from its top left corner. ASCII is
/// drawn; a box stands for any other character, a byte that is no UTF-8 and a control character.
void for_each_dot(std::string_view text, const std::function<void(int column, int row)>& dot);
/// The characters that for_each_dot() draws.
std::size_t letters_in(std::string_view text);
/// The text, or where it has more letters than `most` its beginning and "..", together `most`.
std::string fitted(std::string_view text, std::size_t most);

/// R, G, B.
using Ink = std::array<std::uint8_t, 3>;
/// Draws into an image, as far as it lies in it; a dot is a square of `scale` pixels.
void draw_letters(Image& image, int left, int top, std::string_view text, Ink ink = {0, 0, 0},
                  int scale = 1);
/// Fills a rectangle, as far as it lies in the image.
void fill_box(Image& image, int left, int top, int width, int height, Ink ink);
/// Copies `part` into the image, as far as it lies in it.
void paste_image(Image& image, const Image& part, int left, int top);

}  // namespace assay
