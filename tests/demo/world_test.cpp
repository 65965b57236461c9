#include "demo/world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "data/temp_folder.h"
#include "message_of.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

WorldSpec small_spec(const fs::path& folder) {
    return {.folder = folder, .seed = 9, .size = WorldSize::tiny, .side = 32, .multi_side = 64};
}

/// A fingerprint of every file of a synthetic data set, by file name.
std::map<std::string, std::string> fingerprints(const fs::path& folder) {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.path().filename() == ".world.lock") continue;
        out[entry.path().lexically_relative(folder).generic_string()] = hash_file(entry.path());
    }
    return out;
}

std::string refused(const WorldSpec& spec) {
    return message_of([&] { make_world(spec); }, ErrorCode::usage);
}

/// The text between <tag> and </tag> from position `at` on.
std::string between(const std::string& xml, const std::string& tag, std::size_t at) {
    const std::size_t begin = xml.find("<" + tag + ">", at) + tag.size() + 2;
    return xml.substr(begin, xml.find("</" + tag + ">", begin) - begin);
}

/// One synthetic data set for all tests that do not change it.
class World : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new TempFolder;
        make_world(small_spec(scratch_->path() / "w"), {}, 2);
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }
    static fs::path folder() { return scratch_->path() / "w"; }

private:
    static TempFolder* scratch_;
};
TempFolder* World::scratch_ = nullptr;

TEST_F(World, HasTheSameBytesForAnyNumberOfThreads) {
    const TempFolder scratch;
    make_world(small_spec(scratch.path() / "w"), {}, 5);
    const auto first = fingerprints(folder()), second = fingerprints(scratch.path() / "w");
    EXPECT_EQ(first, second);
    EXPECT_GT(first.size(), 1140U);
}

TEST_F(World, CompletesAWorldThatWasInterruptedAnywhere) {
    const auto whole = fingerprints(folder());
    const TempFolder scratch;
    const WorldSpec spec = small_spec(scratch.path() / "w");
    for (const std::uint64_t stop_at : {60U, 330U, 900U}) {
        const auto stop = [&](const Progress& now) {
            if (now.done >= stop_at) throw std::runtime_error("killed");
        };
        EXPECT_THROW(make_world(spec, stop, 3), std::runtime_error);
    }
    // One half-written image is of an unfinished set, and one is of a set that the user changed.
    ASSERT_FALSE(fs::exists(spec.folder / "truth/unlabelled.csv"));
    fs::create_directories(spec.folder / "images/unlabelled");
    std::ofstream(spec.folder / "images/unlabelled/image_000003.png") << "half";
    std::ofstream(spec.folder / "images/train/bird/bird_00001.png") << "changed";
    std::uint64_t skipped = 0, done = 0, total = 0;
    make_world(spec, [&](const Progress& now) {
        skipped = now.skipped;
        done = now.done;
        total = now.total;
    });
    EXPECT_GE(skipped, 200U);  // at least the sets train and v1
    EXPECT_EQ(done, total);
    auto found = fingerprints(spec.folder);
    EXPECT_EQ(found.at("images/train/bird/bird_00001.png"), hash_text("changed"));
    found["images/train/bird/bird_00001.png"] = whole.at("images/train/bird/bird_00001.png");
    EXPECT_EQ(found, whole);
}

TEST_F(World, DrawsASetAgainThatWasBegunAgain) {
    // An image of a finished data set is lost, and drawing it again is killed. This may leave half
    // an image.
    const TempFolder scratch;
    const WorldSpec spec = small_spec(scratch.path() / "w");
    fs::copy(folder(), spec.folder, fs::copy_options::recursive);
    fs::remove(spec.folder / "images/v1/airplane/airplane_00000.png");
    bool drawing = false;
    const auto stop = [&](const Progress& now) {
        if (drawing && now.step == "v1") throw std::runtime_error("killed");
        drawing = now.step == "v1";
    };
    EXPECT_THROW(make_world(spec, stop, 1), std::runtime_error);
    const fs::path half = spec.folder / "images/v1/bird/bird_00001.png";
    fs::resize_file(half, fs::file_size(half) / 2);
    make_world(spec);
    EXPECT_EQ(fingerprints(spec.folder), fingerprints(folder()));
}

TEST(MakeWorld, GoesOnAfterItsFirstWriteWasKilled) {
    const TempFolder scratch;
    const WorldSpec spec = small_spec(scratch.path() / "w");
    scratch.write("w/.world.json.4242.0.tmp", "{");
    const auto stop = [&](const Progress&) { throw std::runtime_error("killed"); };
    EXPECT_THROW(make_world(spec, stop, 1), std::runtime_error);
    EXPECT_TRUE(fs::exists(spec.folder / "world.json"));
    EXPECT_FALSE(fs::exists(spec.folder / ".world.json.4242.0.tmp"));
}

TEST(MakeWorld, TouchesNothingForeign) {
    const TempFolder scratch;
    scratch.write("w/thesis.txt", "years of work");
    EXPECT_THAT(refused(small_spec(scratch.path() / "w")), HasSubstr("`thesis.txt`"));
    EXPECT_EQ(read_text(scratch.path() / "w/thesis.txt"), "years of work");
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path() / "w"), {}), 1);
    scratch.write("v/world.json", "[1, 2");
    EXPECT_THAT(refused(small_spec(scratch.path() / "v")), HasSubstr("world.json"));
}

