#include "assay/patchml/composites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "data/temp_folder.h"
#include "made_images.h"
#include "message_of.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Rgb black{0, 0, 0};

/// Every file below a folder.
std::map<std::string, std::string> files_of(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files[entry.path().lexically_relative(folder).string()] = read_text(entry.path());
        }
    }
    return files;
}

std::vector<std::map<std::string, std::string>> rows_of(const fs::path& path) {
    const std::string text = read_text(path);
    CsvReader reader(text, path.string());
    std::vector<std::map<std::string, std::string>> rows;
    while (reader.next()) {
        rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c)
            rows.back()[reader.columns()[c]] = reader[c];
    }
    return rows;
}

std::string refused(const PatchPool& pool, const CompositeOptions& options, const fs::path& folder,
                    ErrorCode code = ErrorCode::usage) {
    return message_of([&] { make_composites(pool, options, folder); }, code);
}

/// Images of one colour each and many shapes, with one patch for each image.
class Composites : public testing::Test {
protected:
    explicit Composites(std::size_t images = 23) {
        std::vector<std::int32_t> classes;
        for (std::size_t i = 0; i < images; ++i)
            classes.push_back(static_cast<std::int32_t>(i % 5));
        pool_ = paper_pool(classes, 5);
        pool_.root = folder_ / "pics";
        for (std::size_t i = 0; i < images; ++i) {
            const int width = 3 + static_cast<int>(i * 7 % 11),
                      height = 3 + static_cast<int>(i * 5 % 13);
            save(one_colour(width, height, colour_of(i)),
                 pool_.root / std::string(pool_.images[i]));
            pool_.sizes[i] = {width, height};
            pool_.patches[i].width = width;
            pool_.patches[i].height = height;
        }
        options_.grids = {{2, 16}, {4, 16}, {9, 10}};
        options_.canvas = 32;
        options_.threads = 1;
    }
    TempFolder folder_;
    PatchPool pool_;
    CompositeOptions options_;
};

// An image of one colour keeps its colour when it is resized, so every pixel of a composite is
// known.
TEST_F(Composites, EveryPixelIsWhereItBelongs) {
    for (const Grid& grid : options_.grids) {
        const auto plan = plan_composites(pool_, grid, options_);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            const Image made = compose(pool_, plan, i, options_);
            ASSERT_EQ(made.width, 32);
            Image expected = one_colour(32, 32, black);
            const auto places = place_patches(pool_, plan, i, options_);
            for (std::size_t j = 0; j < places.size(); ++j) {
                const Rgb colour = colour_of(plan.patches[i * places.size() + j]);
                for (int y = places[j].y; y < places[j].y + places[j].height; ++y) {
                    for (int x = places[j].x; x < places[j].x + places[j].width; ++x) {
                        std::copy(colour.begin(), colour.end(),
                                  expected.pixels.begin() + 4 * (32 * y + x));
                    }
                }
            }
            EXPECT_EQ(made.pixels, expected.pixels) << grid.k << " " << i;
        }
    }
}

// Pixels around a box must not affect its patch. The patch equals the resized crop.
TEST_F(Composites, OnlyTheBoxIsResized) {
    Image image = one_colour(20, 20, {0, 255, 0});
    for (int y = 5; y < 12; ++y) {
        for (int x = 3; x < 13; ++x) {
            std::uint8_t* p = image.pixels.data() + 4 * (20 * y + x);
            p[0] = static_cast<std::uint8_t>(255 - 9 * x);
            p[1] = 0;
            p[2] = static_cast<std::uint8_t>(20 * y);
        }
    }
    save(image, folder_ / "pics/one.png");
    PatchPool pool = paper_pool({0}, 1, 20, 20);
    pool.root = folder_ / "pics";
    pool.images = {};
    pool.images.append("one.png");
    pool.patches[0] = {.image = 0, .cls = 0, .x = 3, .y = 5, .width = 10, .height = 7};
    const auto plan = plan_composites(pool, {1, 32}, options_);
    const Image made = compose(pool, plan, 0, options_);
    for (int y = 0; y < 32; ++y) {
        for (int x = 0; x < 32; ++x) EXPECT_EQ(pixel(made, x, y)[1], 0);
    }
    Image cut{10, 7, {}};
    for (int y = 5; y < 12; ++y) {
        const auto from = image.pixels.begin() + 4 * (20 * y + 3);
        cut.pixels.insert(cut.pixels.end(), from, from + 40);
    }
    const auto at = place_patches(pool, plan, 0, options_).front();
    EXPECT_EQ(std::pair(at.width, at.height), std::pair(32, 22));  // the size is 32 * 7 / 10 = 22.4
    const Image resized = resize(cut, Interpolation::bicubic, {.width = 32, .height = 22});
    for (int y = 0; y < 22; ++y) {
        for (int x = 0; x < 32; ++x)
            EXPECT_EQ(pixel(made, at.x + x, at.y + y), pixel(resized, x, y));
    }
}

