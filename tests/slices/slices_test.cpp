// Which slices are found, with their numbers, and which requests are refused.
#include "assay/slices/slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>
#include <variant>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/report.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/statistics.h"
#include "made_slices.h"
#include "message_of.h"
#include "slices/search.h"
#include "store/image_check.h"

namespace assay::slices {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

TEST(Slices, FindsAValueWithTheNumbersOfTheSecondHalf) {
    const Scratch folder;
    const Made made = world(1200, 1, low_group);
    save(folder, made, "a");
    const SliceResult result = find_slices(options_of(folder));
    ASSERT_EQ(result.models.size(), 1U);
    const SlicedModel& model = result.models[0];
    ASSERT_EQ(names_of(model), std::set<std::string>{"group=b"});
    const FoundSlice& found = model.found[0];
    std::uint64_t hits = 0, images = 0, rest_hits = 0, rest = 0, all = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        all += made.group[i] == "b" ? 1 : 0;
        const std::string id = fmt::format("item{:05}", i);
        if (RandomStream(0, "slices half of " + id).uniform() < 0.5) continue;
        const float* row = made.scores.data() + 4 * i;
        const bool hit = std::max_element(row, row + 4) - row == made.labels[i][0];
        (made.group[i] == "b" ? images : rest) += 1;
        (made.group[i] == "b" ? hits : rest_hits) += hit ? 1 : 0;
    }
    EXPECT_EQ(found.images, all);
    EXPECT_EQ(found.accuracy.n, images);
    EXPECT_EQ(found.accuracy.value, static_cast<double>(hits) / static_cast<double>(images));
    EXPECT_EQ(found.accuracy.interval, wilson(hits, images, 0.95));
    EXPECT_EQ(found.rest.value, static_cast<double>(rest_hits) / static_cast<double>(rest));
    EXPECT_EQ(model.second, images + rest);
    const double p = LowerTest(1200)({hits, images}, {hits + rest_hits, images + rest});
    EXPECT_EQ(found.p, std::min(1.0, p * static_cast<double>(model.selected)));
    EXPECT_EQ(found.conditions[0].by, "group");
    EXPECT_EQ(found.conditions[0].value, "b");
}

TEST(Slices, ExamplesAreTheMostConfidentErrors) {
    const Scratch folder;
    const Made made = world(1200, 1, low_group);
    save(folder, made, "a");
    SliceOptions options = options_of(folder);
    options.examples = 2;
    const FoundSlice found = find_slices(options).models[0].found.at(0);
    std::vector<std::pair<float, std::string>> errors;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const float* row = made.scores.data() + 4 * i;
        const float* best = std::max_element(row, row + 4);
        if (made.group[i] == "b" && best - row != made.labels[i][0])
            errors.emplace_back(-*best, fmt::format("item{:05}", i));
    }
    std::ranges::sort(errors);
    EXPECT_EQ(found.incorrect, errors.size());
    EXPECT_THAT(found.examples, ElementsAre(errors[0].second, errors[1].second));
}

TEST(Slices, FindsAPairWithoutItsValues) {
    const Scratch folder;
    save(folder,
         world(2400, 2,
               [](const Made& made, std::size_t i) {
                   return made.group[i] == "b" && made.shape[i] == "y" ? 0.5 : 0.9;
               }),
         "a");
    const SlicedModel model = find_slices(options_of(folder)).models[0];
    EXPECT_EQ(names_of(model), std::set<std::string>{"group=b,shape=y"});
}

TEST(Slices, AttributesOfTheLabelMakeNoPairsWithThePredictedClass) {
    const Scratch folder;
    Made made = world(1200, 1, [](const Made&, std::size_t) { return 0.6; });
    for (std::size_t i = 0; i < made.rows(); ++i) made.shape[i] = made.labels[i][0] < 2 ? "x" : "y";
    save(folder, made, "a");
    const std::set<std::string> names = names_of(find_slices(options_of(folder)).models[0]);
    EXPECT_THAT(names, Not(Contains(HasSubstr(",predicted="))));
}

