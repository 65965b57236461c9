// A run that is stopped, killed or fails only loses the batches that it was computing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "coloured_images.h"
#include "evaluate/prediction_run.h"
#include "message_of.h"
#include "until.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A model that ends at one of its batches, as `ending` says.
class Ending final : public Fake {
public:
    Ending(std::size_t at, std::function<void()> ending) : at_(at), ending_(std::move(ending)) {}
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (sizes.size() == at_) ending_();
        Fake::scores(input, n, out);
    }

private:
    std::size_t at_;
    std::function<void()> ending_;
};

class PredictStopped : public PredictImages {
protected:
    /// One shard of 24 rows, in batches of 4.
    PredictOptions one_shard(const std::string& runs) {
        PredictOptions o = options(runs);
        o.shard_rows = 24;
        return o;
    }
    std::shared_ptr<Fake> stopped_at(std::size_t batch) {
        return std::make_shared<Ending>(batch,
                                        [] { throw Error(ErrorCode::interrupted, "interrupted"); });
    }
    std::size_t batches(const PredictOptions& o, const Dataset& dataset) {
        const auto fake = std::make_shared<Fake>();
        const LoadedModel model = loaded("m", fake);
        predict({&model, 1}, dataset, o);
        return fake->sizes.size();
    }
    std::map<std::string, std::string> shards(const PredictOptions& o) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(o.runs / "d/m/shards"))
            files[entry.path().filename().string()] = read_text(entry.path());
        return files;
    }
    fs::path begun(const PredictOptions& o) { return o.runs / "d/m/shards/.000000.begun"; }
};

TEST_F(PredictStopped, WhatWasComputedIsKeptAndGivesTheSameBytes) {
    const Dataset dataset = images(22);
    const PredictOptions whole = one_shard("whole"), stopped = one_shard("stopped");
    EXPECT_EQ(batches(whole, dataset), 6U);

    LoadedModel model = loaded("m", stopped_at(4));
    EXPECT_EQ(message_of(
                  [&] {
                      predict({&model, 1}, dataset, stopped);
                  },
                  ErrorCode::interrupted),
              "interrupted: 16 of 22 images of `d` are kept; run the same command to resume");
    model = loaded("m", stopped_at(1));
    EXPECT_EQ(message_of(
                  [&] {
                      predict({&model, 1}, dataset, stopped);
                  },
                  ErrorCode::interrupted),
              "interrupted: 20 of 22 images of `d` are kept; run the same command to resume");
    std::vector<Progress> seen;
    const auto last = std::make_shared<Fake>();
    model = loaded("m", last);
    const auto results = predict({&model, 1}, dataset, stopped,
                                 [&](const Progress& progress) { seen.push_back(progress); });
    EXPECT_THAT(last->sizes, ElementsAre(2U));
    EXPECT_EQ(results[0].predicted, 2U);
    EXPECT_EQ(seen.front().skipped, 20U);
    EXPECT_EQ(shards(stopped), shards(whole));
}

TEST_F(PredictStopped, AKilledRunKeepsWhatIsOlderThanTheTime) {
    const Dataset dataset = images(22);
    const PredictOptions whole = one_shard("whole"), killed = one_shard("killed");
    batches(whole, dataset);
    const pid_t child = ::fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        const LoadedModel model = loaded("m", std::make_shared<Fake>());
        StoreSpec spec = prediction::store_spec(model, dataset, killed);
        StoreWriter writer = StoreWriter::open(killed.runs, spec, dataset);
        const store::ImageCheck check(dataset, killed.runs / "d", 1);
        ShardBuffers shards(writer, check, prediction::computed_on(model));
        shards.keep_every(std::chrono::seconds(0));
        for (std::uint64_t first = 0; first < 12; first += 4) {
            std::vector<float> scores(8);
            std::vector<ReadImage> read;
            for (std::size_t i = 0; i < 4; ++i) {
                scores[2 * i] = static_cast<float>(first + i) / 255.0F;
                scores[2 * i + 1] = 4;
                const auto bytes = dataset.read_image(first + i);
                read.push_back({bytes.size(), hash_bytes(bytes)});
            }
            shards.add(first, scores, std::vector<RowState>(4), {}, read);
        }
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(batches(killed, dataset), 3U);
    EXPECT_EQ(shards(killed), shards(whole));
}

TEST_F(PredictStopped, AFailureKeepsWhatWasComputedToo) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("failed");
    const LoadedModel model = loaded("m", std::make_shared<Ending>(3, [] {
                                         throw Error(ErrorCode::bad_input, "the model broke");
                                     }));
    EXPECT_EQ(message_of([&] {
                  predict({&model, 1}, dataset, o);
              }),
              "the model broke; 3 images in a row could not be computed; 12 of 22 images of `d` "
              "are kept; "
              "run the same command to resume (while running `m` on images 12 to 15)");
    EXPECT_EQ(batches(o, dataset), 3U);
}