TEST_F(Composites, AreAnOrdinaryDataSet) {
    const CompositeReport report = make_composites(pool_, options_, folder_ / "out/set");
    EXPECT_EQ(report.composites, 11U + 5U + 2U);  // the number is floor(23 / k)
    EXPECT_FALSE(report.was_there);
    std::vector<std::string> notes;
    const Dataset dataset =
        open_dataset(folder_ / "out/set", {.classes = numbered_classes(5)}, &notes);
    ASSERT_EQ(dataset.size(), 18U);
    EXPECT_EQ(dataset.name, "set");
    EXPECT_EQ(dataset.ids[0], "k2-p16/000000.png");
    ASSERT_EQ(dataset.attributes.size(), 3U);
    EXPECT_EQ(dataset.attributes[2].name, "label_count");
    // The labels are the union over the patches in the manifest.
    std::map<std::string, std::set<std::int32_t>> unions;
    std::map<std::string, std::set<std::string>> sources;
    const auto manifest = rows_of(folder_ / "out/set/manifest.csv");
    EXPECT_EQ(manifest.size(), 11U * 2 + 5 * 4 + 2 * 9);
    for (const auto& row : manifest) {
        unions[row.at("path")].insert(std::stoi(row.at("class")));
        EXPECT_TRUE(sources[row.at("k")].insert(row.at("image")).second) << "drawn twice";
        const Image made = load_image(folder_ / "out/set" / row.at("path"));
        const auto source = static_cast<std::size_t>(std::stoi(row.at("image").substr(1)));
        const int x = std::stoi(row.at("x")), y = std::stoi(row.at("y"));
        EXPECT_EQ(pixel(made, x, y), colour_of(source));
        EXPECT_EQ(
            pixel(made, x + std::stoi(row.at("width")) - 1, y + std::stoi(row.at("height")) - 1),
            colour_of(source));
        EXPECT_EQ(std::stoi(row.at("xmax")), pool_.sizes[source].width);
    }
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const auto& expected = unions.at(std::string(dataset.ids[i]));
        EXPECT_EQ(std::set<std::int32_t>(dataset.labels[i].begin(), dataset.labels[i].end()),
                  expected);
        EXPECT_EQ(dataset.attributes[2].values[i], std::to_string(expected.size()));
    }
    const auto record = nlohmann::json::parse(read_text(folder_ / "out/set/patchml.json"));
    EXPECT_EQ(record["made"][0]["composites"], 11);
    EXPECT_EQ(record["seed"], 1);
    EXPECT_FALSE(fs::exists(folder_ / "out/.set.partial"));
    EXPECT_FALSE(fs::exists(folder_ / "out/set/settings.json"));
    EXPECT_FALSE(fs::exists(folder_ / "out/set/rejected.csv"));
}

TEST_F(Composites, SameBytesForAnyThreadsAndCache) {
    make_composites(pool_, options_, folder_ / "one");
    const auto expected = files_of(folder_ / "one");
    EXPECT_EQ(expected.size(), 18U + 3);
    for (const int threads : {2, 3, 7}) {
        for (const std::size_t cache_bytes :
             {std::size_t{0}, std::size_t{6000}, std::size_t{1} << 20}) {
            options_.threads = threads;
            options_.cache_bytes = cache_bytes;
            const auto name = "t" + std::to_string(threads) + "-" + std::to_string(cache_bytes);
            const auto cache = make_patch_cache(pool_, options_);
            const auto report = make_composites(pool_, options_, folder_ / name, cache);
            EXPECT_EQ(files_of(folder_ / name), expected) << name;
            if (cache_bytes == 0) {
                EXPECT_EQ(report.cache_hits, 0U);
            }
            EXPECT_EQ(report.decodes + report.cache_hits, 11U * 2 + 5 * 4 + 2 * 9);
        }
    }
    // Two grids share p = 16. On one thread, the second finds every patch of the first in the
    // cache.
    options_.threads = 1;
    const auto of_first = plan_composites(pool_, options_.grids[0], options_).patches;
    const auto of_second = plan_composites(pool_, options_.grids[1], options_).patches;
    const auto shared = std::count_if(of_second.begin(), of_second.end(), [&](std::uint32_t patch) {
        return std::find(of_first.begin(), of_first.end(), patch) != of_first.end();
    });
    const auto cache = make_patch_cache(pool_, options_);
    EXPECT_EQ(make_composites(pool_, options_, folder_ / "cached", cache).cache_hits,
              static_cast<std::uint64_t>(shared));
    options_.seed = 2;
    make_composites(pool_, options_, folder_ / "two");
    EXPECT_NE(files_of(folder_ / "two"), expected);
    CompositeOptions other = options_;
    other.interpolation = Interpolation::box;
    EXPECT_THROW(
        make_composites(pool_, other, folder_ / "three", make_patch_cache(pool_, options_)), Error);
}