TEST_F(World, RefusesAnotherSpecInTheSameFolder) {
    WorldSpec spec = small_spec(folder());
    spec.seed = 77;
    EXPECT_THAT(refused(spec), HasSubstr("seed 9, not 77"));
    spec = small_spec(folder());
    spec.size = WorldSize::small;
    EXPECT_THAT(refused(spec), HasSubstr("\"tiny\""));
}

TEST(MakeWorld, RefusesImpossibleSides) {
    const TempFolder scratch;
    WorldSpec spec = small_spec(scratch.path() / "w");
    spec.side = 31;
    EXPECT_THAT(refused(spec), HasSubstr("32 to 512"));
    spec = small_spec(scratch.path() / "w");
    spec.multi_side = 5000;
    EXPECT_THAT(refused(spec), HasSubstr("5000"));
    spec = small_spec("");
    EXPECT_THAT(refused(spec), HasSubstr("folder"));
    EXPECT_FALSE(fs::exists(scratch.path() / "w"));
    EXPECT_THROW(world_size_named("smal"), Error);
    EXPECT_EQ(name_of(world_size_named("full")), "full");
}

TEST_F(World, OpensAsOrdinaryDataSets) {
    for (const char* set : {"train", "v1", "v2", "sketch", "mixed-rand"}) {
        const Dataset dataset = open_dataset(folder() / "images" / set, {});
        EXPECT_EQ(dataset.classes.ids(), world_classes().ids()) << set;
        EXPECT_EQ(dataset.size(), world_set_size(set, WorldSize::tiny));
    }
    const Dataset multi =
        open_dataset(folder() / "images/multi/labels.csv", {.classes = world_classes()});
    EXPECT_EQ(multi.size(), 40U);
    EXPECT_FALSE(multi.labels.is_single());
    const Dataset cues =
        open_dataset(folder() / "images/cue-conflict/labels.csv", {.classes = world_classes()});
    EXPECT_EQ(cues.size(), 380U);
    ASSERT_EQ(cues.attributes.size(), 2U);
    EXPECT_EQ(cues.attributes[0].name, "shape");
    EXPECT_EQ(cues.attributes[1].name, "texture");
    EXPECT_EQ(read_class_list(folder() / "classes.txt"), world_classes());
    EXPECT_EQ(nlohmann::json::parse(read_text(folder() / "hierarchy.json")), world_hierarchy());
}

TEST_F(World, AnnotationsLabelsAndTruthSayTheSame) {
    std::map<std::string, std::string> labels;
    const std::string labels_text = read_text(folder() / "images/multi/labels.csv");
    CsvReader labels_csv(labels_text, "labels.csv");
    while (labels_csv.next()) labels[std::string(labels_csv[0])] = labels_csv[1];
    const std::string truth_text = read_text(folder() / "truth/multi.csv");
    CsvReader truth(truth_text, "multi.csv");
    const std::size_t path = truth.column({"path"}), boxes = truth.column({"boxes"}),
                      set = truth.column({"labels"});
    std::size_t rows = 0;
    while (truth.next()) {
        ++rows;
        const std::string name(truth[path]);
        EXPECT_EQ(labels.at(name), truth[set]);
        const std::string xml = read_text(folder() / "images/multi/Annotations" /
                                          (fs::path(name).stem().string() + ".xml"));
        std::string listed;
        std::set<std::string> names;
        // Every object names its class and its four corners, in this order.
        for (std::size_t at = xml.find("<object>"); at != std::string::npos;
             at = xml.find("<object>", at + 1)) {
            listed += listed.empty() ? "" : ";";
            names.insert(between(xml, "name", at));
            listed += between(xml, "name", at);
            for (const char* corner : {"xmin", "ymin", "xmax", "ymax"})
                listed += ":" + between(xml, corner, at);
        }
        EXPECT_EQ(listed, truth[boxes]);
        std::string joined;
        for (const std::string& id : names) joined += (joined.empty() ? "" : " ") + id;
        EXPECT_EQ(joined, truth[set]);
        const Image image = load_image(folder() / "images/multi" / name);
        EXPECT_THAT(xml, HasSubstr("<width>" + std::to_string(image.width) + "</width>"));
    }
    EXPECT_EQ(rows, 40U);
}

TEST_F(World, TruthNamesEveryImageOfEverySetOnce) {
    for (const std::string& set : world_sets()) {
        const std::string text = read_text(folder() / "truth" / (set + ".csv"));
        CsvReader truth(text, set);
        std::set<std::string> named;
        while (truth.next()) named.insert(std::string(truth[0]));
        std::set<std::string> there;
        for (const auto& entry : fs::recursive_directory_iterator(folder() / "images" / set)) {
            if (entry.path().extension() == ".png") {
                there.insert(
                    entry.path().lexically_relative(folder() / "images" / set).generic_string());
            }
        }
        EXPECT_EQ(named, there) << set;
        EXPECT_EQ(named.size(), world_set_size(set, WorldSize::tiny)) << set;
    }
}

TEST_F(World, GalleryIsDrawnFromTheSpecAlone) {
    const Image gallery = load_image(folder() / "world.png");
    EXPECT_GT(gallery.width, 20 * 60);
    EXPECT_GT(gallery.height, 13 * 60);
    EXPECT_EQ(gallery.pixels, contact_sheet(small_spec("")).pixels);
}

}  // namespace
}  // namespace assay
