// Detects whether images differ from those of a store, although names, ids and classes agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/score.h"
#include "assay/evaluate/show.h"
#include "coloured_images.h"
#include "core/file.h"
#include "message_of.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImageIdentity : public PredictImages {
protected:
    /// The data set `d`, read from a copy of its folder in another parent folder.
    Dataset copied(const Dataset& dataset, const std::string& parent) {
        Dataset copy = dataset;
        copy.root = scratch_ / parent / "images";
        make_folders(copy.root.parent_path());
        fs::copy(dataset.root, copy.root, fs::copy_options::recursive);
        return copy;
    }
    static void paint(const Dataset& dataset, std::size_t row, std::uint8_t red) {
        write_file_atomically(dataset.path_of(row), bmp(red, 99, 99));
    }
    PredictResult run(const std::string& model, const Dataset& dataset) {
        const LoadedModel one = loaded(model, std::make_shared<Fake>());
        return predict({&one, 1}, dataset, options("runs")).at(0);
    }
    std::string refusal(const std::string& model, const Dataset& dataset) {
        return message_of([&] { run(model, dataset); });
    }
    fs::path record(const std::string& model, int shard) {
        return scratch_ / "runs/d" / model / "shards" / fmt::format("{:06}.json", shard);
    }
    /// A store in the format from before images were recorded.
    void make_old(const std::string& model) {
        // Stores of format 2 had neither checksums nor ids.
        const auto rewrite = [](const fs::path& file, std::initializer_list<const char*> later) {
            nlohmann::json value = nlohmann::json::parse(read_text(file));
            value["schema_version"] = 2;
            for (const char* field : later) ASSERT_EQ(value.erase(field), 1U) << field;
            write_file_atomically(file, value.dump());
        };
        rewrite(scratch_ / "runs/d" / model / "manifest.json",
                {"id", "dataset_id", "import_hash", "records", "xxh128"});
        for (int shard = 0; fs::exists(record(model, shard)); ++shard)
            rewrite(record(model, shard), {"store", "image_bytes", "image_hashes", "xxh128"});
    }
};

