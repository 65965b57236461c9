// Sheets of classes: selected images, and below them labelled ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "assay/mad/gallery.h"
#include "mad/gallery_sheet.h"
#include "mad/labelled_images.h"
#include "made_gallery.h"

namespace assay::mad {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

using MadGalleryOfClasses = MadGallery;

TEST_F(MadGalleryOfClasses, ASheetAClassBesideLabelledImages) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    select(1, 0, 0, 0, 1);
    select(1, 1, 1, 0, 1);
    select(1, 2, 2, 0, 1, "replaced");
    select(2, 1, 0, 0, 2);
    select(2, 3, 1, 0, 2);
    sql("UPDATE selected SET units = 3145728 WHERE pair = 2 AND image = 1");  // 3 apart
    answer(0, 0, 1);
    answer(0, 1, 0);
    answer(1, 0, 0);
    for (const auto& [name, first, images] :
         {std::tuple("cat", 0, 3), std::tuple("dog", 100, 1), std::tuple("bus", 200, 1)}) {
        fs::create_directories(scratch_ / "val" / name);
        for (int i = 0; i < images; ++i)
            save_png(plain_image(16, 16, {9, static_cast<std::uint8_t>(first + i), 9}),
                     scratch_ / "val" / name / fmt::format("{}.png", i));
    }
    const Gallery gallery = make({.beside = scratch_ / "val", .beside_count = 2});
    // Cat is predicted for images 0, 1 and 3, dog for 0 and 1, and car for 1 and 3.
    ASSERT_EQ(gallery.classes.size(), 2U);
    EXPECT_EQ(gallery.classes[0].id, "cat");
    EXPECT_EQ(gallery.classes[0].selected, 3U);
    EXPECT_EQ(gallery.classes[0].yes, 1U);
    EXPECT_EQ(gallery.classes[0].no, 1U);
    EXPECT_EQ(gallery.classes[0].open, 1U);
    EXPECT_EQ(gallery.classes[0].labelled, 3U);
    EXPECT_EQ(gallery.classes[0].shown, 2U);
    EXPECT_EQ(gallery.classes[0].sheet, out_ / "class-cat.png");
    EXPECT_EQ(gallery.classes[1].id, "dog");
    EXPECT_EQ(gallery.classes[1].selected, 2U);
    EXPECT_EQ(gallery.classes[1].shown, 1U);
    EXPECT_THAT(gallery.warnings, ElementsAre(HasSubstr("no image of 1 of 3 classes")));
    EXPECT_EQ(gallery.images, 5U);
    EXPECT_EQ(gallery.beside, 3U);
    EXPECT_EQ(gallery.shown.size(), 4U);
    ASSERT_EQ(gallery.sheets.size(), 2U);
    EXPECT_EQ(gallery.sheets[0].class_id, "cat");
    EXPECT_EQ(gallery.sheets[0].beside, 2U);

    // The upper part is as for a tag, with 1 first. The lower one has the first two images of val.
    const Image sheet = load_image(gallery.sheets[0].file);
    const SheetForm form{.side = 64, .columns = 6, .named = true};
    const SheetForm plain{.side = 64, .columns = 6, .named = true, .plain = true};
    Image upper = empty_sheet({"", "", "", ""}, std::vector<SheetCell>(3), form);
    Image lower = empty_sheet({""}, std::vector<SheetCell>(2), plain);
    for (std::size_t cell = 0; cell < 3; ++cell)
        put_cell(upper, plain_image(32, 64, {1, 2, static_cast<std::uint8_t>(cell)}), cell, 4,
                 form);
    for (std::size_t cell = 0; cell < 2; ++cell)
        put_cell(lower, plain_image(64, 64, {1, 3, static_cast<std::uint8_t>(cell)}), cell, 1,
                 plain);
    const Image made = stacked_sheets(upper, lower);
    ASSERT_EQ(sheet.height, made.height);
    ASSERT_EQ(sheet.width, made.width);
    const std::vector<int> order = {1, 0, 3};
    int compared = 0;
    for (int y = 0; y < sheet.height; ++y) {
        for (int x = 0; x < sheet.width; ++x) {
            const Ink ink = pixel_at(made, x, y);
            if (ink[0] != 1 || (ink[1] != 2 && ink[1] != 3)) continue;
            ++compared;
            const Ink expected = ink[1] == 2 ? colour_of(order[ink[2]]) : Ink{9, ink[2], 9};
            ASSERT_EQ(pixel_at(sheet, x, y), expected) << x << " " << y;
        }
    }
    EXPECT_EQ(compared, 3 * 32 * 64 + 2 * 64 * 64);
}

TEST_F(MadGalleryOfClasses, LabelledImagesContinueOnFurtherSheets) {
    fs::create_directories(scratch_ / "val/dog");
    for (int i = 0; i < 7; ++i) std::ofstream(scratch_ / fmt::format("val/dog/{}.png", i)) << i;
    std::vector<std::string> notes;
    GalleryOptions options;
    options.beside = scratch_ / "val";
    const LabelledImages labelled(*competition_, options, {{1, {0}}}, notes);
    EXPECT_EQ(labelled.of(0).images, 0U);
    EXPECT_EQ(labelled.of(1).images, 7U);
    // Two columns and four cells: the one selected image fills a row, so that 2, 4 and 1 remain.
    std::vector<SheetPlan> sheets(1);
    sheets[0].result.class_id = "dog";
    sheets[0].head = {"Class: dog", "1 selected image"};
    sheets[0].cells.resize(1);
    labelled.add_to(sheets, 1, 2, 4);
    std::vector<std::string> made;
    for (const SheetPlan& sheet : sheets) {
        made.push_back(fmt::format("{} {} {} {}", sheet.result.class_id, sheet.cells.size(),
                                   sheet.beside.size(), sheet.beside.front().below));
        EXPECT_EQ(sheet.result.beside, sheet.beside.size());
        EXPECT_THAT(sheet.head_beside, ElementsAre("val: all 7 images with this class"));
    }
    EXPECT_THAT(made, ElementsAre("dog 1 2 0.png", "dog 0 4 2.png", "dog 0 1 6.png"));
    EXPECT_EQ(sheets[2].head[1], "1 selected image; sheet 3 of 3");
    // A full sheet has no space for another one.
    std::vector<SheetPlan> full(1, sheets[0]);
    full[0].cells.resize(3);
    full[0].beside.clear();
    labelled.add_to(full, 1, 2, 4);
    EXPECT_EQ(full.size(), 3U);
    EXPECT_TRUE(full[0].beside.empty());
}

}  // namespace
}  // namespace assay::mad
