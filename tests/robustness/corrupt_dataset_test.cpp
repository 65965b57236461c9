// Corrupted data sets on disk: their layout, their bytes, and the remains of a killed run.
#include "assay/robustness/corrupt_dataset.h"

#include <gmock/gmock.h>

#include <map>

#include "assay/data/dataset.h"
#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/parallel.h"
#include "message_of.h"
#include "robustness/images.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::map<std::string, std::string> files_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = read_text(entry.path());
    }
    return files;
}

class CorruptDataset : public testing::Test {
protected:
    CorruptDataset() {
        for (int i = 0; i < 4; ++i) {
            const fs::path file = scratch_ / ("images/" + std::string(i % 2 == 0 ? "cat" : "dog") +
                                              "/" + std::to_string(i) + ".png");
            fs::create_directories(file.parent_path());
            save_png(wavy_image(90 + i, 70, static_cast<std::uint64_t>(i)), file);
        }
    }
    CorruptOptions options(const std::string& out = "out") const {
        CorruptOptions o;
        o.data = scratch_ / "images";
        o.out = scratch_ / out;
        o.corruptions = {"fog", "gaussian_noise"};
        o.severities = {5, 2};
        o.window = {.resize = 48, .crop = 32};
        o.profile = CorruptionProfile::imagenet;
        o.seed = 7;
        return o;
    }
    Scratch scratch_;
};

TEST_F(CorruptDataset, IsLaidOutAsImageNetC) {
    const CorruptResult made = corrupt_dataset(options());
    EXPECT_EQ(made.written, 4U * 2 * 2);
    EXPECT_EQ(made.found, 0U);
    const fs::path folder = scratch_ / "out/gaussian_noise/5";
    const Dataset dataset = open_dataset(folder, {});
    EXPECT_EQ(dataset.size(), 4U);
    EXPECT_EQ(dataset.ids[3], "dog/3.png");
    EXPECT_EQ(dataset.single_label(3), 1);
    EXPECT_FALSE(fs::exists(folder / "labels.csv"));
    const Preprocess published{
        .height = 32, .width = 32, .interpolation = Interpolation::bilinear, .resize_size = 48};
    const Image window = crop_window(load_image(scratch_ / "images/dog/3.png"), published);
    EXPECT_EQ(
        load_image(folder / "dog/3.png").pixels,
        corrupt(window, corruption_named("gaussian_noise"), 5, {.seed = 7, .image = "dog/3.png"})
            .pixels);
}

TEST_F(CorruptDataset, HasTheSameBytesForAnyThreadsAndContinues) {
    CorruptOptions one = options("one"), four = options("four");
    one.threads = 1;
    four.threads = 4;
    corrupt_dataset(one);
    corrupt_dataset(four);
    const auto expected = files_below(scratch_ / "one");
    EXPECT_EQ(files_below(scratch_ / "four"), expected);
    EXPECT_EQ(expected.size(), 17U);
    // The state after a killed run: the hidden folder with some files, one of them truncated.
    fs::rename(scratch_ / "four", scratch_ / ".four.partial");
    fs::rename(scratch_ / ".four.partial/corrupt.json", scratch_ / "record");
    fs::remove(scratch_ / ".four.partial/fog/2/cat/0.png");
    fs::resize_file(scratch_ / ".four.partial/fog/5/dog/1.png", 100);
    const CorruptResult again = corrupt_dataset(four);
    EXPECT_EQ(again.written, 16U);
    EXPECT_EQ(again.found, 14U);
    EXPECT_EQ(files_below(scratch_ / "four"), expected);
    const CorruptResult there = corrupt_dataset(four);
    EXPECT_TRUE(there.was_there);
    EXPECT_EQ(there.written, 16U);
    four.seed = 8;
    EXPECT_THAT(message_of([&] { corrupt_dataset(four); }, ErrorCode::usage),
                HasSubstr("was made with other settings (seed is 7, not 8)"));
}