TEST_F(ImageIdentity, ASwappedFolderIsRefused) {
    const Dataset blur = images(20);
    const Dataset noise = copied(blur, "noise");
    for (std::size_t i = 0; i < 20; ++i) paint(noise, i, static_cast<std::uint8_t>(i));
    EXPECT_EQ(run("m", blur).predicted, 20U);
    // Every file has 70 bytes, so files only differ in their contents.
    EXPECT_THAT(
        refusal("m", noise),
        AllOf(HasSubstr("`000.bmp` has different bytes of the same number"),
              HasSubstr("The store was made from `" + blur.root.string() + "`"),
              HasSubstr("now are in `" + noise.root.string() + "`"), HasSubstr("noise_images")));
    // Another model on the other images is refused as well, and no store of it is begun.
    EXPECT_THAT(refusal("other", noise), HasSubstr("runs/d/m`: `000.bmp`"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs/d/other"));
    EXPECT_EQ(run("other", blur).predicted, 20U);
}

TEST_F(ImageIdentity, EveryImageOfAnotherSizeIsFound) {
    const Dataset dataset = images(200);  // only a sample is read; the rest are known by size
    run("m", dataset);
    for (const std::size_t row : {101U, 7U, 150U})
        write_file_atomically(dataset.path_of(row), bmp(1, 2, 3) + "more");
    EXPECT_THAT(refusal("m", dataset),
                AllOf(HasSubstr("`007.bmp` had 70 bytes and now has 74, and so have 2 more of 200"),
                      HasSubstr("whose images have changed since")));
    for (const std::size_t row : {101U, 150U})
        write_file_atomically(dataset.path_of(row), bmp(static_cast<std::uint8_t>(row), 0, 0));
    EXPECT_THAT(refusal("m", dataset),
                AllOf(HasSubstr("`007.bmp` had 70 bytes"), Not(HasSubstr("more of"))));
    write_file_atomically(dataset.path_of(7), bmp(7, 0, 0));
    EXPECT_EQ(run("m", dataset).predicted, 0U);
}

TEST_F(ImageIdentity, OfEditsThatKeepTheSizeASampleIsFound) {
    const Dataset dataset = images(200);
    run("m", dataset);
    // Half of the imagesdiffer, and 64 draws miss all of them with probability 2^-64.
    for (std::size_t i = 0; i < 200; i += 2) paint(dataset, i, 7);
    EXPECT_THAT(refusal("m", dataset), HasSubstr("has different bytes of the same number"));
}

TEST_F(ImageIdentity, AMovedFolderGoesOn) {
    const Dataset before = images(20);
    EXPECT_THAT(run("m", before).dataset_notes, IsEmpty());
    fs::remove(record("m", 1));
    const Dataset copy = copied(before, "other");
    const PredictResult resumed = run("m", copy);
    EXPECT_EQ(resumed.predicted, 8U);
    EXPECT_THAT(resumed.dataset_notes,
                ElementsAre(AllOf(HasSubstr(before.root.string()), HasSubstr(copy.root.string()),
                                  HasSubstr("12 compared by size, 12 of them"))));
    // Both folders exist, so the record keeps the first one.
    const auto root = [&] { return PredictionStore::open(scratch_ / "runs/d/m").dataset().root; };
    EXPECT_EQ(root(), before.root);

    fs::remove_all(before.root);
    EXPECT_EQ(run("m", copy).dataset_notes.size(), 1U);
    EXPECT_EQ(root(), copy.root);  // from now on, images are shown from this folder
    EXPECT_TRUE(verify_store(scratch_ / "runs/d/m").empty());
    EXPECT_THAT(run("m", copy).dataset_notes, IsEmpty());
}

TEST_F(ImageIdentity, ImagesThatAreNotThereSayNothing) {
    const Dataset dataset = images(20);
    run("m", dataset);
    fs::remove(dataset.path_of(3));
    EXPECT_EQ(run("m", dataset).predicted, 0U);
    fs::remove_all(dataset.root);
    EXPECT_THAT(run("m", dataset).dataset_notes, ElementsAre(HasSubstr("could not be compared")));
}

TEST_F(ImageIdentity, AnOldStoreIsComparedByAWholeShard) {
    const Dataset dataset = images(20);
    run("m", dataset);
    make_old("m");
    const PredictResult again = run("m", dataset);
    EXPECT_EQ(again.predicted, 0U);
    EXPECT_THAT(again.dataset_notes,
                ElementsAre(AllOf(HasSubstr("no record of single images"),
                                  HasSubstr("the bytes of 4 of 20 images were compared"))));
    const Dataset noise = copied(dataset, "noise");
    paint(noise, 18, 200);  // this row is in the last shard
    EXPECT_THAT(refusal("m", noise), HasSubstr("`016.bmp` or one of the 3 after it"));
    EXPECT_THAT(refusal("n", noise), HasSubstr("`016.bmp` or one of the 3 after it"));
}

TEST_F(ImageIdentity, AMendedImageIsNoOther) {
    const Dataset dataset = images(20);
    write_file_atomically(dataset.path_of(5), "cut off");
    EXPECT_EQ(run("m", dataset).bad_rows, 1U);
    write_file_atomically(dataset.path_of(5), bmp(5, 0, 0));
    EXPECT_EQ(run("n", dataset).bad_rows, 0U);
    EXPECT_EQ(run("m", dataset).bad_rows, 0U);
    // An image that was damaged after the run counts as changed.
    write_file_atomically(dataset.path_of(6), "cut off");
    EXPECT_THAT(refusal("o", dataset), HasSubstr("`006.bmp` had 70 bytes and now has 7"));
}

TEST_F(ImageIdentity, StoresOfOtherImagesAreNotReadTogether) {
    const Dataset blur = images(20);
    const Dataset noise = copied(blur, "noise");
    for (std::size_t i = 0; i < 20; ++i) paint(noise, i, static_cast<std::uint8_t>(i));
    const auto run_in = [&](const char* model, const Dataset& dataset, const char* runs) {
        const LoadedModel one = loaded(model, std::make_shared<Fake>());
        return predict({&one, 1}, dataset, options(runs)).at(0).store.string();
    };
    const std::string a = run_in("a", blur, "1"), same = run_in("b", blur, "2"),
                      other = run_in("c", noise, "3");
    const PredictionStore first = PredictionStore::open(a);
    store::require_same(first, PredictionStore::open(same), {.classes = true});
    EXPECT_THAT(message_of([&] { store::require_same(first, PredictionStore::open(other)); }),
                HasSubstr("different images under the same ids"));
    // An image is shown once, even if several paths lead to its stores. Another image of the same
    // name is shown separately.
    ShowOptions show;
    show.image = "003.bmp";
    show.paths = {a, (scratch_ / "1").string(), (scratch_ / "1/d").string(), same, other};
    std::vector<std::string> notes;
    const auto shown = show_image(show, notes);
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown[0].models.size(), 2U);
    EXPECT_EQ(shown[1].models.size(), 1U);
    ScoreRunsOptions score;
    score.paths = {a, scratch_ / "1"};
    score.measure.metrics = {"top1"};
    EXPECT_EQ(score_runs(score, *self_comm()).reports.size(), 1U);
}

// Such stores are not compared, for any layout of their shards, unless this is requested.
TEST_F(ImageIdentity, StoresOfOtherImagesAreComparedOnlyWhenAskedFor) {
    const Dataset blur = images(20);
    const Dataset noise = copied(blur, "noise");
    paint(noise, 7, 99);
    const auto run_in = [&](const char* model, const Dataset& dataset, std::uint32_t shard_rows) {
        PredictOptions how = options(model);
        how.shard_rows = shard_rows;
        const LoadedModel one = loaded(model, std::make_shared<Fake>());
        return predict({&one, 1}, dataset, how).at(0).store;
    };
    CompareRunsOptions pair;
    pair.baseline = run_in("a", blur, 8);
    pair.candidates = {run_in("b", noise, 4)};
    pair.measure.metrics = {"top1"};
    try {
        compare_runs(pair, *self_comm());
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.what(),
                    HasSubstr("saw different images under the same ids: 1 of 20 recorded ones, the "
                              "first `007.bmp`; to pair them anyway"));
    }
    pair.other_images = true;
    EXPECT_THAT(compare_runs(pair, *self_comm()).warnings,
                testing::Contains(HasSubstr("saw different images under the same ids: 1 of 20")));
    pair.candidates = {run_in("c", blur, 4)};
    pair.other_images = false;
    EXPECT_EQ(compare_runs(pair, *self_comm()).pairs.size(), 1U);
}

/// A model that calls a function while the first batch is computed.
class Meanwhile : public Fake {
public:
    explicit Meanwhile(std::function<void()> what) : what_(std::move(what)) {}
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (auto what = std::exchange(what_, nullptr)) what();
        Fake::scores(input, n, out);
    }

private:
    std::function<void()> what_;
};

TEST_F(ImageIdentity, TwoThatBeganAtOnceAreToldApart) {
    const Dataset blur = images(20);
    const Dataset noise = copied(blur, "noise");
    for (std::size_t i = 0; i < 20; ++i) paint(noise, i, static_cast<std::uint8_t>(i));
    // When `b` checked the folder, it was still empty.
    const LoadedModel b = loaded("b", std::make_shared<Meanwhile>([&] { run("a", blur); }));
    try {
        predict({&b, 1}, noise, options("runs"));
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.what(), HasSubstr("runs/d/a`: `000.bmp`"));
    }
    EXPECT_FALSE(PredictionStore::open(scratch_ / "runs/d/b").has(0));
}

}  // namespace
}  // namespace assay
