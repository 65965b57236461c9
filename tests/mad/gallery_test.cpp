#include "assay/mad/gallery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/hash.h"
#include "image/lettering.h"
#include "mad/gallery_sheet.h"
#include "made_gallery.h"
#include "message_of.h"

namespace assay::mad {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(MadGallery, ASheetAPairInTheOrderOfDiscrepancy) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    pair(3, 1, 2);
    select(1, 2, 0, 0, 1);
    select(1, 1, 1, 0, 1);
    select(1, 0, 2, 0, 1, "duplicate");
    select(2, 3, 0, 0, 2);
    const Gallery gallery = make({.columns = 2});
    ASSERT_EQ(gallery.sheets.size(), 2U);
    EXPECT_EQ(gallery.images, 3U);
    EXPECT_EQ(gallery.unreadable, 0U);
    EXPECT_THAT(gallery.warnings,
                ElementsAre("no image is selected for beta and gamma, so they have no sheet"));
    EXPECT_EQ(gallery.sheets[0].file, out_ / "alpha--beta.png");
    EXPECT_EQ(gallery.sheets[1].file, out_ / "alpha--gamma.png");
    EXPECT_EQ(gallery.sheets[0].images, 2U);

    const Image sheet = load_image(gallery.sheets[0].file);
    const SheetForm form{.side = 64, .columns = 2};
    // The first image fills its cell. The second is half as wide, with white margins.
    Image made = empty_sheet({"", "", "", ""}, std::vector<SheetCell>(2), form);
    ASSERT_EQ(sheet.width, made.width);
    ASSERT_EQ(sheet.height, made.height);
    put_cell(made, plain_image(64, 64, {1, 2, 3}), 0, 4, form);
    put_cell(made, plain_image(32, 64, {4, 5, 6}), 1, 4, form);
    int first = 0, second = 0;
    for (int y = 0; y < sheet.height; ++y) {
        for (int x = 0; x < sheet.width; ++x) {
            if (pixel_at(made, x, y) == Ink{1, 2, 3}) {
                ++first;
                ASSERT_EQ(pixel_at(sheet, x, y), colour_of(2));
            }
            if (pixel_at(made, x, y) == Ink{4, 5, 6}) {
                ++second;
                ASSERT_EQ(pixel_at(sheet, x, y), colour_of(1));
            }
        }
    }
    EXPECT_EQ(first, 64 * 64);
    EXPECT_EQ(second, 32 * 64);
}

TEST_F(MadGallery, CasesOnceTheyAreSettled) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    for (int image = 0; image < 4; ++image) select(1, image, image, 0, 1);
    select(2, 0, 0, 0, 2, "replaced");
    answer(0, 0, 1);
    answer(0, 1, 1);  // both labels are correct
    answer(1, 0, 1);
    answer(1, 1, 0);  // one of the labels is correct
    answer(2, 0, 2);
    answer(2, 1, 1);  // people cannot say
    answer(3, 0, 1);  // there is no question about the other label
    const Gallery gallery = make();
    EXPECT_THAT(gallery.sheets[0].cases, ElementsAre(1, 1, 0, 1, 1));
    EXPECT_THAT(gallery.sheets[1].cases, ElementsAre(0, 0, 0, 1, 0));
    const nlohmann::json result = report_of(gallery).result;
    EXPECT_EQ(result.at("schema"), "assay.mad_gallery/1");
    EXPECT_EQ(result.at("sheets").at(0).at("cases").at("II"), 1);
    EXPECT_EQ(report_of(gallery).records.rows.size(), 2U);

    // The colour of a label shows people's answer.
    const auto has = [&](const Image& image, Ink colour) {
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                if (pixel_at(image, x, y) == colour) return true;
        return false;
    };
    const Ink yes = {20, 120, 50}, no = {178, 34, 34};
    EXPECT_TRUE(has(load_image(gallery.sheets[0].file), yes));
    EXPECT_TRUE(has(load_image(gallery.sheets[0].file), no));
    EXPECT_FALSE(has(load_image(gallery.sheets[1].file), no));
}