TEST_F(CorruptDataset, LabelsThatAreNoFoldersGoIntoAFile) {
    write_file_atomically(scratch_ / "images/labels.csv",
                          "path,labels,group\ncat/0.png,a b,x\ndog/1.png,b,y\n");
    write_file_atomically(scratch_ / "classes.txt", "a\nb\n");
    corrupt_dataset(options());
    const std::string text = read_text(scratch_ / "out/fog/2/labels.csv");
    EXPECT_EQ(text, "path,labels,group\ncat/0.png,a b,x\ndog/1.png,b,y\n");
    const Dataset dataset = open_dataset(scratch_ / "out/fog/2", {});
    EXPECT_EQ(dataset.size(), 2U);
    EXPECT_EQ(dataset.labels[0].size(), 2U);
}

TEST_F(CorruptDataset, JpegIsThePublishedArtefact) {
    CorruptOptions o = options();
    o.jpeg_quality = 85;
    corrupt_dataset(o);
    const Image window = cut_window(load_image(scratch_ / "images/cat/0.png"), o.window);
    const Image noisy =
        corrupt(window, corruption_named("fog"), 2, {.seed = 7, .image = "cat/0.png"});
    const auto bytes =
        encode_jpeg(noisy, {.quality = 85, .chroma = JpegChroma::halved, .optimize = true});
    EXPECT_EQ(read_file(scratch_ / "out/fog/2/cat/0.jpg"), bytes);
    o.window = {};
    EXPECT_THAT(describe_pipeline(o), HasSubstr("the pipeline of the published ImageNet-C"));
}

TEST_F(CorruptDataset, EqualNamesOfOtherFormatsStayApart) {
    save_png(wavy_image(50, 50), scratch_ / "images/cat/0.jpg");
    corrupt_dataset(options());
    EXPECT_TRUE(fs::exists(scratch_ / "out/fog/2/cat/0.png"));
    EXPECT_EQ(open_dataset(scratch_ / "out/fog/2", {}).size(), 5U);
}

// All versions of a large photograph at once would exceed the memory.
TEST_F(CorruptDataset, AVersionIsWrittenBeforeTheNextIsMade) {
    CorruptOptions o = options();
    o.threads = 1;
    std::vector<std::uint64_t> done;
    std::size_t before = 0;
    corrupt_dataset(o, [&](const Progress& progress) {
        const std::size_t there = files_below(scratch_ / ".out.partial").size();
        if (progress.done == 0) before = there;
        EXPECT_EQ(there, before + progress.done);
        done.push_back(progress.done);
    });
    done.erase(std::unique(done.begin(), done.end()), done.end());
    ASSERT_EQ(done.size(), 17U);
    for (std::uint64_t files = 0; files <= 16; ++files) EXPECT_EQ(done[files], files);
}

TEST_F(CorruptDataset, AnImageTooSmallForOneVersionIsInNone) {
    save_png(wavy_image(30, 30), scratch_ / "images/cat/9.png");
    CorruptOptions o = options();
    o.window = {.resize = 0, .crop = 0};
    o.corruptions = {"contrast", "motion_blur"};
    const CorruptResult made = corrupt_dataset(o);
    EXPECT_EQ(made.left_out, 1U);
    EXPECT_EQ(made.written, 16U);
    EXPECT_FALSE(fs::exists(scratch_ / "out/contrast/2/cat/9.png"));
}

// A clean image and its corrupted copies are paired by their ids. A copy with the id of another
// image would be paired with that one.
TEST_F(CorruptDataset, ACopyNeverTakesTheIdOfAnotherImage) {
    save_png(wavy_image(50, 50), scratch_ / "images/cat/0.jpg");  // sorted before 0.png
    corrupt_dataset(options());
    const CorruptOptions o = options();
    for (const char* name : {"cat/0.png", "cat/0.jpg"}) {
        const Image window = cut_window(load_image(scratch_ / "images" / name), o.window);
        const std::string copy = name == std::string("cat/0.png") ? name : "cat/0.jpg.png";
        EXPECT_EQ(load_image(scratch_ / "out/fog/2" / copy).pixels,
                  corrupt(window, corruption_named("fog"), 2, {.seed = 7, .image = name}).pixels);
    }
}