// The pixels of JPEG are close to those of PNG, and its files belong to the data set.
TEST_F(Composites, AsJpeg) {
    make_composites(pool_, options_, folder_ / "png");
    options_.jpeg_quality = 95;
    const CompositeReport made = make_composites(pool_, options_, folder_ / "jpeg");
    EXPECT_EQ(made.composites, make_composites(pool_, options_, folder_ / "jpeg").composites);
    const auto rows = rows_of(folder_ / "jpeg/labels.csv");
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].at("path"), "k2-p16/000000.jpg");
    EXPECT_EQ(rows_of(folder_ / "jpeg/manifest.csv")[0].at("path"), "k2-p16/000000.jpg");
    const Dataset dataset = open_dataset(folder_ / "jpeg", {});
    EXPECT_EQ(dataset.size(), rows.size());
    for (const std::string name : {"k2-p16/000000", "k9-p10/000001"}) {
        const Image a = load_image(folder_ / ("png/" + name + ".png")),
                    b = load_image(folder_ / ("jpeg/" + name + ".jpg"));
        double sum = 0;
        for (std::size_t i = 0; i < a.pixels.size(); ++i)
            sum += std::abs(static_cast<double>(a.pixels[i]) - b.pixels[i]);
        EXPECT_LT(sum / static_cast<double>(a.pixels.size()), 4.0) << name;
        EXPECT_GT(sum, 0.0);
    }
    // Another quality or format makes another data set.
    options_.jpeg_quality = 90;
    EXPECT_THAT(refused(pool_, options_, folder_ / "jpeg"), HasSubstr("jpeg_quality is "));
    EXPECT_THAT(refused(pool_, options_, folder_ / "png"), HasSubstr("jpeg_quality"));
}

TEST_F(Composites, PatchesOfOneImageAreDecodedOnce) {
    for (auto& patch : pool_.patches)
        patch = {.image = 0, .cls = patch.cls, .x = 1, .y = 1, .width = 2, .height = 2};
    options_.grids = {{4, 16}};
    EXPECT_EQ(make_composites(pool_, options_, folder_ / "set").decodes, 5U);
}

TEST_F(Composites, InterruptedGoesOn) {
    make_composites(pool_, options_, folder_ / "whole");
    CompositeOptions stopping = options_;
    stopping.progress = [](const Progress& progress) {
        if (progress.done == 7) throw Error(ErrorCode::interrupted, "stop here");
    };
    EXPECT_THROW(make_composites(pool_, stopping, folder_ / "set"), Error);
    EXPECT_FALSE(fs::exists(folder_ / "set"));
    const fs::path partial = folder_ / ".set.partial";
    // A kill or a system crash may leave half a file, a damaged file, and one with the
    // size of another.
    std::ofstream(partial / "k2-p16/.000007.png.0.tmp") << "half";
    fs::resize_file(partial / "k2-p16/000001.png", 40);
    save(one_colour(31, 32, black), partial / "k2-p16/000002.png");
    const CompositeReport report = make_composites(pool_, options_, folder_ / "set");
    EXPECT_EQ(report.found, 7U - 2);
    EXPECT_EQ(files_of(folder_ / "set"), files_of(folder_ / "whole"));
    EXPECT_FALSE(fs::exists(partial));
}

// The run was killed while it wrote its settings. Without them, its temporary files must still not
// count as images.
TEST_F(Composites, NoLeftoverEndsInAFinishedDataSet) {
    make_composites(pool_, options_, folder_ / "whole");
    const fs::path partial = folder_ / ".set.partial";
    fs::create_directories(partial / "k2-p16");
    for (const char* name : {".settings.json.1.0.tmp", ".lock", "k2-p16/.000007.png.1.3.tmp"})
        std::ofstream(partial / name) << "half";
    make_composites(pool_, options_, folder_ / "set");
    EXPECT_EQ(files_of(folder_ / "set"), files_of(folder_ / "whole"));
}