TEST_F(MadGallery, IsDataToo) {
    EXPECT_TRUE(gallery_images(*competition_).empty());
    pair(1, 0, 1);
    pair(2, 0, 2);
    select(1, 2, 0, 0, 1);
    select(1, 1, 1, 0, 1);
    select(1, 3, 2, 0, 1, "duplicate");
    select(2, 0, 0, 0, 2, "replaced");
    answer(1, 0, 1);
    answer(1, 1, 0);
    const std::vector<GalleryImage> images = gallery_images(*competition_);
    ASSERT_EQ(images.size(), 3U);
    EXPECT_EQ(images[1].first, "alpha");
    EXPECT_EQ(images[1].second, "beta");
    EXPECT_EQ(images[1].place, 2U);
    EXPECT_EQ(images[1].item, 1U);
    EXPECT_EQ(images[1].id, "images/00001.png");
    EXPECT_EQ(images[1].first_label.id, "cat");
    EXPECT_EQ(images[1].first_label.correct, true);
    EXPECT_EQ(images[1].second_label.name, "dog");
    EXPECT_EQ(images[1].second_label.correct, false);
    EXPECT_EQ(images[1].first_label.confidence, 0.5);
    EXPECT_EQ(images[1].outcome, "II");
    EXPECT_EQ(images[0].outcome, "open");
    EXPECT_EQ(images[0].first_label.correct, std::nullopt);
    EXPECT_EQ(images[2].outcome, "replaced");
    EXPECT_EQ(images[2].second, "gamma");
    // The command reports the same for images that were already drawn.
    Gallery told;
    told.shown = images;
    EXPECT_EQ(report_of(make()).result["shown"], report_of(told).result["shown"]);
    EXPECT_EQ(report_of(told).result["shown"][0]["first_label"]["correct"], nullptr);
}

TEST_F(MadGallery, ImagesThatCannotBeReadAreGrey) {
    pair(1, 0, 1);
    std::ofstream(image_of(4)) << "no image";
    for (int image = 3; image < 6; ++image) select(1, image, image, 0, 1);
    const Gallery gallery = make();
    EXPECT_EQ(gallery.images, 3U);
    EXPECT_EQ(gallery.unreadable, 2U);
    EXPECT_EQ(gallery.sheets[0].unreadable, 2U);
    ASSERT_EQ(gallery.warnings.size(), 1U);
    EXPECT_THAT(gallery.warnings[0], HasSubstr("2 of 3 images cannot be read"));
    EXPECT_THAT(gallery.warnings[0], HasSubstr("00004.png"));
    EXPECT_TRUE(report_of(gallery).partial);
    EXPECT_FALSE(report_of(Gallery{}).partial);

    std::string reason;
    SheetCell missing;
    missing.path = image_of(5);
    const Image field = cell_image(missing, {.side = 100, .columns = 1}, reason);
    EXPECT_EQ(field.width, 100);
    EXPECT_EQ(pixel_at(field, 99, 99), (Ink{176, 176, 176}));
    EXPECT_FALSE(reason.empty());
    EXPECT_THAT(reason, testing::Not(HasSubstr("00005")));
}

TEST_F(MadGallery, WithoutAnyImageNothingIsWritten) {
    pair(1, 0, 1);
    select(1, 5, 0, 0, 1);
    EXPECT_THAT(message_of([&] { make(); }),
                HasSubstr("no selected image can be read; the first, "));
    EXPECT_FALSE(fs::exists(out_));
}

TEST_F(MadGallery, TheSameBytesForAnyNumberOfThreads) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    pair(3, 1, 2);
    for (int image = 0; image < 4; ++image) {
        select(1, image, image, 0, 1);
        select(2, image, image, 0, 2);
        select(3, image, image, 1, 2);
    }
    const auto hashes = [&](int threads) {
        std::vector<std::string> all;
        std::uint64_t done = 0;
        GalleryOptions options{.out = out_, .models = {}, .side = 40, .threads = threads};
        const Gallery gallery = make_gallery(*competition_, options, [&](const Progress& state) {
            EXPECT_EQ(state.total, 12U);
            done = std::max(done, state.done);
        });
        EXPECT_EQ(done, 12U);
        for (const GallerySheet& sheet : gallery.sheets) all.push_back(hash_file(sheet.file));
        return all;
    };
    const std::vector<std::string> one = hashes(1);
    EXPECT_EQ(one.size(), 3U);
    EXPECT_EQ(hashes(4), one);
}

