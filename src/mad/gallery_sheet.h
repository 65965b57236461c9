// The layout of a gallery's contact sheet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

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
    SheetLabel first, second;
    std::string below;  ///< text with distance and case
};
struct SheetForm {
    int side = 160;
    std::uint32_t columns = 6;
    bool named = false;  ///< a line with the classifier above each label
};

/// The number of cells on a sheet: whole rows, at least one.
std::size_t cells_of_a_sheet(const SheetForm& form);
/// The image, resized to the cell. If it cannot be read, returns a gray field with the first words
/// of the reason, and sets `reason`.
Image cell_image(const std::filesystem::path& path, const SheetForm& form, std::string& reason);
/// A sheet without images, with the text below each. `head` has the lines at the top.
Image empty_sheet(const std::vector<std::string>& head, std::span<const SheetCell> cells,
                  const SheetForm& form);
/// Places a cell's image.
void put_cell(Image& sheet, const Image& image, std::size_t cell, std::size_t head_lines,
              const SheetForm& form);

}  // namespace assay::mad
