// The predict engine with simple classifiers: the inputs that they get, and the results that are
// stored.
#include "assay/evaluate/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "assay/error.h"
#include "coloured_images.h"
#include "containers/remote/files.h"
#include "core/file.h"
#include "data/range_server.h"
#include "data/tar_writer.h"
#include "evaluate/prediction_run.h"
#include "message_of.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using Predict = PredictImages;

TEST_F(Predict, BatchesAreCutAtFixedPositions) {
    const Dataset dataset = images(22);
    for (const int threads : {1, 2, 3, 7}) {
        PredictOptions o = options("runs" + std::to_string(threads));
        o.threads = threads;
        const LoadedModel model = loaded("m", std::make_shared<Fake>());
        const auto results = predict({&model, 1}, dataset, o);
        ASSERT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].predicted, 22U);
        EXPECT_EQ(results[0].bad_rows, 0U);
        const std::vector<float> scores = kept(results[0].store);
        ASSERT_EQ(scores.size(), 44U);
        for (std::size_t i = 0; i < 22; ++i) {
            EXPECT_EQ(scores[2 * i], static_cast<float>(i) / 255.0F);
            EXPECT_EQ(scores[2 * i + 1], i < 20 ? 4 : 2);  // 5 batches of 4, and one of 2
        }
    }
}

TEST_F(Predict, ADataSetWithoutImagesIsRefused) {
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    EXPECT_THROW(predict({&model, 1}, images(0), options("runs")), Error);
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));
}

/// A model that takes bytes, like classifiers on devices.
class FakeOnDevice final : public Fake {
public:
    using Fake::Fake;
    bool prefers_bytes() const override { return true; }
    void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) override {
        ++asked;
        largest_byte = std::max(largest_byte, *std::ranges::max_element(batch.pixels));
        Classifier::score_bytes(batch, n, out);
    }
    int asked = 0;
    std::uint8_t largest_byte = 0;
};

TEST_F(Predict, OutOfMemoryHalvesTheBatch) {
    const Dataset dataset = images(8);
    for (const auto& fake :
         {std::make_shared<Fake>(2), std::shared_ptr<Fake>(std::make_shared<FakeOnDevice>(2))}) {
        const std::string runs = fake->prefers_bytes() ? "bytes" : "floats";
        const LoadedModel model = loaded("m", fake);
        const auto results = predict({&model, 1}, dataset, options(runs));
        // Each batch of 4 fails once and is split into two of 2.
        EXPECT_THAT(fake->sizes, testing::ElementsAre(4, 2, 2, 4, 2, 2)) << runs;
        EXPECT_EQ(results[0].halved, 2U) << runs;
        const std::vector<float> scores = kept(results[0].store);
        for (std::size_t i = 0; i < 8; ++i)
            EXPECT_EQ(scores[2 * i], static_cast<float>(i) / 255.0F) << runs;
    }
}

TEST_F(Predict, ClassifiersAreGivenBytesOrFloatsAsTheyPrefer) {
    const Dataset dataset = images(9);
    write_file_atomically(dataset.root / "003.bmp", "no image");
    const auto on_device = std::make_shared<FakeOnDevice>(),
               alone = std::make_shared<FakeOnDevice>();
    const auto floats = std::make_shared<Fake>();
    std::vector<LoadedModel> models = {loaded("device", on_device), loaded("floats", floats),
                                       loaded("alone", alone)};
    models[2].spec.preprocess.mean = {0.5, 0.25, 0.125};
    models[2].spec.preprocess.channel_order = ChannelOrder::bgr;
    const auto results = predict(models, dataset, options("runs"));
    EXPECT_EQ(on_device->asked, 3);
    EXPECT_EQ(on_device->largest_byte, 8);
    EXPECT_EQ(floats->sizes, on_device->sizes);
    const auto bits = [&](std::size_t m) {
        std::vector<std::uint32_t> all;
        for (const float score : kept(results[m].store))
            std::memcpy(&all.emplace_back(), &score, sizeof score);
        return all;
    };
    EXPECT_EQ(bits(0), bits(1));
    // The first plane is blue, which is 0 - 0.5.
    for (const std::size_t i : {0, 1, 8}) EXPECT_EQ(kept(results[2].store)[2 * i], -0.5F);
    EXPECT_EQ(results[0].bad_rows, 1U);
    EXPECT_EQ(alone->largest_byte, 8);
}