TEST_F(CorruptDataset, TakesTheSampleThatPredictTakesOrTheFirstImages) {
    for (int i = 4; i < 12; ++i)
        save_png(wavy_image(50, 50), scratch_ / ("images/cat/" + std::to_string(i) + ".png"));
    const auto written = [&](const std::string& out, std::size_t limit, std::size_t first,
                             std::uint64_t seed = 0) {
        CorruptOptions o = options(out);
        o.corruptions = {"contrast"};
        o.severities = {1};
        o.limit = limit;
        o.sample_seed = seed;
        o.first = first;
        corrupt_dataset(o);
        return open_dataset(scratch_ / out / "contrast/1", {}).ids;
    };
    const Dataset all = open_dataset(scratch_ / "images", {});
    EXPECT_EQ(written("sample", 6, 0), stratified_sample(all, 6, 0).ids);
    EXPECT_EQ(written("other", 6, 0, 3), stratified_sample(all, 6, 3).ids);
    EXPECT_NE(stratified_sample(all, 6, 3).ids, stratified_sample(all, 6, 0).ids);
    EXPECT_EQ(written("first", 0, 6), open_dataset(scratch_ / "images", {.limit = 6}).ids);
    CorruptOptions both = options("both");
    both.limit = both.first = 2;
    EXPECT_THAT(message_of([&] { check(both); }, ErrorCode::usage),
                HasSubstr("cannot be combined"));
}

// The same command for all images adds the others. The folder then equals one without a pilot.
TEST_F(CorruptDataset, APilotAndThenEverything) {
    for (int i = 4; i < 12; ++i)
        save_png(wavy_image(50, 50), scratch_ / ("images/cat/" + std::to_string(i) + ".png"));
    const auto run = [&](const std::string& out, std::size_t limit, std::size_t first) {
        CorruptOptions o = options(out);
        o.corruptions = {"contrast"};
        o.severities = {1};
        o.limit = limit;
        o.first = first;
        return corrupt_dataset(o);
    };
    const std::uint64_t all = run("whole", 0, 0).written;
    for (const auto& [limit, first] : {std::pair<std::size_t, std::size_t>{5, 0}, {0, 5}}) {
        const std::string out = limit > 0 ? "grown" : "longer";
        EXPECT_EQ(run(out, limit, first).written, 5U);
        if (first > 0) {
            EXPECT_EQ(run(out, 0, first + 2).found, 5U);
        }
        const CorruptResult grown = run(out, 0, 0);
        EXPECT_EQ(grown.written, all);
        EXPECT_EQ(grown.found, first > 0 ? 7U : 5U);
        EXPECT_EQ(files_below(scratch_ / out / "contrast"),
                  files_below(scratch_ / "whole/contrast"));
        EXPECT_TRUE(run(out, 0, 0).was_there);
    }
    // Files of another seed are not used.
    run("other", 5, 0);
    CorruptOptions o = options("other");
    o.corruptions = {"contrast"};
    o.severities = {1};
    o.seed = options("other").seed + 1;
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }, ErrorCode::usage),
                HasSubstr("other settings"));
}