TEST_F(PredictStopped, SeveralModelsKeepTheirOwn) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("two");
    std::vector<LoadedModel> models = {loaded("a", std::make_shared<Fake>()),
                                       loaded("b", stopped_at(2))};
    EXPECT_EQ(message_of([&] { predict(models, dataset, o); }, ErrorCode::interrupted),
              "interrupted: 20 of 44 predictions of `d` are kept; run the same command to resume");
    const auto a = std::make_shared<Fake>(), b = std::make_shared<Fake>();
    models = {loaded("a", a), loaded("b", b)};
    predict(models, dataset, o);
    EXPECT_EQ(a->sizes.size(), 3U);
    EXPECT_EQ(b->sizes.size(), 4U);
}

TEST_F(PredictStopped, ImagesThatChangedOrCouldNotBeReadAreComputedAgain) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("changed");
    write_file_atomically(dataset.root / "005.bmp", "no image");  // batch 1 failed
    const LoadedModel model = loaded("m", stopped_at(5));
    // One of five computed batches has an image that cannot be read.
    EXPECT_EQ(message_of(
                  [&] {
                      predict({&model, 1}, dataset, o);
                  },
                  ErrorCode::interrupted),
              "interrupted: 16 of 22 images of `d` are kept; run the same command to resume");
    write_file_atomically(dataset.root / "005.bmp", bmp(5, 0, 0));
    // other bytes with the same size
    write_file_atomically(dataset.root / "008.bmp", bmp(9, 9, 9));
    // other bytes with another size
    write_file_atomically(dataset.root / "014.bmp", bmp(14, 0, 0) + "x");
    EXPECT_EQ(batches(o, dataset), 4U);
    EXPECT_EQ(kept(o.runs / "d/m")[16], 9 / 255.0F);
}

TEST_F(PredictStopped, OnAnotherDeviceAllIsComputedAgain) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("device");
    const LoadedModel model = loaded("m", stopped_at(4));
    EXPECT_THROW(predict({&model, 1}, dataset, o), Error);
    class Elsewhere final : public Fake {
    public:
        Elsewhere() {
            facts_elsewhere.classes = 2;
            facts_elsewhere.device = "cuda (a card)";
        }
        const ModelFacts& facts() const override { return facts_elsewhere; }
        ModelFacts facts_elsewhere;
    };
    const auto other = std::make_shared<Elsewhere>();
    const LoadedModel there = loaded("m", other);
    predict({&there, 1}, dataset, o);
    EXPECT_EQ(other->sizes.size(), 6U);
}

TEST_F(PredictStopped, WhatIsDamagedIsComputedAgain) {
    const Dataset dataset = images(22);
    const PredictOptions whole = one_shard("whole"), o = one_shard("damaged");
    batches(whole, dataset);
    const LoadedModel model = loaded("m", stopped_at(4));
    EXPECT_THROW(predict({&model, 1}, dataset, o), Error);
    const std::string good = read_text(begun(o));
    const fs::path copy = scratch_ / "copy";
    fs::copy(o.runs, copy, fs::copy_options::recursive);
    const auto with = [&](const std::string& bytes) {
        fs::remove_all(o.runs);
        fs::copy(copy, o.runs, fs::copy_options::recursive);
        write_file_atomically(begun(o), bytes);
        const std::size_t computed = batches(o, dataset);
        EXPECT_EQ(shards(o), shards(whole));
        return computed;
    };
    EXPECT_EQ(with(good), 2U);
    EXPECT_EQ(with(good + good), 2U);
    EXPECT_EQ(with(""), 6U);
    const std::size_t each = good.size() / 4;
    for (std::size_t at = 0; at < good.size(); at += 61) {
        EXPECT_EQ(with(good.substr(0, at)), 6 - at / each);
        std::string flipped = good;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        EXPECT_EQ(with(flipped), 6 - at / each) << at;
    }
    // If the file ends with half a batch, batches of the next run count anyway.
    fs::remove_all(o.runs);
    fs::copy(copy, o.runs, fs::copy_options::recursive);
    write_file_atomically(begun(o), good.substr(0, good.size() - 3));
    const LoadedModel again = loaded("m", stopped_at(2));
    EXPECT_THROW(predict({&again, 1}, dataset, o), Error);
    EXPECT_EQ(batches(o, dataset), 1U);
}

TEST_F(PredictStopped, ALinkInTheirPlaceIsLeftAlone) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("link");
    const LoadedModel model = loaded("m", stopped_at(1));
    EXPECT_THROW(predict({&model, 1}, dataset, o), Error);
    const fs::path notes = scratch_ / "notes.txt";
    write_file_atomically(notes, "not a batch");
    fs::remove(begun(o));
    fs::create_symlink(notes, begun(o));
    EXPECT_EQ(batches(o, dataset), 6U);
    EXPECT_EQ(read_text(notes), "not a batch");
}

TEST_F(PredictStopped, WhatIsLeftBesideAWrittenShardGoes) {
    const Dataset dataset = images(22);
    const PredictOptions o = one_shard("left");
    batches(o, dataset);
    write_file_atomically(begun(o), "of a run that was killed when it had written the shard");
    EXPECT_EQ(batches(o, dataset), 0U);
    EXPECT_FALSE(fs::exists(begun(o)));
}

}  // namespace
}  // namespace assay
