// One image under all corruptions, to look at.
#include <algorithm>

#include "assay/robustness/corrupt_dataset.h"

namespace assay {

Image contact_sheet(const Image& image, const std::vector<const Corruption*>& corruptions,
                    const std::vector<int>& severities, const CorruptionSeed& seed,
                    const FrostPhotographs* frost) {
    constexpr int gap = 2;
    const int columns = static_cast<int>(severities.size());
    const int rows = static_cast<int>(corruptions.size());
    Image sheet;
    sheet.width = columns * (image.width + gap) - gap;
    sheet.height = rows * (image.height + gap) - gap;
    sheet.pixels.assign(std::size_t{4} * sheet.width * sheet.height, 255);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const Image part = corrupt(image, *corruptions[row], severities[column], seed, frost);
            for (int y = 0; y < part.height; ++y) {
                const std::ptrdiff_t at =
                    std::ptrdiff_t{sheet.width} * (std::ptrdiff_t{row} * (image.height + gap) + y) +
                    std::ptrdiff_t{column} * (image.width + gap);
                std::copy_n(part.pixels.begin() + 4 * std::ptrdiff_t{part.width} * y,
                            4 * part.width, sheet.pixels.begin() + 4 * at);
            }
        }
    }
    return sheet;
}

}  // namespace assay