TEST_F(MadGallery, OnlyPairsOfSomeClassifiers) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    pair(3, 1, 2);
    select(1, 0, 0, 0, 1);
    select(2, 0, 0, 0, 2);
    select(3, 0, 0, 1, 2);
    const auto files = [&](std::vector<std::string> models) {
        std::vector<std::string> names;
        const Gallery gallery = make({.models = std::move(models)});
        for (const GallerySheet& sheet : gallery.sheets) names.push_back(sheet.file.stem());
        return names;
    };
    EXPECT_THAT(files({"gamma", "alpha"}), ElementsAre("alpha--gamma"));
    EXPECT_THAT(files({"beta"}), ElementsAre("alpha--beta", "beta--gamma"));
    EXPECT_THAT(message_of([&] { files({"betta"}); }, ErrorCode::usage),
                HasSubstr("did you mean `beta`"));
}

TEST_F(MadGallery, ASheetATag) {
    pair(1, 0, 1);
    pair(2, 0, 2);
    select(1, 0, 0, 0, 1);
    select(1, 1, 1, 0, 1);
    select(1, 2, 2, 0, 1, "replaced");
    select(2, 1, 0, 0, 2);
    select(2, 3, 1, 0, 2);
    sql("UPDATE selected SET units = 3145728 WHERE pair = 2 AND image = 1");  // 3 apart
    sql("UPDATE selected SET units = 2097152 WHERE image = 3");
    answer(0, 0, 1);
    answer(0, 1, 0);
    answer(1, 0, 0);
    answer(1, 2, 0);
    answer(2, 0, 1);
    answer(3, 0, 1);
    tag(0, "small");
    tag(1, "small\nalpha--gamma");
    tag(2, "of a replaced image\nsmall");
    tag(3, "small");
    const Gallery gallery = make({.by_tag = true});
    ASSERT_EQ(gallery.sheets.size(), 2U);
    EXPECT_THAT(gallery.warnings, testing::IsEmpty());
    EXPECT_EQ(gallery.sheets[0].tag, "alpha--gamma");
    EXPECT_EQ(gallery.sheets[0].file, out_ / "tag-alpha--gamma.png");
    EXPECT_EQ(gallery.sheets[0].images, 1U);
    EXPECT_EQ(gallery.sheets[1].file, out_ / "tag-small.png");
    EXPECT_EQ(gallery.sheets[1].first, "");
    // Image 1 is shown once, for the pair with 3 apart, where both labels are wrong (case III).
    // Image 0 is in case II, and a question about image 3 is missing.
    EXPECT_EQ(gallery.sheets[1].images, 3U);
    EXPECT_THAT(gallery.sheets[1].cases, ElementsAre(0, 1, 1, 0, 1));
    EXPECT_EQ(gallery.images, 4U);
    // As data, it is there for both pairs.
    std::vector<std::string> shown;
    for (const GalleryImage& image : gallery.shown)
        shown.push_back(fmt::format("{} {} {}", image.second, image.item, image.tags.size()));
    EXPECT_THAT(shown, ElementsAre("beta 0 1", "beta 1 2", "gamma 1 2", "gamma 3 1"));
    const Report report = report_of(gallery);
    EXPECT_EQ(report.result["sheets"][1]["tag"], "small");
    EXPECT_EQ(report.result["shown"][1]["tags"].dump(), R"(["alpha--gamma","small"])");

    // The order is by distance: 1, 3, 0. Cells have two more lines than those of a pair's sheet.
    const Image sheet = load_image(gallery.sheets[1].file);
    const SheetForm form{.side = 64, .columns = 6, .named = true};
    Image made = empty_sheet({"", "", "", ""}, std::vector<SheetCell>(3), form);
    ASSERT_EQ(sheet.height, made.height);
    ASSERT_EQ(sheet.width, made.width);
    const std::vector<int> order = {1, 3, 0};
    for (std::size_t cell = 0; cell < 3; ++cell)
        put_cell(made, plain_image(32, 64, {1, 2, static_cast<std::uint8_t>(cell)}), cell, 4, form);
    int compared = 0;
    for (int y = 0; y < sheet.height; ++y) {
        for (int x = 0; x < sheet.width; ++x) {
            const Ink ink = pixel_at(made, x, y);
            if (ink[0] != 1 || ink[1] != 2) continue;
            ++compared;
            ASSERT_EQ(pixel_at(sheet, x, y), colour_of(order[ink[2]])) << x << " " << y;
        }
    }
    EXPECT_EQ(compared, 3 * 32 * 64);

    // Only the images of some pairs.
    const Gallery some = make({.models = {"beta"}, .by_tag = true});
    ASSERT_EQ(some.sheets.size(), 2U);
    EXPECT_EQ(some.sheets[1].images, 2U);
    sql("UPDATE selected SET state = 'duplicate' WHERE pair = 1 AND image = 1");
    const Gallery less = make({.models = {"beta"}, .by_tag = true});
    EXPECT_EQ(less.sheets.size(), 1U);
    EXPECT_THAT(
        less.warnings,
        ElementsAre("no image of these classifiers has the tag `alpha--gamma`, so it has no "
                    "sheet"));
}