TEST_F(Predict, OutOfMemoryForOneImageIsAnError) {
    const LoadedModel model = loaded("m", std::make_shared<Fake>(0));
    try {
        predict({&model, 1}, images(4), options("runs"));
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
        EXPECT_THAT(error.what(), testing::HasSubstr("running `m` on images 0 to 3"));
    }
}

TEST_F(Predict, UnreadableAndNotFiniteRowsAreRecorded) {
    const Dataset dataset = images(10);
    write_file_atomically(dataset.root / "005.bmp", "text");
    fs::remove(dataset.root / "007.bmp");
    const auto fake = std::make_shared<Fake>();
    fake->nan_below =
        1.5F;  // images 0 and 1, and the zeros in place of 5 and 7, which must not count twice
    const LoadedModel model = loaded("m", fake);
    const auto results = predict({&model, 1}, dataset, options("runs"));
    EXPECT_EQ(results[0].bad_rows, 4U);
    EXPECT_THAT(results[0].first_error, testing::StartsWith("000.bmp: "));
    const PredictionStore store = PredictionStore::open(results[0].store);
    const auto shard = store.shard(0);
    const auto states = shard.states();
    EXPECT_THAT(std::vector<RowState>(states.begin(), states.end()),
                testing::ElementsAre(RowState::not_finite, RowState::not_finite, RowState::ok,
                                     RowState::ok, RowState::ok, RowState::unreadable, RowState::ok,
                                     RowState::unreadable));
    EXPECT_EQ(shard.errors().size(), 4U);
}

// 2 x 2 pixels are 16 bytes.
TEST_F(Predict, ImagesOverTheLimitsAreRecordedAndComputedUnderLargerOnes) {
    const Dataset dataset = images(10);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    for (const int threads : {1, 5}) {
        for (const bool by_pixels : {true, false}) {
            PredictOptions o = options("runs" + std::to_string(threads) + (by_pixels ? "p" : "m"));
            o.threads = threads;
            if (by_pixels) {
                o.max_pixels = 3;
            } else {
                o.image_memory = 15;
            }
            const PredictResult refused = predict({&model, 1}, dataset, o).at(0);
            EXPECT_EQ(refused.bad_rows, 10U);
            EXPECT_THAT(refused.first_error,
                        testing::HasSubstr(by_pixels ? "2 x 2 pixels; the limit is 3 pixels"
                                                     : "2 x 2 pixels need 16 bytes of memory; the "
                                                       "limit for an image is 15"));
            // Only one image fits into memory, so all threads share it.
            o.max_pixels = 4;
            o.image_memory = 16;
            const PredictResult read = predict({&model, 1}, dataset, o).at(0);
            EXPECT_EQ(read.bad_rows, 0U);
            EXPECT_EQ(read.predicted, 10U);
            const std::vector<float> scores = kept(read.store);
            for (std::size_t i = 0; i < 10; ++i)
                EXPECT_EQ(scores[2 * i], static_cast<float>(i) / 255.0F);
        }
    }
}

TEST_F(Predict, AnImageIsPartOfTheBudgetAsLongAsItIsUsed) {
    const Dataset dataset = images(1);
    MemoryBudget memory(1000);
    std::uint64_t meanwhile = 0;
    ReadImage read;
    const auto problem = prediction::use_image(
        dataset, 0, {}, memory,
        [&](const Image& image) {
            EXPECT_EQ(image.width, 2);
            meanwhile = memory.in_use();
        },
        &read);
    EXPECT_FALSE(problem);
    EXPECT_GE(meanwhile, 16U);  // 2 x 2 pixels have four bytes each
    EXPECT_EQ(memory.in_use(), 0U);
    EXPECT_EQ(read.bytes, 70U);
    // If memory is not enough for an image, this is recorded as its error.
    EXPECT_THAT(
        prediction::use_image(dataset, 0, {}, memory, [](const Image&) { throw std::bad_alloc(); }),
        testing::Optional(testing::HasSubstr("not enough memory")));
    EXPECT_EQ(memory.in_use(), 0U);
    Dataset nowhere;
    nowhere.ids.append("nowhere");
    EXPECT_THAT(prediction::use_image(nowhere, 0, {}, memory, [](const Image&) {}),
                testing::Optional(testing::HasSubstr("nowhere")));
    EXPECT_THROW(
        prediction::use_image(dataset, 0, {}, memory,
                              [](const Image&) { throw Error(ErrorCode::interrupted, "stopped"); }),
        Error);
}

