#include "image/lettering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace assay {
namespace {

using testing::ElementsAre;

/// A line of text as rows of dots.
std::vector<std::string> drawn(std::string_view text) {
    const std::size_t width = letters_in(text) * letter_columns;
    std::vector<std::string> rows(letter_rows, std::string(width, '.'));
    for_each_dot(text, [&](int column, int row) {
        rows.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column)) = '#';
    });
    return rows;
}

TEST(Lettering, DrawsLettersAboveAndBelowTheLine) {
    EXPECT_THAT(drawn("Ag."), ElementsAre(".###..............",  //
                                          "#...#.............",  //
                                          "#...#..####.......",  //
                                          "#####.#...#.......",  //
                                          "#...#.#...#.......",  //
                                          "#...#.#...#.......",  //
                                          "#...#..####...#...",  //
                                          "..........#.......",  //
                                          ".......###........",  //
                                          ".................."));
    EXPECT_THAT(drawn(""), testing::Each(std::string()));
    EXPECT_THAT(drawn("  "), testing::Each(std::string(12, '.')));
}

TEST(Lettering, EveryCharacterOfAsciiIsDrawnAndLikeNoOther) {
    std::set<std::vector<std::string>> all = {drawn("\x01"), drawn(" ")};
    for (char c = '!'; c <= '~'; ++c) EXPECT_TRUE(all.insert(drawn({&c, 1})).second) << c;
}

TEST(Lettering, OtherCharactersAreBoxes) {
    const std::vector<std::string> box = drawn("\n");
    EXPECT_EQ(box[0], "#####.");
    EXPECT_EQ(box[3], "#...#.");
    EXPECT_EQ(box[6], "#####.");
    EXPECT_EQ(box[7], "......");
    // Two, three and four bytes of UTF-8 are one character. Each byte that is not UTF-8 is drawn as
    // a box.
    for (const char* one : {"\u00e9", "\u4e2d", "\U0001F600", "\xFF", "\x80"}) {
        EXPECT_EQ(letters_in(one), 1U) << one;
        EXPECT_EQ(drawn(one), box) << one;
    }
    EXPECT_EQ(letters_in("\xC3("), 2U);     // the byte begins a character that is not continued
    EXPECT_EQ(letters_in("\xE4\xB8"), 2U);  // the character is cut off
    EXPECT_EQ(letters_in("caf\u00e9s"), 5U);
}

TEST(Lettering, FitsWhatIsTooLong) {
    EXPECT_EQ(fitted("tabby", 5), "tabby");
    EXPECT_EQ(fitted("tabby", 4), "ta..");
    EXPECT_EQ(fitted("\u00e9\u00e9\u00e9\u00e9", 3), "\u00e9..");
    EXPECT_EQ(fitted("tabby", 2), "..");
    EXPECT_EQ(fitted("tabby", 1), ".");
    EXPECT_EQ(fitted("tabby", 0), "");
    EXPECT_EQ(fitted("", 0), "");
}

Image grey(int width, int height) {
    Image image;
    image.width = width;
    image.height = height;
    image.pixels.assign(std::size_t{4} * width * height, 128);
    return image;
}

/// The number of pixels with this red value.
int pixels_of(const Image& image, std::uint8_t red) {
    int n = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) n += image.pixels[i] == red ? 1 : 0;
    return n;
}

TEST(Lettering, StaysInTheImage) {
    Image image = grey(20, 12);
    draw_letters(image, 1, 1, "l", {7, 8, 9}, 1);
    // dots in ".##", five of "..#", and ".###.": 2 + 5 + 3
    EXPECT_EQ(pixels_of(image, 7), 10);
    EXPECT_EQ(image.pixels[4 * (20 * 1 + 2) + 1], 8);
    EXPECT_EQ(image.pixels[4 * (20 * 1 + 2) + 3], 128);  // the fourth byte does not change
    Image large = grey(20, 20);
    draw_letters(large, 0, 0, "l", {7, 8, 9}, 2);
    EXPECT_EQ(pixels_of(large, 7), 40);
    for (const auto& [left, top] :
         std::vector<std::pair<int, int>>{{-3, -3}, {18, 10}, {-100, 0}, {0, 100}, {19, -8}}) {
        Image edge = grey(20, 12);
        draw_letters(edge, left, top, "WWW", {1, 1, 1}, 3);
        EXPECT_EQ(edge.pixels.size(), grey(20, 12).pixels.size());
    }
    Image none;
    draw_letters(none, 0, 0, "W");
    EXPECT_TRUE(none.pixels.empty());
}

TEST(Lettering, PastesWhatLiesInTheImage) {
    Image part = grey(4, 3);
    for (std::size_t i = 0; i < 12; ++i) part.pixels[4 * i] = static_cast<std::uint8_t>(i);
    Image image = grey(5, 5);
    paste_image(image, part, 3, -1);  // rows 1 and 2 of the part, columns 0 and 1
    EXPECT_EQ(image.pixels[4 * 3], 4);
    EXPECT_EQ(image.pixels[4 * 4], 5);
    EXPECT_EQ(image.pixels[4 * (5 + 3)], 8);
    EXPECT_EQ(image.pixels[4 * (5 + 4)], 9);
    EXPECT_EQ(pixels_of(image, 128), 21);
    Image left = grey(5, 5);
    paste_image(left, part, -3, 4);  // the last column of the first row
    EXPECT_EQ(left.pixels[4 * 20], 3);
    EXPECT_EQ(pixels_of(left, 128), 24);
    for (const auto& [x, y] : std::vector<std::pair<int, int>>{{5, 0}, {-4, 0}, {0, 5}, {0, -3}}) {
        Image outside = grey(5, 5);
        paste_image(outside, part, x, y);
        EXPECT_EQ(outside.pixels, grey(5, 5).pixels);
    }
}

}  // namespace
}  // namespace assay
