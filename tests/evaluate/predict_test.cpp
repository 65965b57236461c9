// The predict engine with classifiers made for the purpose: what they are asked, and what is kept.
#include "assay/evaluate/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A 2 x 2 image of one colour, 24-bit BMP: header of 54 bytes, rows padded to 8.
std::string bmp(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    std::string bytes = "BM";
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    };
    put(70, 4), put(0, 4), put(54, 4), put(40, 4), put(2, 4), put(2, 4), put(1, 2), put(24, 2);
    put(0, 4), put(16, 4), put(0, 4), put(0, 4), put(0, 4), put(0, 4);
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 2; ++column) put(b, 1), put(g, 1), put(r, 1);
        put(0, 2);
    }
    return bytes;
}

/// Scores of an image: its red value in [0, 1], and the size of the batch it came in.
class Fake : public Classifier {
public:
    explicit Fake(std::size_t most = 1'000'000) : most_(most) {
        facts_.classes = 2;
        facts_.device = "cpu";
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        {
            const std::scoped_lock lock(mutex_);
            sizes.push_back(n);
        }
        if (n > most_) throw Error(ErrorCode::out_of_memory, "a batch of " + std::to_string(n));
        const std::size_t each = input.size() / n;
        for (std::size_t i = 0; i < n; ++i) {
            const float red = input[i * each];
            out[2 * i] = nan_below >= 0 && red * 255 < nan_below
                             ? std::numeric_limits<float>::quiet_NaN()
                             : red;
            out[2 * i + 1] = static_cast<float>(n);
        }
    }
    std::vector<std::size_t> sizes;
    float nan_below = -1;

private:
    std::size_t most_;
    ModelFacts facts_;
    std::mutex mutex_;
};

LoadedModel loaded(const std::string& name, std::shared_ptr<Fake> classifier) {
    LoadedModel model;
    model.spec.name = name;
    model.spec.path = name + ".pt";
    model.spec.classes = ClassList({"red", "batch"});
    model.spec.preprocess.width = model.spec.preprocess.height = 2;
    model.spec.preprocess.crop_mode = CropMode::none;
    model.classifier = std::move(classifier);
    model.file_hash = hash_text(name);
    return model;
}

class Predict : public testing::Test {
protected:
    /// Images 0 ... n-1, red value = number.
    Dataset images(int n) {
        Dataset dataset;
        dataset.name = "d";
        dataset.root = scratch_ / "images";
        dataset.classes = ClassList({"red", "batch"});
        make_folders(dataset.root);
        for (int i = 0; i < n; ++i) {
            char id[16];
            std::snprintf(id, sizeof id, "%03d.bmp", i);
            write_file_atomically(dataset.root / id, bmp(static_cast<std::uint8_t>(i), 0, 0));
            dataset.ids.append(id);
            const std::int32_t label = 0;
            dataset.labels.append({&label, 1});
        }
        return dataset;
    }
    PredictOptions options(const std::string& runs) {
        PredictOptions o;
        o.runs = scratch_ / runs;
        o.batch_size = 4;
        o.shard_rows = 8;
        o.threads = 1;
        return o;
    }
    std::vector<float> kept(const fs::path& store_folder) {
        const PredictionStore store = PredictionStore::open(store_folder);
        std::vector<float> all;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const auto shard = store.shard(s);
            all.insert(all.end(), shard.f32().begin(), shard.f32().end());
        }
        return all;
    }
    Scratch scratch_;
};

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
            EXPECT_EQ(scores[2 * i + 1], i < 20 ? 4 : 2);  // 5 batches of 4, one of 2
        }
    }
}

TEST_F(Predict, ADataSetWithoutImagesIsRefused) {
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    EXPECT_THROW(predict({&model, 1}, images(0), options("runs")), Error);
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));
}

TEST_F(Predict, OutOfMemoryHalvesTheBatch) {
    const Dataset dataset = images(8);
    const auto fake = std::make_shared<Fake>(2);
    const LoadedModel model = loaded("m", fake);
    const auto results = predict({&model, 1}, dataset, options("runs"));
    // Each batch of 4 fails once and becomes two of 2.
    EXPECT_THAT(fake->sizes, testing::ElementsAre(4, 2, 2, 4, 2, 2));
    EXPECT_EQ(results[0].halved, 2U);
    const std::vector<float> scores = kept(results[0].store);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(scores[2 * i], static_cast<float>(i) / 255.0F);
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
        1.5F;  // images 0 and 1, and the zeros in the places of 5 and 7, which must not count twice
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
    EXPECT_EQ(results[0].predicted, 8U);  // shard 1: rows 8 to 15
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
              0U);  // a whole store needs no images
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
              0U);  // still not there
    EXPECT_THAT(fake->sizes, testing::IsEmpty());

    write_file_atomically(dataset.root / "017.bmp", "no image");
    for (const char* name : {"005.bmp", "006.bmp"})
        fs::rename(scratch_ / name, dataset.root / name);
    const PredictResult some = predict({&model, 1}, dataset, options("runs")).at(0);
    EXPECT_EQ(some.predicted, 8U);  // the shard of 5 and 6, not that of 17
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
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));  // refused before anything is written
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
        // The finished store of the other settings is no result for these.
        EXPECT_THROW(predict({model, 1}, dataset, options("runs")), Error);
        const std::string own = "own" + std::to_string(number++);
        predict({model, 1}, dataset, options(own));
        hashes.insert(PredictionStore::open(scratch_ / own / "d/m").spec().preprocess_hash);
    }
    EXPECT_EQ(hashes.size(), 4U);
}

}  // namespace
}  // namespace assay