TEST_F(Predict, OnlyWhatIsMissingIsComputed) {
    const Dataset dataset = images(20);
    const auto first = std::make_shared<Fake>();
    const LoadedModel a = loaded("a", first);
    const fs::path store = predict({&a, 1}, dataset, options("runs")).at(0).store;
    fs::remove(store / "shards/000001.json");

    const auto again = std::make_shared<Fake>();
    const auto other = std::make_shared<Fake>();
    const std::vector<LoadedModel> both = {loaded("a", again), loaded("b", other)};
    Progress last;
    const auto results =
        predict(both, dataset, options("runs"), [&](const Progress& p) { last = p; });
    EXPECT_EQ(results[0].predicted, 8U);  // shard 1 has rows 8 to 15
    EXPECT_EQ(results[1].predicted, 20U);
    EXPECT_EQ(again->sizes.size(), 2U);
    EXPECT_EQ(other->sizes.size(), 5U);
    EXPECT_EQ(last.skipped, 12U);
    EXPECT_EQ(last.done, 40U);
    EXPECT_EQ(last.total, 40U);
}

TEST_F(Predict, WithoutAnyImageNothingIsBegun) {
    const Dataset dataset = images(5);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    fs::rename(dataset.root, scratch_ / "elsewhere");
    try {
        predict({&model, 1}, dataset, options("runs"));
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.what(), testing::HasSubstr("is in `" + dataset.root.string() + "`"));
    }
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));

    fs::rename(scratch_ / "elsewhere", dataset.root);
    predict({&model, 1}, dataset, options("runs"));
    fs::remove_all(dataset.root);
    EXPECT_EQ(predict({&model, 1}, dataset, options("runs")).at(0).predicted,
              0U);  // a complete store needs no images
}

TEST_F(Predict, ImagesThatAreThereAgainAreComputed) {
    const Dataset dataset = images(20);
    const auto fake = std::make_shared<Fake>();
    const LoadedModel model = loaded("m", fake);
    predict({&model, 1}, dataset, options("unbroken"));

    for (const char* name : {"005.bmp", "006.bmp", "017.bmp"})
        fs::rename(dataset.root / name, scratch_ / name);
    EXPECT_EQ(predict({&model, 1}, dataset, options("runs")).at(0).bad_rows, 3U);
    fake->sizes.clear();
    EXPECT_EQ(predict({&model, 1}, dataset, options("runs")).at(0).predicted,
              0U);  // the image is missing again
    EXPECT_THAT(fake->sizes, testing::IsEmpty());

    write_file_atomically(dataset.root / "017.bmp", "no image");
    for (const char* name : {"005.bmp", "006.bmp"})
        fs::rename(scratch_ / name, dataset.root / name);
    const PredictResult some = predict({&model, 1}, dataset, options("runs")).at(0);
    EXPECT_EQ(some.predicted, 4U);  // the batch of images 5 and 6, not that of 17
    EXPECT_EQ(some.bad_rows, 1U);
    EXPECT_THAT(some.first_error, testing::StartsWith("017.bmp: "));

    fs::rename(scratch_ / "017.bmp", dataset.root / "017.bmp");
    const PredictResult all = predict({&model, 1}, dataset, options("runs")).at(0);
    EXPECT_EQ(all.predicted, 4U);
    EXPECT_EQ(all.bad_rows, 0U);
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "unbroken")) {
        if (!entry.is_regular_file() || entry.path().filename().string().ends_with("lock"))
            continue;
        const fs::path other =
            scratch_ / "runs" / entry.path().lexically_relative(scratch_ / "unbroken");
        EXPECT_EQ(read_text(entry.path()), read_text(other)) << other;
    }
}

TEST_F(Predict, AResumedStoreKeepsItsBatchSize) {
    const Dataset dataset = images(16);
    const LoadedModel a = loaded("a", std::make_shared<Fake>());
    const fs::path store = predict({&a, 1}, dataset, options("runs")).at(0).store;
    fs::remove(store / "shards/000000.json");
    const auto again = std::make_shared<Fake>();
    const LoadedModel resumed = loaded("a", again);
    PredictOptions unspoken = options("runs");
    unspoken.batch_size = 0;
    unspoken.shard_rows = 0;
    predict({&resumed, 1}, dataset, unspoken);
    EXPECT_THAT(again->sizes, testing::ElementsAre(4, 4));
}