TEST_F(CorruptDataset, APilotStaysReadableUntilEverythingIsThere) {
    CorruptOptions pilot = options("grows");
    pilot.corruptions = {"contrast"};
    pilot.first = 2;
    corrupt_dataset(pilot);
    CorruptOptions all = pilot;
    all.first = 0;
    const auto images_in = [&](const std::string& folder) {
        return open_dataset(scratch_ / folder / "contrast/5", {}).size();
    };
    const auto pilot_files = files_below(scratch_ / "grows");
    // If the run is stopped halfway, the pilot is unchanged.
    all.threads = 1;
    EXPECT_THROW(corrupt_dataset(all,
                                 [&](const Progress& progress) {
                                     EXPECT_EQ(images_in("grows"), 2U);
                                     if (progress.done == 6)
                                         throw Error(ErrorCode::interrupted, "");
                                 }),
                 Error);
    EXPECT_EQ(files_below(scratch_ / "grows"), pilot_files);
    EXPECT_TRUE(corrupt_dataset(pilot).was_there);
    // The run was killed after all files were written, but before the folder was renamed.
    const fs::path partial = scratch_ / ".grows.partial";
    write_file_atomically(partial / "corrupt.json", "{}");
    const CorruptResult grown = corrupt_dataset(all);
    EXPECT_EQ(grown.found, 6U);
    EXPECT_EQ(images_in("grows"), 4U);
    EXPECT_FALSE(fs::exists(partial));
    CorruptOptions whole = all;
    whole.out = scratch_ / "whole";
    corrupt_dataset(whole);
    EXPECT_EQ(files_below(scratch_ / "grows/contrast"), files_below(scratch_ / "whole/contrast"));
    // The run was killed after the folder was renamed, so the replaced folder and temporary files
    // remain.
    const auto files = files_below(scratch_ / "grows");
    make_folders(partial / "contrast");
    write_file_atomically(partial / "corrupt.json", "{}");
    write_file_atomically(scratch_ / "grows/settings.json", "{}");
    write_file_atomically(scratch_ / "grows/.lock", "");
    EXPECT_TRUE(corrupt_dataset(all).was_there);
    EXPECT_FALSE(fs::exists(partial));
    EXPECT_EQ(files_below(scratch_ / "grows"), files);
}

TEST_F(CorruptDataset, NamesThatMeetAgainAndAgainStayApart) {
    const auto names_of = [&](const std::string& list, const std::string& out) {
        write_file_atomically(scratch_ / "images/list.csv", list);
        CorruptOptions o = options(out);
        o.data = scratch_ / "images/list.csv";
        o.corruptions = {"contrast"};
        o.severities = {1};
        EXPECT_EQ(corrupt_dataset(o).written, 3U);
        std::vector<std::string> names;
        for (const auto& file : files_below(scratch_ / out / "contrast/1")) {
            if (file.first != "labels.csv") names.push_back(file.first);
        }
        return names;
    };
    for (const char* name : {"a.jpg.png", "a.png", "a.jpg", "x.png", "x", "y.png"})
        save_png(wavy_image(50, 50), scratch_ / "images" / name);
    EXPECT_THAT(names_of("path,label\na.jpg.png,c\na.png,c\na.jpg,c\n", "one"),
                ElementsAre("a.jpg.png", "a.jpg.png.png", "a.png"));
    EXPECT_THAT(names_of("path,label\nx.png,c\nx,c\ny.png,c\n", "two"),
                ElementsAre("x.png", "x.png.png", "y.png"));
    EXPECT_THAT(names_of("path,label\n./a.png,c\na.png,c\ny.png,c\n", "three"),
                ElementsAre("a.png", "a.png.png", "y.png"));
}

TEST_F(CorruptDataset, OfOtherLabelsIsNotFinished) {
    write_file_atomically(scratch_ / "classes.txt", "a\nb\n");
    write_file_atomically(scratch_ / "images/labels.csv",
                          "path,labels\ncat/0.png,a\ndog/1.png,b\n");
    EXPECT_FALSE(corrupt_dataset(options()).was_there);
    EXPECT_TRUE(corrupt_dataset(options()).was_there);
    write_file_atomically(scratch_ / "images/labels.csv",
                          "path,labels\ncat/0.png,b\ndog/1.png,a\n");
    EXPECT_THAT(message_of([&] { corrupt_dataset(options()); }, ErrorCode::usage),
                HasSubstr("was made with other settings (labels is "));
}

TEST_F(CorruptDataset, LabelsAreOfTheImagesThatAreThere) {
    write_file_atomically(scratch_ / "images/cat/9.png", "no image");
    write_file_atomically(scratch_ / "images/labels.csv",
                          "path,labels\ncat/9.png,a\ncat/0.png,a\ndog/1.png,b\n");
    EXPECT_EQ(corrupt_dataset(options()).left_out, 1U);
    EXPECT_EQ(read_text(scratch_ / "out/fog/2/labels.csv"),
              "path,labels\ncat/0.png,a\ndog/1.png,b\n");
    EXPECT_EQ(open_dataset(scratch_ / "out/fog/2", {}).size(), 2U);
}

