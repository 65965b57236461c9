// assay inspect on the command line: its errors and its exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/image/encode.h"
#include "containers/npy.h"
#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// An image whose colours run from left to right, or from top to bottom.
Image ramp(bool across) {
    Image image{64, 64, std::vector<std::uint8_t>(std::size_t{64} * 64 * 4, 255)};
    for (std::size_t p = 0; p < std::size_t{64} * 64; ++p)
        image.pixels[4 * p] = static_cast<std::uint8_t>(4 * (across ? p % 64 : p / 64));
    return image;
}

void write_images(const Scratch& folder) {
    for (const char* name : {"a", "b", "other/a"})
        std::filesystem::create_directories(folder / "set" / name);
    save_png(ramp(true), folder / "set/a/1.png");
    save_png(ramp(false), folder / "set/b/1.png");
    std::filesystem::rename(folder / "set/other", folder / "other");
    save_png(ramp(false), folder / "other/a/9.png");
}

TEST(InspectCommand, TheStatusSaysWhetherNumbersWouldBeIncorrect) {
    const Scratch folder;
    write_images(folder);
    const Outcome clean = assay_run({"inspect", folder / "set", "-q"});
    EXPECT_EQ(clean.status, 0) << clean.err;
    EXPECT_THAT(clean.out, HasSubstr("✓ every image can be decoded"));
    EXPECT_THAT(clean.out, HasSubstr("2 class folders: their names, sorted by bytes,"));
    EXPECT_EQ(clean.err, "");
    const Outcome shared =
        assay_run({"inspect", folder / "set", "--against", folder / "other", "--json", "-q"});
    EXPECT_EQ(shared.status, 3) << shared.err;
    const auto result = nlohmann::json::parse(shared.out);
    EXPECT_EQ(result["schema"], "assay.inspect/1");
    EXPECT_EQ(result["against"]["same"], 1);
    EXPECT_EQ(result["against"]["same_examples"][0]["image"]["id"], "b/1.png");
    EXPECT_EQ(result["against"]["same_examples"][0]["other"]["id"], "a/9.png");
    const Outcome rows =
        assay_run({"inspect", "-d", folder / "set", "--against", folder / "other", "--csv", "-q"});
    // A ramp has no edges.
    EXPECT_THAT(rows.out, testing::StartsWith("finding,group,id,labels,other,bits,value,detail\n"
                                              "blurred,,a/1.png,a,,,"));
    EXPECT_THAT(rows.out, testing::EndsWith("\nsame_file_as_other,,b/1.png,b,a/9.png,0,,\n"));
    write_file_atomically(folder / "set/b/2.jpg", std::string("no image"));
    const Outcome damaged = assay_run({"inspect", folder / "set", "-q"});
    EXPECT_EQ(damaged.status, 3);
    EXPECT_THAT(damaged.out, HasSubstr("✗ 1 of 3 images cannot be read\n    b/2.jpg: not an"));
}