TEST_F(Predict, NamesAndClassListsMustAgree) {
    const Dataset dataset = images(1);
    const std::vector<LoadedModel> twins = {loaded("m", std::make_shared<Fake>()),
                                            loaded("m", std::make_shared<Fake>())};
    EXPECT_THROW(predict(twins, dataset, options("runs")), Error);
    std::vector<LoadedModel> strangers = {loaded("m", std::make_shared<Fake>()),
                                          loaded("n", std::make_shared<Fake>())};
    strangers[1].spec.classes = ClassList({"red", "blue"});
    EXPECT_THROW(predict(strangers, dataset, options("runs")), Error);
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));  // the error comes before anything is written
}

TEST_F(Predict, AnotherOutputOrLayoutOfOneFileIsAnotherStore) {
    const Dataset dataset = images(3);
    const LoadedModel first = loaded("m", std::make_shared<Fake>());
    predict({&first, 1}, dataset, options("runs"));
    const std::string plain = PredictionStore::open(scratch_ / "runs/d/m").spec().preprocess_hash;
    EXPECT_EQ(plain, fingerprint(first.spec.preprocess));
    LoadedModel output = loaded("m", std::make_shared<Fake>());
    output.spec.output = "aux";
    LoadedModel layout = loaded("m", std::make_shared<Fake>());
    layout.spec.layout = InputLayout::nhwc;
    LoadedModel bytes = loaded("m", std::make_shared<Fake>());
    bytes.spec.input_type = InputType::uint8;
    std::set<std::string> hashes = {plain};
    int number = 0;
    for (const LoadedModel* model : {&output, &layout, &bytes}) {
        // A finished store with other settings is not a result for these settings.
        EXPECT_THROW(predict({model, 1}, dataset, options("runs")), Error);
        const std::string own = "own" + std::to_string(number++);
        predict({model, 1}, dataset, options(own));
        hashes.insert(PredictionStore::open(scratch_ / own / "d/m").spec().preprocess_hash);
    }
    EXPECT_EQ(hashes.size(), 4U);
}

TEST_F(Predict, PartsTogetherAreTheWhole) {
    const Dataset dataset = images(45);
    write_file_atomically(dataset.root / "019.bmp", "text");
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    predict({&model, 1}, dataset, options("whole"));
    const std::vector<float> whole = kept(scratch_ / "whole/d/m");
    std::uint64_t rows = 0, bad = 0;
    for (const std::uint32_t number : {3U, 1U, 4U, 2U}) {
        PredictOptions o = options("parts");
        o.part = {number, 4};
        Progress last;
        const auto results = predict({&model, 1}, dataset, o, [&](const Progress& p) { last = p; });
        EXPECT_EQ(results[0].rows, results[0].predicted);
        EXPECT_EQ(last.total, results[0].rows);
        EXPECT_EQ(last.done, last.total);
        rows += results[0].rows;
        bad += results[0].bad_rows;
        // The second run has nothing to do.
        EXPECT_EQ(predict({&model, 1}, dataset, o)[0].predicted, 0U);
    }
    EXPECT_EQ(rows, 45U);
    EXPECT_EQ(bad, 1U);
    const std::vector<float> together = kept(scratch_ / "parts/d/m");
    ASSERT_EQ(together.size(), whole.size());
    // Compared by bytes, because one row is NaN.
    EXPECT_EQ(std::memcmp(together.data(), whole.data(), whole.size() * sizeof(float)), 0);

    // The images have changed since the first part, so no other part is added.
    write_file_atomically(dataset.root / "000.bmp", bmp(9, 9, 9));
    PredictOptions o = options("changed");
    o.part = {1, 4};
    predict({&model, 1}, dataset, o);
    write_file_atomically(dataset.root / "000.bmp", bmp(7, 7, 7));
    o.part = {2, 4};
    EXPECT_THROW(predict({&model, 1}, dataset, o), Error);
}

TEST_F(Predict, APartWithoutShardsSaysSo) {
    const Dataset dataset = images(10);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    PredictOptions o = options("parts");
    o.part = {1, 3};  // one of two shards
    const auto results = predict({&model, 1}, dataset, o);
    EXPECT_EQ(results[0].rows, 0U);
    ASSERT_FALSE(results[0].notes.empty());
    EXPECT_THAT(results[0].notes.back(), testing::HasSubstr("2 shards of 8 images"));
}