TEST_F(CorruptDataset, ADamagedRecordIsNamed) {
    corrupt_dataset(options());
    const std::string whole = read_text(scratch_ / "out/corrupt.json");
    for (const auto& [from, to] : std::map<std::string, std::string>{
             {"\"files\": 16", "\"files\": \"x\""}, {"\"examples\": []", "\"examples\": [1]"}}) {
        std::string text = whole;
        ASSERT_NE(text.find(from), std::string::npos) << text;
        text.replace(text.find(from), from.size(), to);
        write_file_atomically(scratch_ / "out/corrupt.json", text);
        EXPECT_THAT(message_of([&] { corrupt_dataset(options()); }),
                    HasSubstr("corrupt.json: damaged: `made` holds"));
    }
}

TEST_F(CorruptDataset, PhotographsOfFrostAreFewAndLargeEnough) {
    CorruptOptions o = options();
    o.corruptions = {"frost"};
    o.frost = scratch_ / "ice";
    fs::create_directories(o.frost);
    save_png(wavy_image(31, 64), scratch_ / "ice/a.png");
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }),
                HasSubstr("has 31 x 64 pixels, fewer than the crop of 32"));
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    for (int i = 0; i < 100; ++i)
        write_file_atomically(scratch_ / ("ice/b" + std::to_string(i) + ".png"), "x");
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }),
                HasSubstr("has 101 images; the limit is 100"));
}

TEST_F(CorruptDataset, LeavesOutWhatCannotBeReadAndSaysSo) {
    write_file_atomically(scratch_ / "images/cat/9.png", "no image");
    const CorruptResult made = corrupt_dataset(options());
    EXPECT_EQ(made.left_out, 1U);
    EXPECT_THAT(made.examples, ElementsAre(HasSubstr("cat/9.png: ")));
    const Report report = report_of(made);
    EXPECT_TRUE(report.partial);
    EXPECT_EQ(report.result["left_out"], 1);
    EXPECT_EQ(report.result["versions"].size(), 4U);
    EXPECT_EQ(report.result["versions"][0]["images"], 4);
    // If the data set is finished, the message is repeated.
    EXPECT_EQ(corrupt_dataset(options()).left_out, 1U);
}

TEST_F(CorruptDataset, ImagesSmallerThanTheKernelOrTheCropAreNamed) {
    CorruptOptions o = options();
    o.window = {.resize = 0, .crop = 80};
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }),
                HasSubstr("90 x 70 pixels are smaller than the crop of 80"));
    o = options("other");
    o.window = {.resize = 30, .crop = 0};
    o.corruptions = {"motion_blur"};
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }),
                AllOf(HasSubstr("the first one has 30 x 30 pixels"),
                      HasSubstr("motion_blur 2 (31 x 31 pixels), motion_blur 5 (41 x 41 pixels)")));
    EXPECT_FALSE(fs::exists(scratch_ / ".other.partial")) << "nothing blocks the next command";
}

TEST_F(CorruptDataset, VersionsThatFitNoImageAreLeftOut) {
    CorruptOptions o = options();
    o.window = {.resize = 36, .crop = 36};
    o.corruptions = {"motion_blur", "contrast"};
    const CorruptResult made = corrupt_dataset(o);
    EXPECT_THAT(made.versions_left_out, ElementsAre("motion_blur 5 (41 x 41 pixels)"));
    EXPECT_EQ(made.left_out, 0U);
    EXPECT_EQ(made.written, 12U);
    EXPECT_TRUE(fs::exists(scratch_ / "out/motion_blur/2/cat/0.png"));
    EXPECT_FALSE(fs::exists(scratch_ / "out/motion_blur/5"));
    EXPECT_TRUE(report_of(made).partial);
    const CorruptResult again = corrupt_dataset(o);
    EXPECT_TRUE(again.was_there);
    EXPECT_EQ(again.versions_left_out, made.versions_left_out);
}