TEST(InspectCommand, RefusesWhatHasNoImagesAndSaysWhatToType) {
    const Scratch folder;
    write_images(folder);
    const Outcome none = assay_run({"inspect"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("type `assay inspect IMAGES`"));
    const Outcome two = assay_run({"inspect", folder / "set", "-d", folder / "other"});
    EXPECT_EQ(two.status, 2);
    EXPECT_THAT(two.err, HasSubstr("--against takes a second one"));
    // Scores of two images for three classes.
    write_file_atomically(
        folder / "scores.npy",
        npy_header("<f4", std::vector<std::uint64_t>{2, 3}) + std::string(2 * 3 * 4, '\0'));
    write_file_atomically(folder / "scores.safetensors", std::string(8, '\0') + "{}");
    for (const char* name : {"scores.npy", "scores.safetensors"}) {
        const Outcome scores = assay_run({"inspect", folder / name});
        EXPECT_EQ(scores.status, 2) << name;
        EXPECT_THAT(scores.err, HasSubstr("`assay import ")) << name;
    }
    // Images in arrays are a data set, too.
    std::string samples(6 * 64, '\0');
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<char>(i * (i / 64 + 1));
    write_file_atomically(folder / "x.npy",
                          npy_header("|u1", std::vector<std::uint64_t>{6, 8, 8}) + samples);
    const Outcome arrays = assay_run({"inspect", folder / "x.npy", "-q"});
    EXPECT_EQ(arrays.status, 0) << arrays.err;
    EXPECT_THAT(arrays.out, HasSubstr("array"));
    const Outcome far = assay_run({"inspect", folder / "set", "--near", "11"});
    EXPECT_EQ(far.status, 2);
    EXPECT_THAT(far.err, HasSubstr("0 to 10"));
    const Outcome missing = assay_run({"inspect", folder / "set", "--against", folder / "gone"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("gone"));
    const Outcome absent = assay_run({"inspect", folder / "gone"});
    EXPECT_EQ(absent.status, 2);
    EXPECT_THAT(absent.err, testing::Not(HasSubstr("assay import")));
}

TEST(InspectCommand, SplitsOfOneDataSetAreComparedWithEachOther) {
    const Scratch folder;
    for (const char* split : {"test", "train"}) {
        for (const char* name : {"a", "b"}) {
            const fs::path classes = folder / "set" / split / name;
            fs::create_directories(classes);
            const bool across = name == std::string_view("a");
            // Both parts contain one of the images.
            if (across || split == std::string_view("test"))
                save_png(ramp(across), classes / "1.png");
        }
    }
    const Outcome shared = assay_run({"inspect", folder / "set", "--split", "test", "--against",
                                      folder / "set", "--against-split", "train", "--json", "-q"});
    EXPECT_EQ(shared.status, 3) << shared.err;
    const auto result = nlohmann::json::parse(shared.out);
    EXPECT_EQ(result["images"], 2);
    EXPECT_EQ(result["against"]["images"], 1);
    EXPECT_EQ(result["against"]["same"], 1);
    EXPECT_EQ(result["findings"][0]["grade"], "sound");
    const Outcome alone = assay_run({"inspect", folder / "set", "--against-split", "train"});
    EXPECT_EQ(alone.status, 2);
    EXPECT_THAT(alone.err, HasSubstr("--against"));
}

TEST(InspectCommand, AClassListGivesTheOrderOfTheClasses) {
    const Scratch folder;
    write_images(folder);
    const std::string classes = folder / "classes.txt";
    write_file_atomically(classes, std::string("b\nc\na\n"));
    const Outcome listed =
        assay_run({"inspect", folder / "set", "--classes", classes, "--json", "-q"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    const auto result = nlohmann::json::parse(listed.out);
    EXPECT_EQ(result["labels"]["order"], nlohmann::json::array({"b", "c", "a"}));
    EXPECT_EQ(result["labels"]["without_images"], nlohmann::json::array({"c"}));
    EXPECT_EQ(result["samples"][0]["labels"], nlohmann::json::array({"a"}));
    // Without labels it cannot act.
    fs::create_directories(folder / "flat");
    save_png(ramp(true), folder / "flat/1.png");
    const Outcome unlabelled = assay_run({"inspect", folder / "flat", "--classes", classes});
    EXPECT_EQ(unlabelled.status, 2);
    EXPECT_THAT(unlabelled.err,
                HasSubstr("no image of " + (folder / "flat").string() + " has one"));
    const Outcome missing =
        assay_run({"inspect", folder / "set", "--classes", folder / "gone.txt"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("gone.txt"));
}

TEST(InspectCommand, AStoreIsCheckedForTheOrderOfItsClasses) {
    const Scratch folder;
    // 36 images of 12 classes. Output j is the j-th class in the order 0, 1, 10, 11, 2, ...
    const std::vector<int> order = {0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9};
    std::string table = "id,c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,label\n";
    for (int i = 0; i < 36; ++i) {
        table += "p" + std::to_string(i);
        for (const int c : order) table += c == i % 12 ? ",5" : ",0";
        table += "," + std::to_string(i % 12) + "\n";
    }
    write_file_atomically(folder / "m.csv", table);
    const std::string runs = folder / "runs", store = folder / "runs/val/m";
    const Outcome import = assay_run({"import", folder / "m.csv", "--kind", "logits",
                                      "--dataset-name", "val", "--out", runs, "-q"});
    ASSERT_EQ(import.status, 0) << import.err;
    const Outcome found = assay_run({"inspect", store, "-q"});
    EXPECT_EQ(found.status, 3) << found.err;
    EXPECT_THAT(found.out, HasSubstr("✗ incorrect order of classes: folders named 0..11"));
    EXPECT_THAT(found.out, HasSubstr("(0, 1, 10, ...): 36 of 36 correct (100.0 %), p = "));
    EXPECT_THAT(found.out, HasSubstr("· nothing is known about the images: this store has no"));
    EXPECT_THAT(found.out, HasSubstr("predictions in " + store));
    EXPECT_THAT(found.out, HasSubstr("run `assay import` (or `assay predict`) again with"));
    const auto result = nlohmann::json::parse(assay_run({"inspect", store, "--json", "-q"}).out);
    EXPECT_EQ(result["class_orders"]["verdict"], "other");
    EXPECT_FALSE(result.contains("same_files"));
    for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
             {"--near", "3"}, {"--limit", "4"}, {"--against", folder.path().string()}}) {
        const Outcome refused = assay_run({"inspect", store, option[0], option[1]});
        EXPECT_EQ(refused.status, 2) << option[0];
        EXPECT_THAT(refused.err, HasSubstr(option[0] + " is for images"));
    }
    const Outcome relabelled = assay_run({"inspect", store, "--classes", "c.txt"});
    EXPECT_EQ(relabelled.status, 2);
    EXPECT_THAT(relabelled.err, HasSubstr("type `assay relabel " + store + " --classes c.txt`"));
}

}  // namespace
}  // namespace assay