TEST(Slices, EveryModelHasItsOwnAndThreadsChangeNothing) {
    const Scratch folder;
    save(folder, world(1200, 1, low_group), "a");
    Made other = world(
        1200, 1, [](const Made& made, std::size_t i) { return made.shape[i] == "y" ? 0.6 : 0.9; });
    save(folder, world(1200, 1, low_group), "b");
    other.dataset = "test";
    save(folder, other, "a");
    SliceOptions options = options_of(folder);
    options.threads = 1;
    const SliceResult one = find_slices(options);
    ASSERT_EQ(one.models.size(), 3U);
    for (const SlicedModel& model : one.models)
        EXPECT_EQ(names_of(model),
                  std::set<std::string>{model.dataset == "val" ? "group=b" : "shape=y"})
            << model.dataset;
    options.threads = 7;
    EXPECT_EQ(report_of(one).result, report_of(find_slices(options)).result);
}

TEST(Slices, ReducedAndPartialStoresAreRead) {
    const Made made = world(1200, 1, low_group);
    for (const StorageFormat storage : {StorageFormat::label, StorageFormat::top_k}) {
        const Scratch folder;
        save(folder, made, "a", storage, 1200);
        const SliceResult result = find_slices(options_of(folder));
        EXPECT_EQ(names_of(result.models[0]), std::set<std::string>{"group=b"});
        EXPECT_EQ(result.models[0].found[0].examples.size(), 3U);
    }
    const Scratch folder;
    save(folder, made, "a", StorageFormat::full_f32, 200, true);
    SliceOptions options = options_of(folder);
    options.examples = 0;
    const SliceResult result = find_slices(options);
    EXPECT_EQ(result.not_scored, 200U);
    EXPECT_EQ(result.models[0].first + result.models[0].second, 1000U);
    EXPECT_TRUE(result.models[0].found.at(0).examples.empty());
    const Report report = report_of(result);
    const auto& table = std::get<Table>(report.sections[0].blocks[0]);
    EXPECT_EQ(table.columns.back().name, "p");
}

TEST(Slices, LabelSetsMakeSlicesAndDecideWhatIsCorrect) {
    const Scratch folder;
    Made made = world(1200, 3, [](const Made&, std::size_t) { return 0.7; });
    // Half of the images have two labels, and the prediction is one of them.
    for (std::size_t i = 0; i < made.rows(); i += 2) {
        const float* row = made.scores.data() + 4 * i;
        const auto best = static_cast<std::int32_t>(std::max_element(row, row + 4) - row);
        made.labels[i] = {std::min(best, (best + 1) % 4), std::max(best, (best + 1) % 4)};
    }
    save(folder, made, "a");
    const SliceResult result = find_slices(options_of(folder));
    EXPECT_THAT(names_of(result.models[0]), Contains("number of labels=1"));
    for (const FoundSlice& one : result.models[0].found) {
        if (one.name == "number of labels=1") {
            EXPECT_EQ(one.rest.value, 1);
        }
    }
}

TEST(Slices, LabelsFromAFileDecide) {
    const Scratch folder;
    const Made made = world(1200, 1, low_group);
    save(folder, made, "a");
    std::ofstream file(folder / "labels.csv");
    file << "item,labels\n";
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const float* row = made.scores.data() + 4 * i;
        file << fmt::format("item{:05},c{}\n", i, std::max_element(row, row + 4) - row);
    }
    file.close();
    SliceOptions options = options_of(folder);
    options.labels = folder / "labels.csv";
    const SlicedModel model = find_slices(options).models[0];
    EXPECT_TRUE(model.found.empty());
    EXPECT_EQ(model.accuracy.value, 1);
    const Report report = report_of(find_slices(options));
    EXPECT_THAT(std::get<std::string>(report.sections[0].blocks[0]),
                HasSubstr("no slice is less accurate"));
    EXPECT_EQ(report.records.rows.size(), 0U);
    EXPECT_GT(report.records.columns.size(), 5U);
}

