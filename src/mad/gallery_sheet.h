// The layout of a gallery's contact sheet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/image/image.h"

namespace assay::mad {

enum class SheetMark : std::uint8_t { open, yes, no };  ///< people's answer about a label

struct SheetLabel {
    std::string name;
    std::string confidence;  ///< ".93"
    SheetMark mark = SheetMark::open;
    std::string who{};  ///< the classifier if SheetForm::named; otherwise empty, and it is A or B
};
struct SheetCell {
    std::filesystem::path path;
    const Dataset* data = nullptr;  ///< the image is item `item` of it; null: the file at `path`
    std::size_t item = 0;
    SheetLabel first, second;
    std::string below;  ///< text with distance and case
};
struct SheetForm {
    int side = 160;
    std::uint32_t columns = 6;
    bool named = false;           ///< a line with the classifier above each label
    bool plain = false;           ///< no labels: only SheetCell::below
    std::size_t least_cells = 0;  ///< the sheet is at least as wide as with this number of cells
};

/// The number of cells on a sheet: whole rows, at least one.
std::size_t cells_of_a_sheet(const SheetForm& form);
/// The image, resized to the cell. If it cannot be read, returns a gray field with the first words
/// of the reason, and sets `reason`.
Image cell_image(const SheetCell& cell, const SheetForm& form, std::string& reason);
/// A sheet without images, with the text below each. `head` has the lines at the top.
Image empty_sheet(const std::vector<std::string>& head, std::span<const SheetCell> cells,
                  const SheetForm& form);
/// Places a cell's image.
void put_cell(Image& sheet, const Image& image, std::size_t cell, std::size_t head_lines,
              const SheetForm& form);
/// Two sheets as one, with a line between them.
Image stacked_sheets(const Image& upper, const Image& lower);

}  // namespace assay::mad
