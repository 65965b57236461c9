// The layout of a gallery's contact sheet.
#include "mad/gallery_sheet.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace assay::mad {
namespace {

TEST(MadGallerySheet, IsNeverTooLarge) {
    for (const int side : {32, 160, 320, 1024}) {
        for (const std::uint32_t columns : {1U, 6U, 50U}) {
            for (const bool named : {false, true}) {
                const SheetForm form{.side = side, .columns = columns, .named = named};
                const std::size_t cells = cells_of_a_sheet(form);
                EXPECT_EQ(cells % columns, 0U);
                EXPECT_GE(cells, columns);
                const SheetForm column{.side = side, .columns = 1, .named = named};
                const int height = empty_sheet({}, std::vector<SheetCell>(2), column).height -
                                   empty_sheet({}, std::vector<SheetCell>(1), column).height;
                const double area = static_cast<double>(cells) * side * height;
                EXPECT_LE(area, 64e6) << side << " " << columns << " " << named;
            }
        }
    }
}

TEST(MadGallerySheet, NamesWithoutRoomAreCutAndConfidencesNever) {
    const SheetForm form{.side = 32, .columns = 1};  // the name has five letters
    const std::string hostile = "\x01\n../" + std::string(5000, 'x') + "\xFF\u4e2d";
    SheetCell cell;
    cell.first = {.name = hostile, .confidence = "1.00"};
    cell.second = {.name = "", .confidence = ".05"};
    cell.below = hostile;
    const Image sheet = empty_sheet({hostile, hostile}, std::vector<SheetCell>{cell}, form);
    // No text is drawn outside the cell, so the area from its right edge on is white.
    const int head = empty_sheet({"", ""}, {}, form).height;
    for (int y = head; y < sheet.height; ++y)
        for (int x = 10 + 32 + 2; x < sheet.width; ++x)
            for (std::size_t channel = 0; channel < 3; ++channel)
                ASSERT_EQ(
                    sheet.pixels[4 * (static_cast<std::size_t>(y) * sheet.width + x) + channel],
                    255)
                    << x << " " << y;
}

TEST(MadGallerySheet, FewCellsMayHaveTheWidthOfMany) {
    const int few = empty_sheet({""}, std::vector<SheetCell>(1), {}).width;
    const int many = empty_sheet({""}, std::vector<SheetCell>(5), {}).width;
    EXPECT_GT(many, few);
    EXPECT_EQ(empty_sheet({""}, std::vector<SheetCell>(1), {.least_cells = 5}).width, many);
    EXPECT_EQ(empty_sheet({""}, std::vector<SheetCell>(5), {.least_cells = 1}).width, many);
}

}  // namespace
}  // namespace assay::mad
