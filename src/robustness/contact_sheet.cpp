// One image under all corruptions, to look at.
#include <algorithm>
#include <array>
#include <string_view>

#include "assay/robustness/corrupt_dataset.h"

namespace assay {
namespace {

/// Letters of 5 x 7 dots: a row per number, from the top, its leftmost dot the bit of 16.
struct Glyph {
    char letter;
    std::array<std::uint8_t, 7> rows;
};
constexpr Glyph glyphs[] = {
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'b', {16, 16, 22, 25, 17, 17, 30}},
    {'c', {0, 0, 14, 16, 16, 17, 14}},   {'d', {1, 1, 13, 19, 17, 17, 15}},
    {'e', {0, 0, 14, 17, 31, 16, 14}},   {'f', {6, 9, 8, 28, 8, 8, 8}},
    {'g', {0, 15, 17, 17, 15, 1, 14}},   {'h', {16, 16, 22, 25, 17, 17, 17}},
    {'i', {4, 0, 12, 4, 4, 4, 14}},      {'j', {2, 0, 6, 2, 2, 18, 12}},
    {'k', {16, 16, 18, 20, 24, 20, 18}}, {'l', {12, 4, 4, 4, 4, 4, 14}},
    {'m', {0, 0, 26, 21, 21, 17, 17}},   {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}},
    {'q', {0, 0, 13, 19, 15, 1, 1}},     {'r', {0, 0, 22, 25, 16, 16, 16}},
    {'s', {0, 0, 14, 16, 14, 1, 30}},    {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},   {'v', {0, 0, 17, 17, 17, 10, 4}},
    {'w', {0, 0, 17, 17, 21, 21, 10}},   {'x', {0, 0, 17, 10, 4, 10, 17}},
    {'y', {0, 0, 17, 17, 15, 1, 14}},    {'z', {0, 0, 31, 2, 4, 8, 31}},
    {'_', {0, 0, 0, 0, 0, 0, 31}},       {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
};
constexpr int dot = 2;  // pixels: a letter has 10 x 14, and the next begins 12 behind it
constexpr int letter_width = 6 * dot, letter_height = 7 * dot;

/// Black on what is there, as far as it lies on the sheet.
void draw_text(Image& sheet, std::string_view text, int left, int top) {
    for (const char letter : text) {
        const auto* glyph = std::find_if(std::begin(glyphs), std::end(glyphs),
                                         [&](const Glyph& g) { return g.letter == letter; });
        for (int y = 0; glyph != std::end(glyphs) && y < letter_height; ++y) {
            for (int x = 0; x < 5 * dot; ++x) {
                const bool black =
                    (glyph->rows[static_cast<std::size_t>(y / dot)] >> (4 - x / dot) & 1) != 0;
                if (!black || top + y >= sheet.height || left + x >= sheet.width) continue;
                const std::size_t at =
                    4 * (static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(top + y) +
                         static_cast<std::size_t>(left + x));
                std::fill_n(sheet.pixels.begin() + static_cast<std::ptrdiff_t>(at), 3, 0);
            }
        }
        left += letter_width;
    }
}

}  // namespace

Image contact_sheet(const Image& image, const std::vector<const Corruption*>& corruptions,
                    const std::vector<int>& severities, const CorruptionSeed& seed,
                    const FrostPhotographs* frost) {
    constexpr int gap = 2;
    const int columns = static_cast<int>(severities.size());
    const int rows = static_cast<int>(corruptions.size());
    Image sheet;
    sheet.width = sheet_left + columns * (image.width + gap) - gap;
    sheet.height = sheet_top + rows * (image.height + gap) - gap;
    sheet.pixels.assign(std::size_t{4} * sheet.width * sheet.height, 255);
    for (int column = 0; column < columns; ++column) {
        const char number = static_cast<char>('0' + severities[column]);
        draw_text(sheet, {&number, 1},
                  sheet_left + column * (image.width + gap) + (image.width - letter_width) / 2, 2);
    }
    for (int row = 0; row < rows; ++row) {
        const int top = sheet_top + row * (image.height + gap);
        draw_text(sheet, corruptions[row]->name, 4,
                  top + std::max(0, (image.height - letter_height) / 2));
        for (int column = 0; column < columns; ++column) {
            const Image part = corrupt(image, *corruptions[row], severities[column], seed, frost);
            for (int y = 0; y < part.height; ++y) {
                const std::ptrdiff_t at = std::ptrdiff_t{sheet.width} * (top + y) + sheet_left +
                                          std::ptrdiff_t{column} * (image.width + gap);
                std::copy_n(part.pixels.begin() + 4 * std::ptrdiff_t{part.width} * y,
                            4 * part.width, sheet.pixels.begin() + 4 * at);
            }
        }
    }
    return sheet;
}

}  // namespace assay