TEST(Slices, ImagesWithoutScoresOrValuesAreCounted) {
    const Scratch folder;
    Made made = world(1200, 1, low_group);
    made.states.assign(made.rows(), RowState::ok);
    made.states[5] = RowState::unreadable;
    made.labels[7].clear();
    made.group[9].clear();
    save(folder, made, "a");
    const SliceResult result = find_slices(options_of(folder));
    EXPECT_EQ(result.not_scored, 1U);
    EXPECT_TRUE(report_of(result).partial);
    EXPECT_EQ(result.models[0].first + result.models[0].second, 1198U);
    EXPECT_THAT(result.notes, Contains(HasSubstr("2 images without scores or valid classes")));
    EXPECT_THAT(result.notes, Contains(HasSubstr("1 image has no `group`")));
    ASSERT_FALSE(result.facets.empty());
    EXPECT_EQ(result.facets[0].by, "group");
    EXPECT_EQ(result.facets[0].values, 3U);
    EXPECT_EQ(result.facets[0].without, 1U);

    // 1,199 different numbers only make quartiles.
    for (std::size_t i = 0; i < made.rows(); ++i)
        if (i != 9) made.group[i] = std::to_string(i);
    made.dataset = "numbers";
    save(folder, made, "a");
    SliceOptions options;
    options.stores = {folder / "runs/numbers"};
    EXPECT_THAT(find_slices(options).notes, Contains(HasSubstr("1 image has no `group`")));
}

void write(const fs::path& file, std::string_view text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}
std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> picture(std::size_t i, bool dark) {
    Image image{.width = 4, .height = 4, .pixels = {}};
    for (int p = 0; p < 16; ++p) {
        const auto value = static_cast<std::uint8_t>((dark ? 10 : 150) + (i * 7 + p) % 90);
        image.pixels.insert(image.pixels.end(), {value, value, value, 255});
    }
    return encode_png(image);
}

/// The data of low_group with images, where those of group b are dark.
Made with_images(const Scratch& folder) {
    Made made = world(600, 1, low_group);
    made.root = folder / "photos";
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const std::vector<std::byte> bytes = picture(i, made.group[i] == "b");
        made.ids.push_back(fmt::format("item{:05}.png", i));
        made.files.push_back(store::image_file(bytes.size(), hash_bytes(bytes)));
        write(folder / ("photos/" + made.ids.back()), text_of(bytes));
    }
    made.group.clear();
    return made;
}

TEST(Slices, DarkImagesAreASlice) {
    const Scratch folder;
    save(folder, with_images(folder), "a");
    const SliceResult result = find_slices(options_of(folder));
    std::set<std::string> facets;
    for (const SliceFacet& facet : result.facets) facets.insert(facet.by);
    // All images have the same size.
    EXPECT_EQ(facets, (std::set<std::string>{"shape", "brightness", "sharpness", "label"}));
    ASSERT_FALSE(result.models[0].found.empty());
    EXPECT_EQ(result.models[0].found[0].conditions[0].by, "brightness");
    SliceOptions options = options_of(folder);
    options.without_images = true;
    EXPECT_TRUE(find_slices(options).models[0].found.empty());
}

TEST(Slices, UnreadableImagesAreInNoSliceOfTheirPixels) {
    const Scratch folder;
    Made made = with_images(folder);
    made.files.clear();
    save(folder, made, "a");
    fs::remove(folder / "photos/item00000.png");
    write(folder / "photos/item00003.png", "no image");
    const SliceResult result = find_slices(options_of(folder));
    EXPECT_THAT(result.notes, Contains(HasSubstr("2 images cannot be read, and are in no slice")));
    EXPECT_THAT(result.notes, Contains(HasSubstr("(first: item00000.png: ")));
    for (const SliceFacet& facet : result.facets)
        EXPECT_EQ(facet.without, facet.kind == "image" ? 2U : 0U) << facet.by;
}

std::size_t decoded_images(const SliceOptions& options) {
    std::size_t images = 0;
    find_slices(options, [&](const Progress&) { ++images; });
    return images;
}