TEST_F(MadGallery, TagsOfAFile) {
    pair(1, 0, 1);
    select(1, 0, 0, 0, 1);
    select(1, 1, 1, 0, 1);
    GalleryOptions options{.by_tag = true, .tags = scratch_ / "tags.csv"};
    std::ofstream(options.tags) << "image,tag\nimages/00001.png,../a b\nimages/00003.png,far\n";
    const Gallery gallery = make(options);
    ASSERT_EQ(gallery.sheets.size(), 1U);
    EXPECT_EQ(gallery.sheets[0].tag, "../a b");
    EXPECT_EQ(gallery.sheets[0].file.parent_path(), out_);
    EXPECT_TRUE(fs::is_regular_file(gallery.sheets[0].file));
    EXPECT_THAT(gallery.warnings, ElementsAre(HasSubstr("1 image with a tag is not selected")));
    options.tags.clear();
    EXPECT_THAT(message_of([&] { make(options); }, ErrorCode::usage),
                HasSubstr("no answer about a selected image has a tag"));
    options.by_tag = false;
    options.tags = "tags.csv";
    EXPECT_THAT(message_of([&] { make(options); }, ErrorCode::usage), HasSubstr("by_tag"));
}

TEST_F(MadGallery, SaysWhyNoTagHasASheet) {
    EXPECT_THAT(message_of([&] { make({.by_tag = true}); }, ErrorCode::usage),
                HasSubstr("no image is selected; run `assay mad select` first"));
    pair(1, 0, 1);
    pair(2, 0, 2);
    select(1, 0, 0, 0, 1);
    select(2, 1, 0, 0, 2);
    answer(0, 0, 1);
    tag(0, "small");
    EXPECT_THAT(message_of([&] { make({.models = {"gamma"}, .by_tag = true}); }, ErrorCode::usage),
                testing::AllOf(HasSubstr("no selected image of these classifiers has a tag"),
                               testing::Not(HasSubstr("mad select"))));
    EXPECT_EQ(make({.by_tag = true}).sheets.size(), 1U);
}

TEST_F(MadGallery, SaysWhatIsWrong) {
    EXPECT_THAT(message_of([&] { make(); }, ErrorCode::usage), HasSubstr("assay mad select"));
    pair(1, 0, 1);
    EXPECT_THAT(message_of([&] { make(); }, ErrorCode::usage), HasSubstr("assay mad select"));
    EXPECT_THAT(message_of([&] { make({.side = 31}); }, ErrorCode::usage), HasSubstr("32 to 1024"));
    EXPECT_THAT(message_of([&] { make({.columns = 0}); }, ErrorCode::usage), HasSubstr("1 to 50"));
    select(1, 0, 0, 3, 1);  // the first classifier predicts cat
    EXPECT_THAT(message_of([&] { make(); }), HasSubstr("`alpha` predicts a different label"));
}

/// Names that only differ after the length limit of file names, or in characters that file names
/// may not have.
class MadGalleryNames : public MadGallery {
protected:
    MadGalleryNames()
        : MadGallery({std::string(190, 'n') + "1", std::string(190, 'n') + "2", "a b:\u00e9",
                      "a_b_\u00e9"}) {}
};

TEST_F(MadGalleryNames, GiveFilesOfTheirOwnInTheFolder) {
    int id = 0;
    for (int first = 0; first < 4; ++first) {
        for (int second = first + 1; second < 4; ++second) {
            pair(++id, first, second);
            select(id, 0, 0, first, second);
        }
    }
    const Gallery gallery = make();
    std::set<std::string> files;
    for (const GallerySheet& sheet : gallery.sheets) {
        EXPECT_EQ(sheet.file.parent_path(), out_);
        EXPECT_TRUE(fs::is_regular_file(sheet.file)) << sheet.file;
        files.insert(sheet.file.filename());
    }
    EXPECT_EQ(files.size(), 6U);
    EXPECT_EQ(std::distance(fs::directory_iterator(out_), fs::directory_iterator()), 6);
}

}  // namespace
}  // namespace assay::mad
