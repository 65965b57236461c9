#include "image/lettering.h"

#include <algorithm>

namespace assay {
namespace {

constexpr int text_rows = 9;  // seven above the line and two below

struct Atlas {
    std::string_view letters;
    std::array<std::string_view, text_rows>
        art;  ///< each letter is five columns wide, with one column between letters
};

// clang-format off
constexpr std::array<Atlas, 9> atlases = {{
    {"abcdefghij",
     {"..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#.",
      "..... #.... ..... ....# ..... .#..# ..... #.... ..... .....",
      ".###. #.##. .###. .##.# .###. .#... .#### #.##. .##.. ..##.",
      "....# ##..# #...# #..## #...# ####. #...# ##..# ..#.. ...#.",
      ".#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#.",
      "#...# #...# #...# #...# #.... .#... #...# #...# ..#.. ...#.",
      ".#### ####. .###. .#### .###. .#... .#### #...# .###. ...#.",
      "..... ..... ..... ..... ..... ..... ....# ..... ..... #..#.",
      "..... ..... ..... ..... ..... ..... .###. ..... ..... .##.."}},
    {"klmnopqrst",
     {"#.... .##.. ..... ..... ..... ..... ..... ..... ..... .#...",
      "#.... ..#.. ..... ..... ..... ..... ..... ..... ..... .#...",
      "#..#. ..#.. ##.#. #.##. .###. #.##. .##.# #.##. .#### ####.",
      "#.#.. ..#.. #.#.# ##..# #...# ##..# #..## ##..# #.... .#...",
      "##... ..#.. #.#.# #...# #...# #...# #...# #.... .###. .#...",
      "#.#.. ..#.. #.#.# #...# #...# ##..# #..## #.... ....# .#..#",
      "#..#. .###. #...# #...# .###. #.##. .##.# #.... ####. ..##.",
      "..... ..... ..... ..... ..... #.... ....# ..... ..... .....",
      "..... ..... ..... ..... ..... #.... ....# ..... ..... ....."}},
    {"uvwxyz-.,:",
     {"..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "#...# #...# #...# #...# #...# ##### ..... ..... ..... ..#..",
      "#...# #...# #...# .#.#. #...# ...#. ..... ..... ..... .....",
      "#...# #...# #.#.# ..#.. #...# ..#.. .###. ..... ..... .....",
      "#..## .#.#. #.#.# .#.#. #..## .#... ..... ..... ..... .....",
      ".##.# ..#.. .#.#. #...# .##.# ##### ..... ..#.. ..#.. ..#..",
      "..... ..... ..... ..... ....# ..... ..... ..... ..#.. .....",
      "..... ..... ..... ..... .###. ..... ..... ..... .#... ....."}},
    {"0123456789()",
     {".###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###. ...#. .#...",
      "#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...# ..#.. ..#..",
      "#..## ..#.. ....# ....# .#.#. ####. ####. ...#. #...# #...# .#... ...#.",
      "#.#.# ..#.. ..##. ..##. #..#. ....# #...# ..#.. .###. .#### .#... ...#.",
      "##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....# .#... ...#.",
      "#...# ..#.. #.... #...# ...#. #...# #...# ..#.. #...# ....# ..#.. ..#..",
      ".###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .###. ...#. .#...",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ....."}},
    {"ABCDEFGHIJ",
     {".###. ####. .#### ####. ##### ##### .#### #...# .###. ..###",
      "#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#.",
      "#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#.",
      "##### ####. #.... #...# ####. ####. #..## ##### ..#.. ...#.",
      "#...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#.",
      "#...# #...# #.... #...# #.... #.... #...# #...# ..#.. #..#.",
      "#...# ####. .#### ####. ##### #.... .#### #...# .###. .##..",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ....."}},
    {"KLMNOPQRST",
     {"#...# #.... #...# #...# .###. ####. .###. ####. .#### #####",
      "#..#. #.... ##.## ##..# #...# #...# #...# #...# #.... ..#..",
      "#.#.. #.... #.#.# ##..# #...# #...# #...# #...# #.... ..#..",
      "##... #.... #.#.# #.#.# #...# ####. #...# ####. .###. ..#..",
      "#.#.. #.... #...# #..## #...# #.... #.#.# #.#.. ....# ..#..",
      "#..#. #.... #...# #..## #...# #.... #..#. #..#. ....# ..#..",
      "#...# ##### #...# #...# .###. #.... .##.# #...# ####. ..#..",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ....."}},
    {"UVWXYZ_/+=",
     {"#...# #...# #...# #...# #...# ##### ..... ..... ..... .....",
      "#...# #...# #...# #...# #...# ....# ..... ....# ..... .....",
      "#...# #...# #...# .#.#. .#.#. ...#. ..... ...#. ..#.. #####",
      "#...# #...# #.#.# ..#.. ..#.. ..#.. ..... ..#.. ..#.. .....",
      "#...# #...# #.#.# .#.#. ..#.. .#... ..... .#... ##### #####",
      "#...# .#.#. ##.## #...# ..#.. #.... ..... #.... ..#.. .....",
      ".###. ..#.. #...# #...# ..#.. ##### ##### ..... ..#.. .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ....."}},
    {"%&'!?;<>[]",
     {"##... .##.. ..#.. ..#.. .###. ..... ..... ..... .###. .###.",
      "##..# #..#. ..#.. ..#.. #...# ..... ...#. .#... .#... ...#.",
      "...#. #.#.. ..... ..#.. ....# ..#.. ..#.. ..#.. .#... ...#.",
      "..#.. .#... ..... ..#.. ...#. ..... .#... ...#. .#... ...#.",
      ".#... #.#.# ..... ..#.. ..#.. ..... ..#.. ..#.. .#... ...#.",
      "#..## #..#. ..... ..... ..... ..... ...#. .#... .#... ...#.",
      "...## .##.# ..... ..#.. ..#.. ..#.. ..... ..... .###. .###.",
      "..... ..... ..... ..... ..... ..#.. ..... ..... ..... .....",
      "..... ..... ..... ..... ..... .#... ..... ..... ..... ....."}},
    {"*@|~#$\\^`{}\"",
     {"..... .###. ..#.. ..... .#.#. ..#.. ..... ..#.. .#... ...#. .#... .#.#.",
      "#.#.# #...# ..#.. ..... .#.#. .#### #.... .#.#. ..#.. ..#.. ..#.. .#.#.",
      ".###. #.### ..#.. .#... ##### #.#.. .#... #...# ..... ..#.. ..#.. .....",
      "##### #.#.# ..#.. #.#.# .#.#. .###. ..#.. ..... ..... .#... ...#. .....",
      ".###. #.### ..#.. ...#. ##### ..#.# ...#. ..... ..... ..#.. ..#.. .....",
      "#.#.# #.... ..#.. ..... .#.#. ####. ....# ..... ..... ..#.. ..#.. .....",
      "..... .###. ..#.. ..... .#.#. ..#.. ..... ..... ..... ...#. .#... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
      "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ....."}},
}};
// clang-format on

struct Drawn {
    const Atlas* atlas = nullptr;  ///< nullptr draws a box
    std::size_t column = 0;
};

Drawn letter_of(char c) {
    for (const Atlas& atlas : atlases) {
        const std::size_t at = atlas.letters.find(c);
        if (at != std::string_view::npos)
            return {.atlas = &atlas, .column = at * static_cast<std::size_t>(letter_columns)};
    }
    return {};
}

bool is_dot(const Drawn& letter, int column, int row) {
    if (letter.atlas != nullptr)
        return letter.atlas->art[static_cast<std::size_t>(row)]
                                [letter.column + static_cast<std::size_t>(column)] == '#';
    const bool edge = column == 0 || column == letter_columns - 2 || row == 0 || row == 6;
    return row <= 6 && edge;
}

/// The number of bytes of the character at the start of `text`. A byte that begins no character
/// counts as one.
std::size_t first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t claimed = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 1;
    std::size_t bytes = 1;
    while (bytes < claimed && bytes < text.size() && (byte(bytes) & 0xC0U) == 0x80U) ++bytes;
    return bytes == claimed ? bytes : 1;
}

}  // namespace

void for_each_dot(std::string_view text, const std::function<void(int column, int row)>& dot) {
    for (int left = 0; !text.empty(); left += letter_columns) {
        const std::size_t bytes = first_character(text);
        const bool blank = text[0] == ' ';
        const Drawn letter = bytes == 1 ? letter_of(text[0]) : Drawn{};
        for (int row = 0; !blank && row < text_rows; ++row) {
            for (int column = 0; column < letter_columns - 1; ++column)
                if (is_dot(letter, column, row)) dot(left + column, row);
        }
        text.remove_prefix(bytes);
    }
}

std::size_t letters_in(std::string_view text) {
    std::size_t letters = 0;
    for (; !text.empty(); text.remove_prefix(first_character(text))) ++letters;
    return letters;
}

std::string fitted(std::string_view text, std::size_t most) {
    if (letters_in(text) <= most) return std::string(text);
    constexpr std::string_view cut = "..";
    std::size_t bytes = 0;
    for (std::size_t i = cut.size(); i < most; ++i) bytes += first_character(text.substr(bytes));
    return std::string(text.substr(0, bytes)) + std::string(cut.substr(0, most));
}

void draw_letters(Image& image, int left, int top, std::string_view text, Ink ink, int scale) {
    for_each_dot(text, [&](int column, int row) {
        fill_box(image, left + column * scale, top + row * scale, scale, scale, ink);
    });
}

void fill_box(Image& image, int left, int top, int width, int height, Ink ink) {
    const int right = std::min(left + width, image.width);
    const int bottom = std::min(top + height, image.height);
    for (int y = std::max(top, 0); y < bottom; ++y) {
        for (int x = std::max(left, 0); x < right; ++x) {
            const std::ptrdiff_t at = 4 * (std::ptrdiff_t{image.width} * y + x);
            std::copy(ink.begin(), ink.end(), image.pixels.begin() + at);
        }
    }
}

void paste_image(Image& image, const Image& part, int left, int top) {
    const int begin = std::max(0, -left);
    const int end = std::min(part.width, image.width - left);
    for (int y = std::max(0, -top); y < std::min(part.height, image.height - top) && begin < end;
         ++y) {
        const auto from = part.pixels.begin() + 4 * (std::ptrdiff_t{part.width} * y + begin);
        const std::ptrdiff_t to = std::ptrdiff_t{image.width} * (top + y) + left + begin;
        std::copy_n(from, 4 * std::ptrdiff_t{end - begin}, image.pixels.begin() + 4 * to);
    }
}

}  // namespace assay