TEST(Slices, DataSetsWithTheSameImagesDecodeThemOnce) {
    const Scratch folder;
    Made made = with_images(folder);
    save(folder, made, "a");
    SliceOptions options = options_of(folder);
    const SliceResult alone = find_slices(options);
    made.shape.clear();
    save(folder, made, "b", StorageFormat::full_f32, 100, false, "other");
    options.stores.push_back(folder / "other");
    EXPECT_EQ(decoded_images(options), 600U);
    const SliceResult both = find_slices(options);
    ASSERT_EQ(both.models.size(), 2U);
    EXPECT_EQ(both.models[0].found[0].name, alone.models[0].found[0].name);
    EXPECT_EQ(both.models[1].found.at(0).conditions[0].by, "brightness");
    options.stores = {folder / "other"};
    EXPECT_EQ(find_slices(options).models[0].found[0].accuracy.value,
              both.models[1].found[0].accuracy.value);

    // The same files in another folder are other images.
    fs::copy(folder / "photos", folder / "copy");
    made.root = folder / "copy";
    save(folder, made, "c", StorageFormat::full_f32, 100, false, "copied");
    options.stores = {folder / "runs", folder / "copied"};
    EXPECT_EQ(decoded_images(options), 1200U);
}

TEST(Slices, KnownStatisticsReplaceNoComparisonWithTheRecord) {
    const Scratch folder;
    Made made = with_images(folder);
    const std::vector<ImageFile> files = std::exchange(made.files, {});
    save(folder, made, "a");
    made.shape.clear();
    made.files = files;
    save(folder, made, "b", StorageFormat::full_f32, 100, false, "other");
    write(folder / "photos/item00003.png", text_of(picture(9, true)));
    SliceOptions options = options_of(folder);
    find_slices(options);  // this store has no record
    options.stores.push_back(folder / "other");
    EXPECT_THAT(message_of([&] { find_slices(options); }), HasSubstr("item00003.png is another"));
}

std::string text_of_block(const SliceResult& result, std::size_t block) {
    const Report report = report_of(result);
    return std::get<std::string>(report.sections[0].blocks.at(block));
}

TEST(Slices, OnlyFacetsOfTestedSlicesAreNamed) {
    const Scratch folder;
    Made made = world(1200, 1, low_group);
    for (std::size_t i = 0; i < made.rows(); ++i)
        made.texture.push_back(fmt::format("t{}", i % 60));  // 20 images in each of both halves
    save(folder, made, "a");
    EXPECT_EQ(text_of_block(find_slices(options_of(folder)), 1),
              "slices are by group, shape, label, predicted class, and by pairs of these");

    // One value of two has 20 images in each half, but the other values have too few.
    Made few;
    few.classes = 2;
    few.dataset = "few";
    for (std::size_t i = 0; i < 100; ++i) {
        few.group.emplace_back(i < 10 ? "a" : "b");
        few.labels.push_back({0});
        few.scores.insert(few.scores.end(), {i % 2 == 0 ? 1.F : 0.F, 0.5F});
    }
    save(folder, few, "a");
    SliceOptions options;
    options.stores = {folder / "runs/few"};
    SliceResult result = find_slices(options);
    EXPECT_GT(result.models[0].tested, 0U);
    EXPECT_EQ(text_of_block(result, 1), "slices are by predicted class");

    few.dataset = "none";
    for (std::size_t i = 0; i < 100; ++i) few.scores[2 * i] = 2;
    save(folder, few, "a");
    options.stores = {folder / "runs/none"};
    result = find_slices(options);
    ASSERT_EQ(result.models[0].tested, 0U);
    EXPECT_EQ(text_of_block(result, 0),
              "a on none: no slice is large enough to test; it needs 20 images in each half, and "
              "so do the others");
    EXPECT_THAT(text_of_block(result, 1), HasSubstr("name the images with -d DATA"));
}

TEST(Slices, ImagesInAnArchiveAreReadInPlace) {
    const Scratch folder;
    Made made = world(600, 1, low_group);
    made.root = folder.path();
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (600, 8, 8), }";
    header.resize(117, ' ');
    // NumPy's format 1.0, with a header of 118 bytes.
    std::string file = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n';
    for (std::size_t i = 0; i < made.rows(); ++i) {
        made.ids.push_back(fmt::format("photos.npy/{}", i));
        for (std::size_t p = 0; p < 64; ++p) file += static_cast<char>((i * 7 + p) % 90);
    }
    write(folder / "photos.npy", file);
    save(folder, made, "a");
    const auto facets = [&] {
        std::set<std::string> names;
        const SliceResult result = find_slices(options_of(folder));
        for (const SliceFacet& facet : result.facets) names.insert(facet.by);
        return names;
    };
    EXPECT_THAT(facets(), Contains("brightness"));
    fs::remove(folder / "photos.npy");
    EXPECT_THAT(facets(), Not(Contains("brightness")));
}