TEST_F(Predict, ImagesInATarGiveTheBitsOfThoseInFiles) {
    const Dataset files = images(30);
    std::string tar;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string id(files.ids[i]);
        tar += tar_member(id, i == 7 ? "text" : read_text(files.path_of(i)));
        tar += tar_member(id.substr(0, 3) + ".cls", "0");
    }
    write_file_atomically(scratch_ / "d.tar", tar + tar_end());
    write_file_atomically(files.root / "007.bmp", "text");
    const Dataset members = open_dataset(scratch_ / "d.tar", {.classes = files.classes});
    ASSERT_EQ(members.size(), 30U);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    predict({&model, 1}, files, options("files"));
    for (const int threads : {1, 4}) {
        PredictOptions o = options("tar" + std::to_string(threads));
        o.threads = threads;
        const auto results = predict({&model, 1}, members, o);
        EXPECT_EQ(results[0].bad_rows, 1U);
        EXPECT_THAT(results[0].first_error, testing::StartsWith("d.tar/007: "));
        const std::vector<float> own = kept(results[0].store),
                                 wanted = kept(scratch_ / "files/d/m");
        ASSERT_EQ(own.size(), wanted.size());
        EXPECT_EQ(std::memcmp(own.data(), wanted.data(), own.size() * sizeof(float)), 0);
        // The next run has the same images as the store, so it has nothing to do.
        EXPECT_EQ(predict({&model, 1}, members, o)[0].predicted, 0U);
    }
    // A tar with the same names and sizes, but other bytes in one image.
    tar[512 + 60] ^= 1;
    write_file_atomically(scratch_ / "d.tar", tar + tar_end());
    const Dataset changed = open_dataset(scratch_ / "d.tar", {.classes = files.classes});
    EXPECT_THROW(predict({&model, 1}, changed, options("tar1")), Error);
}

// A server stops in the middle of a run. No image counts as damaged, and the run resumes when the
// server is back. If all images are scored, it needs no server.
TEST_F(Predict, AServerThatGoesAwayIsNoUnreadableImage) {
    const Dataset files = images(30);
    std::string tar;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string id(files.ids[i]);
        tar += tar_member(id, read_text(files.path_of(i)));
        tar += tar_member(id.substr(0, 3) + ".cls", "0");
    }
    RangeServer server;
    server.add("/d.tar", tar + tar_end());
    remote::FilesLimits limits;
    limits.block = 1024;
    limits.run = 1;
    limits.runs_ahead = 0;
    limits.kept = 4096;
    limits.patience.first_pause = std::chrono::milliseconds(2);
    const auto open = [&] {
        return open_dataset(server.url("/d.tar"),
                            {.classes = files.classes, .index_folder = scratch_ / "index"});
    };
    {
        const remote::FilesInstead own(limits);
        open();  // the folder keeps the index of the archive
    }
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    predict({&model, 1}, files, options("files"));
    PredictOptions o = options("remote");
    o.threads = 1;
    std::atomic<int> asked{0};
    server.instead([&](const WebRequest& request) {
        return asked++ < 20 ? server.usual(request) : WebAnswer{};
    });
    {
        const remote::FilesInstead own(limits);
        EXPECT_THAT(message_of(
                        [&] {
                            predict({&model, 1}, open(), o);
                        },
                        ErrorCode::unreachable),
                    testing::HasSubstr(".bmp in " + server.url("/d.tar") + ": bytes "));
    }
    const auto partial = PredictionStore::open(scratch_ / "remote/d/m");
    EXPECT_FALSE(partial.complete());
    EXPECT_TRUE(partial.has(0));
    server.instead(nullptr);
    {
        const remote::FilesInstead own(limits);
        const auto results = predict({&model, 1}, open(), o);
        EXPECT_EQ(results[0].bad_rows, 0U);
        EXPECT_LT(results[0].predicted, 30U);
    }
    const std::vector<float> own_scores = kept(scratch_ / "remote/d/m"),
                             wanted = kept(scratch_ / "files/d/m");
    ASSERT_EQ(own_scores.size(), wanted.size());
    EXPECT_EQ(std::memcmp(own_scores.data(), wanted.data(), own_scores.size() * sizeof(float)), 0);
    server.instead([](const WebRequest&) { return WebAnswer{}; });
    const remote::FilesInstead own(limits);
    const auto results = predict({&model, 1}, open(), o);
    EXPECT_EQ(results[0].predicted, 0U);
    EXPECT_THAT(results[0].dataset_notes,
                testing::Contains(testing::HasSubstr("could not be compared with those")));
}

}  // namespace
}  // namespace assay