TEST_F(Composites, NothingIsOverwritten) {
    const fs::path set = folder_ / "set";
    make_composites(pool_, options_, set);
    const auto before = files_of(set);
    options_.threads = 3;  // this is not a setting of the data set
    EXPECT_TRUE(make_composites(pool_, options_, set.string() + "/").was_there);
    CompositeOptions other = options_;
    other.seed = 2;
    other.interpolation = Interpolation::box;
    EXPECT_THAT(refused(pool_, other, set),
                HasSubstr("was made with other settings (interpolation is \"bicubic\", not "
                          "\"box\"; seed is 1, not 2)"));
    EXPECT_EQ(files_of(set), before);
    folder_.write("else/photo.jpg", "x");
    EXPECT_THAT(refused(pool_, options_, folder_ / "else"),
                HasSubstr("exists but has no patchml.json"));
    // An unfinished data set with other settings is not deleted.
    other.progress = [](const Progress&) { throw Error(ErrorCode::interrupted, "stop"); };
    EXPECT_THAT(refused(pool_, other, folder_ / "new", ErrorCode::interrupted), HasSubstr("stop"));
    EXPECT_THAT(refused(pool_, options_, folder_ / "new"),
                HasSubstr("an unfinished data set with other settings"));
    fs::resize_file(set / "patchml.json", 10);
    EXPECT_THAT(refused(pool_, options_, set, ErrorCode::bad_input), HasSubstr("damaged JSON"));
}

TEST_F(Composites, RefusedBeforeAnythingIsWritten) {
    options_.grids = {{2, 16}, {5, 16}};  // there are 4 cells
    EXPECT_THAT(refused(pool_, options_, folder_ / "set"),
                HasSubstr("k = 5, p = 16: k p^2 = 1280 is more than"));
    EXPECT_FALSE(fs::exists(folder_ / "set"));
    EXPECT_FALSE(fs::exists(folder_ / ".set.partial"));
}

TEST_F(Composites, ImagesThatChangeAreAnError) {
    save(one_colour(40, 40, black), pool_.root / "p3.png");
    EXPECT_THAT(refused(pool_, options_, folder_ / "set", ErrorCode::bad_input),
                testing::AllOf(HasSubstr("p3.png changed: it had"), HasSubstr("now has 40 x 40"),
                               HasSubstr("while making composite k2-p16/")));
    fs::remove(pool_.root / "p3.png");
    EXPECT_THAT(refused(pool_, options_, folder_ / "set", ErrorCode::bad_input),
                HasSubstr("p3.png"));
}

TEST_F(Composites, ClassNamesWithBlanksComeBack) {
    pool_.classes = ClassList({"cat", "great white shark", "traffic light", "a,b", "dog"});
    make_composites(pool_, options_, folder_ / "set");
    const Dataset known = open_dataset(folder_ / "set", {.classes = pool_.classes});
    const Dataset unknown = open_dataset(folder_ / "set", {});
    EXPECT_THAT(unknown.classes.ids(),
                ElementsAre("a,b", "cat", "dog", "great white shark", "traffic light"));
    for (std::size_t i = 0; i < known.size(); ++i) {
        std::set<std::string> a, b;
        for (const auto c : known.labels[i])
            a.insert(known.classes.id(static_cast<std::size_t>(c)));
        for (const auto c : unknown.labels[i])
            b.insert(unknown.classes.id(static_cast<std::size_t>(c)));
        EXPECT_EQ(a, b);
        EXPECT_EQ(std::to_string(a.size()), known.attributes[2].values[i]);
    }
}

// A composite of `hot` and `dog` does not get the class `hot dog`.
TEST_F(Composites, TwoLabelsAreNotOneClass) {
    pool_.classes = ClassList({"dog", "hot", "dog hot", "ant", "cat"});
    options_.grids = {{2, 16}};
    make_composites(pool_, options_, folder_ / "set");
    const Dataset made = open_dataset(folder_ / "set", {.classes = pool_.classes});
    const auto plan = plan_composites(pool_, options_.grids[0], options_);
    bool met = false;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        std::set<std::int32_t> drawn;
        for (std::size_t j = 0; j < 2; ++j)
            drawn.insert(pool_.patches[plan.patches[2 * i + j]].cls);
        met = met || drawn == std::set<std::int32_t>{0, 1};
        EXPECT_EQ(std::set<std::int32_t>(made.labels[i].begin(), made.labels[i].end()), drawn) << i;
    }
    EXPECT_TRUE(met);
}

TEST_F(Composites, WhatWasLeftOutIsBesideThem) {
    pool_.rejected.push_back({.fault = BoxFault::reversed,
                              .where = "b.csv line 3",
                              .image = "x",
                              .cls = "0",
                              .detail = "d"});
    make_composites(pool_, options_, folder_ / "set");
    EXPECT_EQ(read_text(folder_ / "set/rejected.csv"),
              "fault,where,image,class,detail\nreversed,b.csv line 3,x,0,d\n");
    EXPECT_EQ(nlohmann::json::parse(
                  read_text(folder_ / "set/patchml.json"))["boxes"]["rejected"]["reversed"],
              1);
}

}  // namespace
}  // namespace assay
