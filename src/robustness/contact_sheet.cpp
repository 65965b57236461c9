// Draws one image under all corruptions, for viewing.
#include <algorithm>
#include <string_view>

#include "assay/robustness/corrupt_dataset.h"
#include "image/lettering.h"

namespace assay {

Image contact_sheet(const Image& image, const std::vector<const Corruption*>& corruptions,
                    const std::vector<int>& severities, const CorruptionSeed& seed,
                    const FrostPhotographs* frost, CorruptionProfile profile) {
    constexpr int gap = 2, scale = 2;
    constexpr int letter_width = letter_columns * scale;
    constexpr int letter_height = 7 * scale;  // descenders may extend below this
    const int columns = static_cast<int>(severities.size());
    const int rows = static_cast<int>(corruptions.size());
    Image sheet;
    sheet.width = sheet_left + columns * (image.width + gap) - gap;
    sheet.height = sheet_top + rows * (image.height + gap) - gap;
    sheet.pixels.assign(std::size_t{4} * sheet.width * sheet.height, 255);
    for (int column = 0; column < columns; ++column) {
        const char number = static_cast<char>('0' + severities[column]);
        draw_letters(sheet,
                     sheet_left + column * (image.width + gap) + (image.width - letter_width) / 2,
                     2, {&number, 1}, {}, scale);
    }
    for (int row = 0; row < rows; ++row) {
        const int top = sheet_top + row * (image.height + gap);
        draw_letters(sheet, 4, top + std::max(0, (image.height - letter_height) / 2),
                     corruptions[row]->name, {}, scale);
        for (int column = 0; column < columns; ++column) {
            const int severity = severities[column];
            if (std::min(image.width, image.height) <
                min_side_of(*corruptions[row], severity, profile))
                continue;
            paste_image(sheet, corrupt(image, *corruptions[row], severity, seed, frost, profile),
                        sheet_left + column * (image.width + gap), top);
        }
    }
    return sheet;
}

}  // namespace assay