TEST_F(CorruptDataset, TheSizeOfTheImagesChoosesTheProfile) {
    const auto made_of = [&](int side, const std::string& out, auto&& change) {
        const fs::path folder = scratch_ / ("of" + std::to_string(side));
        fs::create_directories(folder / "a");
        save_png(wavy_image(side, side - 3), folder / "a/0.png");
        CorruptOptions o = options(out);
        o.data = folder;
        o.window = {};
        o.profile.reset();
        change(o);
        return corrupt_dataset(o).options;
    };
    const auto as_it_is = [](CorruptOptions&) {};
    using Profile = CorruptionProfile;
    EXPECT_EQ(made_of(48, "a", as_it_is).profile, Profile::cifar);
    EXPECT_EQ(made_of(49, "b", as_it_is).profile, Profile::tiny_imagenet);
    EXPECT_EQ(made_of(96, "c", as_it_is).profile, Profile::tiny_imagenet);
    const CorruptOptions large = made_of(97, "d", as_it_is);
    EXPECT_EQ(large.profile, Profile::imagenet);
    EXPECT_EQ(large.window, (CorruptionWindow{.resize = 256, .crop = 224}));
    // The image is neither resized nor cropped.
    EXPECT_EQ(load_image(scratch_ / "a/fog/2/a/0.png").height, 45);
    EXPECT_EQ(load_image(scratch_ / "a/fog/2/a/0.png").pixels,
              corrupt(wavy_image(48, 45), corruption_named("fog"), 2,
                      {.seed = 7, .image = "a/0.png"}, nullptr, Profile::cifar)
                  .pixels);
    EXPECT_EQ(made_of(97, "e", [](auto& o) { o.window.crop = 32; }).profile, Profile::cifar);
    EXPECT_EQ(made_of(48, "f", [](auto& o) { o.window.crop = 0; }).profile, Profile::cifar);
    // Equal names in two profiles never share a folder.
    EXPECT_THAT(
        message_of([&] { made_of(48, "a", [](auto& o) { o.profile = Profile::tiny_imagenet; }); },
                   ErrorCode::usage),
        HasSubstr("was made with other settings (profile is \"cifar\", not \"tiny-imagenet\")"));
    EXPECT_NE(read_text(scratch_ / "a/corrupt.json").find(R"("profile": "cifar")"),
              std::string::npos);
}

TEST_F(CorruptDataset, PathsThatLeaveTheFolderAreRefused) {
    write_file_atomically(scratch_ / "images/list.csv", "path,label\n../images/cat/0.png,a\n");
    CorruptOptions o = options();
    o.data = scratch_ / "images/list.csv";
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }), HasSubstr("is outside the data set"));
}

TEST_F(CorruptDataset, FrostTakesPhotographsAndElseStandsUnderAnotherName) {
    CorruptOptions o = options();
    o.corruptions = {"weather"};
    o.severities = {1};
    EXPECT_THAT(corrupt_dataset(o).notes,
                testing::Contains(HasSubstr("is not part of ImageNet-C")));
    EXPECT_TRUE(fs::exists(scratch_ / "out/frost_synthetic/1"));
    EXPECT_FALSE(fs::exists(scratch_ / "out/frost"));
    o.corruptions = {"frost"};
    EXPECT_THAT(message_of([&] { check(o); }, ErrorCode::usage),
                HasSubstr("needs a folder of photographs"));
    fs::create_directories(scratch_ / "ice");
    o.frost = scratch_ / "ice";
    o.out = scratch_ / "iced";
    EXPECT_THAT(message_of([&] { corrupt_dataset(o); }), HasSubstr("frost needs photographs"));
    save_png(wavy_image(64, 64), scratch_ / "ice/a.png");
    EXPECT_EQ(corrupt_dataset(o).written, 4U);
    EXPECT_TRUE(fs::exists(scratch_ / "iced/frost/1/dog/3.png"));
}

TEST(ChosenCorruptions, ComeOnceInTheOrderOfTheTable) {
    EXPECT_EQ(chosen_corruptions({"all"}, true).size(), 19U);
    EXPECT_EQ(chosen_corruptions({"all"}, false).size(), 19U);
    EXPECT_EQ(chosen_corruptions({"paper"}, true).size(), 15U);
    EXPECT_EQ(chosen_corruptions({"extra"}, true).size(), 4U);
    const auto noise = chosen_corruptions({"speckle_noise", "noise", "gaussian_noise"}, true);
    ASSERT_EQ(noise.size(), 4U);
    EXPECT_EQ(noise[0]->name, "gaussian_noise");
    EXPECT_EQ(noise[3]->name, "speckle_noise");
}