TEST(Slices, ImagesAreThoseOfData) {
    const Scratch folder;
    save(folder, with_images(folder), "a");
    fs::rename(folder / "photos", folder / "moved");
    SliceOptions options = options_of(folder);
    EXPECT_THAT(find_slices(options).notes, Contains(HasSubstr("`item00000.png` is no file in")));
    options.data = folder / "moved";
    const SliceResult result = find_slices(options);
    EXPECT_EQ(result.models[0].found.at(0).conditions[0].by, "brightness");

    // A column of the list is an attribute.
    std::string list = "path,camera\n";
    for (std::size_t i = 0; i < 600; ++i)
        list += fmt::format("item{:05}.png,{}\n", i, i % 2 == 0 ? "old" : "new");
    write(folder / "moved/labels.csv", list);
    std::set<std::string> facets;
    for (const SliceFacet& facet : find_slices(options).facets) facets.insert(facet.by);
    EXPECT_THAT(facets, Contains("camera"));
    // The column may also define the clusters.
    options.cluster = "camera";
    EXPECT_THAT(message_of([&] { find_slices(options); }), HasSubstr("are of 2 clusters by"));
    options.cluster.clear();

    const std::vector<std::byte> other = picture(0, true);
    write(folder / "moved/item00003.png", text_of(other));
    write(folder / "moved/item00004.png", "no image");
    EXPECT_THAT(message_of([&] { find_slices(options); }), HasSubstr("item00003.png is another"));
}

TEST(Slices, RefusesWhatCannotBeSliced) {
    const auto even = [](const Made&, std::size_t) { return 0.8; };
    {
        const Scratch folder;
        save(folder, world(79, 1, even), "a");
        EXPECT_THAT(message_of([&] { find_slices(options_of(folder)); }),
                    HasSubstr("79 of its images have scores and labels"));
    }
    {
        const Scratch folder;
        Made made = world(100, 1, even);
        made.labels[3] = {4};
        made.named = false;
        save(folder, made, "a");
        EXPECT_THAT(message_of([&] { find_slices(options_of(folder)); }),
                    HasSubstr("`item00003` has the label 4"));
    }
    {
        const Scratch folder;
        Made made = with_images(folder);
        save(folder, made, "a");
        write(folder / "others/x.png", read_text(folder / "photos/item00001.png"));
        SliceOptions options = options_of(folder);
        options.data = folder / "others";
        EXPECT_THAT(message_of([&] { find_slices(options); }),
                    HasSubstr("has none of the images of"));
        made.dataset = "test";
        save(folder, made, "a");
        EXPECT_THAT(
            message_of([&] { find_slices(options); }, ErrorCode::usage),
            AllOf(HasSubstr("--data is about one data set"), HasSubstr("(test, val)"),
                  HasSubstr(fmt::format("assay slices {} -d ", (folder / "runs/test").string()))));
        // Two data sets have the same name.
        made.dataset = "val";
        made.shape.clear();
        save(folder, made, "a", StorageFormat::full_f32, 100, false, "other");
        options.stores = {folder / "other", folder / "runs/val"};
        EXPECT_THAT(
            message_of([&] { find_slices(options); }, ErrorCode::usage),
            AllOf(HasSubstr("have different attributes"),
                  HasSubstr(fmt::format("assay slices {} -d {}", (folder / "other/val").string(),
                                        (folder / "others").string()))));
    }
    {
        const Scratch folder;
        Made made = world(100, 1, even);
        for (std::size_t i = 0; i < made.rows(); ++i)
            made.ids.push_back(fmt::format("{}/{}.png", i % 2, i / 2));
        save(folder, made, "a");
        write(folder / "flat/7.png", text_of(picture(7, false)));
        SliceOptions options = options_of(folder);
        options.data = folder / "flat";
        EXPECT_THAT(message_of([&] { find_slices(options); }),
                    HasSubstr("has one image `7.png` for `0/7.png` and `1/7.png` of"));
    }
    EXPECT_THAT(message_of([] { find_slices({}); }, ErrorCode::usage), HasSubstr("no predictions"));
}

}  // namespace
}  // namespace assay::slices