TEST(CorruptOptionsCheck, SaysWhatDoesNotGo) {
    const auto message = [](const std::function<void(CorruptOptions&)>& change) {
        CorruptOptions o;
        o.out = "out";
        change(o);
        return message_of([&] { check(o); }, ErrorCode::usage);
    };
    EXPECT_THAT(message([](auto& o) { o.corruptions = {"nois"}; }),
                HasSubstr("unknown corruption `nois`"));
    EXPECT_THAT(message([](auto& o) { o.corruptions = {}; }), HasSubstr("no corruption"));
    EXPECT_THAT(message([](auto& o) { o.severities = {0}; }),
                HasSubstr("severity 0; allowed: 1 to 5"));
    EXPECT_THAT(message([](auto& o) { o.severities = {}; }), HasSubstr("no severity"));
    EXPECT_THAT(message([](auto& o) { o.window.crop = 300; }), HasSubstr("does not fit"));
    EXPECT_THAT(message([](auto& o) { o.jpeg_quality = 0; }), HasSubstr("JPEG quality 0"));
    EXPECT_THAT(message([](auto& o) { o.out = ""; }), HasSubstr("nothing to write"));
}

TEST(ContactSheet, HasARowPerCorruptionAndAColumnPerSeverity) {
    const Image image = wavy_image(40, 30);
    const auto chosen = chosen_corruptions({"contrast", "jpeg_compression"}, false);
    const Image sheet = contact_sheet(image, chosen, {1, 3, 5}, {});
    EXPECT_EQ(sheet.width, sheet_left + 3 * 40 + 2 * 2);
    EXPECT_EQ(sheet.height, sheet_top + 2 * 30 + 2);
    const Image part = corrupt(image, *chosen[1], 5, {});
    EXPECT_EQ(value_at(sheet, sheet_left + 2 * 42 + 7, sheet_top + 32 + 9, 1),
              value_at(part, 7, 9, 1));
    EXPECT_EQ(value_at(sheet, sheet_left + 40, sheet_top + 3, 0), 255);
}

/// The letters of a row or column, from the positions of their dots.
std::vector<std::string> dots(const Image& sheet, int left, int top, int width, int height) {
    std::vector<std::string> lines;
    for (int y = top; y < top + height; y += 2) {
        lines.emplace_back();
        for (int x = left; x < left + width; x += 2)
            lines.back() += value_at(sheet, x, y, 0) == 0 ? '#' : '.';
    }
    return lines;
}

TEST(ContactSheet, NamesItsRowsAndColumns) {
    const Image sheet =
        contact_sheet(wavy_image(40, 30), chosen_corruptions({"fog"}, false), {2, 5}, {});
    // "fog" is next to the middle of its row, and 2 is above the first column.
    EXPECT_THAT(dots(sheet, 4, sheet_top + 8, 36, 18),
                ElementsAre("..##..............",  //
                            ".#..#.............",  //
                            ".#.....###...####.",  //
                            "####..#...#.#...#.",  //
                            ".#....#...#.#...#.",  //
                            ".#....#...#.#...#.",  //
                            ".#.....###...####.",  //
                            "................#.",  //
                            ".............###.."));
    EXPECT_THAT(dots(sheet, sheet_left + 14, 2, 10, 14),
                ElementsAre(".###.", "#...#", "....#", "..##.", ".#...", "#....", "#####"));
    // Every name of the table has enough space, and all its letters can be drawn.
    for (const Corruption& c : corruptions()) {
        EXPECT_LE(4 + 12 * static_cast<int>(c.name.size()), sheet_left) << c.name;
        for (const char letter : c.name)
            EXPECT_TRUE(letter == '_' || (letter >= 'a' && letter <= 'z')) << c.name;
    }
}

}  // namespace
}  // namespace assay
