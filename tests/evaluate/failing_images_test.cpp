// Images that a classifier cannot compute are found, recorded and excluded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "coloured_images.h"
#include "message_of.h"
#include "model/isolated/supervised.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The images of a batch, given by their red values.
std::vector<int> numbers_of(std::span<const float> input, std::size_t n) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < n; ++i)
        numbers.push_back(static_cast<int>(std::lround(input[i * input.size() / n] * 255)));
    return numbers;
}

bool has_any(const std::vector<int>& numbers, const std::set<int>& of) {
    return std::ranges::any_of(numbers, [&](int number) { return of.contains(number); });
}

/// A model that raises an error for some images.
class Raising : public Fake {
public:
    explicit Raising(std::set<int> failing) : failing_(std::move(failing)) {}
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        Fake::scores(input, n, out);
        if (has_any(numbers_of(input, n), failing_))
            throw Error(ErrorCode::bad_input, "ValueError: no such image");
    }

private:
    std::set<int> failing_;
};

/// The same model, which takes bytes like classifiers on devices.
class RaisingOnDevice final : public Raising {
public:
    using Raising::Raising;
    bool prefers_bytes() const override { return true; }
};

/// A model in a separate process, which some images crash. Everything that is being computed in it
/// is lost.
class Crashing final : public Fake, public isolated::Supervised {
public:
    explicit Crashing(std::set<int> failing) : failing_(std::move(failing)) {}
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        const int before = ended_at;
        if (has_any(numbers_of(input, n), failing_) || (lives >= 0 && lives-- == 0)) {
            const std::scoped_lock lock(mutex_);
            ended_at = before + 1;
            ended_ = true;
        }
        Fake::scores(input, n, out);
        const std::scoped_lock lock(mutex_);
        if (ended_ || ended_at != before)
            throw Error(ErrorCode::bad_input, "the process that runs the model m.pt is gone");
    }
    isolated::BatchGate& gate() override { return gate_; }
    std::optional<isolated::ProcessEnd> process_end() override {
        const std::scoped_lock lock(mutex_);
        if (!ended_) return std::nullopt;
        return isolated::ProcessEnd{"the model's process was ended by signal 11", "a last line"};
    }
    bool can_restart() const override { return restartable; }
    void restart() override {
        const std::scoped_lock lock(mutex_);
        ended_ = false;
        ++restarts;
    }
    bool restartable = true;
    int restarts = 0;
    /// Number of batches before each crash that no image causes; -1 for no such crash.
    std::atomic<int> lives{-1};
    std::atomic<int> ended_at{0};

private:
    std::set<int> failing_;
    std::mutex mutex_;
    bool ended_ = false;
    isolated::BatchGate gate_;
};

class FailingImages : public PredictImages {
protected:
    std::vector<int> without_score(const fs::path& folder) {
        std::vector<int> rows;
        const PredictionStore store = PredictionStore::open(folder);
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const auto shard = store.shard(s);
            for (std::size_t i = 0; i < shard.states().size(); ++i) {
                if (shard.states()[i] != RowState::ok)
                    rows.push_back(static_cast<int>(shard.first_row + i));
            }
        }
        return rows;
    }
    std::map<std::string, std::string> shards(const fs::path& folder) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder / "shards"))
            files[entry.path().filename().string()] = read_text(entry.path());
        return files;
    }
};

TEST_F(FailingImages, AreFoundAndTheOthersGetTheBitsOfAWholeBatch) {
    const Dataset dataset = images(10);
    for (const bool bytes : {false, true}) {
        const std::set<int> failing = {5};
        const auto fake =
            bytes ? std::make_shared<RaisingOnDevice>(failing) : std::make_shared<Raising>(failing);
        const LoadedModel model = loaded("m", fake);
        const auto results = predict({&model, 1}, dataset, options(bytes ? "bytes" : "floats"));
        // After the first batch, the batches are the second one, its repetition, and its halves
        // down to image 5. The last is the whole batch with another image in place of 5.
        EXPECT_THAT(fake->sizes, ElementsAre(4, 4, 4, 2, 1, 1, 2, 4, 2));
        EXPECT_EQ(results[0].bad_rows, 1U);
        EXPECT_EQ(results[0].halved, 0U);
        EXPECT_EQ(results[0].first_error, "005.bmp: ValueError: no such image");
        EXPECT_THAT(results[0].notes, Contains("1 image could not be computed: 005.bmp "
                                               "(ValueError: no such image); --retry-failed tries "
                                               "it again"));
        EXPECT_THAT(without_score(results[0].store), ElementsAre(5));
        const std::vector<float> scores = kept(results[0].store);
        for (std::size_t i = 0; i < 10; ++i) {
            if (i == 5) continue;
            EXPECT_EQ(scores[2 * i], static_cast<float>(i) / 255.0F);
            EXPECT_EQ(scores[2 * i + 1], i < 8 ? 4 : 2);
        }
        // Nothing is computed again.
        fake->sizes.clear();
        const auto again = predict({&model, 1}, dataset, options(bytes ? "bytes" : "floats"));
        EXPECT_THAT(fake->sizes, IsEmpty());
        EXPECT_EQ(again[0].bad_rows, 1U);
    }
}

TEST_F(FailingImages, GiveTheSameBytesForAnyNumberOfThreads) {
    const Dataset dataset = images(60);
    std::map<std::string, std::string> first;
    for (const int threads : {1, 2, 5}) {
        const auto fake = std::make_shared<Crashing>(std::set<int>{5, 6, 17, 33, 34, 35, 36, 59});
        const LoadedModel model = loaded("m", fake);
        PredictOptions o = options("runs" + std::to_string(threads));
        o.threads = threads;
        const auto results = predict({&model, 1}, dataset, o);
        EXPECT_THAT(without_score(results[0].store), ElementsAre(5, 6, 17, 33, 34, 35, 36, 59));
        EXPECT_GT(fake->restarts, 8);
        EXPECT_EQ(results[0].predicted, 60U);
        EXPECT_THAT(results[0].notes,
                    Contains(AllOf(HasSubstr("8 images could not be computed: 005.bmp"),
                                   HasSubstr("signal 11, saying \"a last line\")"))));
        EXPECT_THAT(results[0].notes, Contains(HasSubstr("was restarted")));
        if (first.empty()) first = shards(results[0].store);
        EXPECT_EQ(shards(results[0].store), first);
    }
}

TEST_F(FailingImages, ABatchBesideThemIsNotHalved) {
    const Dataset dataset = images(40);
    const auto fake = std::make_shared<Crashing>(std::set<int>{});
    fake->lives = 3;  // and fails again after the same number
    const LoadedModel model = loaded("m", fake);
    PredictOptions o = options("runs");
    o.threads = 5;
    const auto results = predict({&model, 1}, dataset, o);
    EXPECT_EQ(fake->restarts, 1);
    EXPECT_EQ(results[0].bad_rows, 0U);
    for (const std::size_t size : fake->sizes) EXPECT_EQ(size, 4U);
}

TEST_F(FailingImages, AllOfThemEndTheRun) {
    std::set<int> all;
    for (int i = 0; i < 256; ++i) all.insert(i);
    const auto fake = std::make_shared<Crashing>(all);
    const LoadedModel model = loaded("m", fake);
    for (const int threads : {1, 5}) {
        for (const int n : {1, 40}) {
            PredictOptions o = options("runs" + std::to_string(n));
            o.threads = threads;
            const std::string message = message_of([&] { predict({&model, 1}, images(n), o); });
            EXPECT_THAT(message, AllOf(HasSubstr("m.pt is gone; "), HasSubstr("be computed")));
            EXPECT_FALSE(fs::exists(o.runs / "d/m/shards/000000.json"));
        }
    }
}

TEST_F(FailingImages, ThreeInARowDoNotEndTheRunWhereOthersAreComputed) {
    const auto fake = std::make_shared<Crashing>(std::set<int>{1, 2, 3});
    const LoadedModel model = loaded("m", fake);
    PredictOptions o = options("runs");
    o.batch_size = 1;
    const auto results = predict({&model, 1}, images(8), o);
    EXPECT_THAT(without_score(results[0].store), ElementsAre(1, 2, 3));
    // The first image of the data set crashes the model, so nothing was computed before it.
    const auto second = std::make_shared<Crashing>(std::set<int>{1, 2, 3, 4});
    const LoadedModel other = loaded("m", second);
    o = options("others");
    Dataset dataset = images(8);
    write_file_atomically(dataset.root / "000.bmp", bmp(4, 0, 0));
    EXPECT_THAT(without_score(predict({&other, 1}, dataset, o)[0].store),
                ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(FailingImages, MoreThanSixteenEndTheRun) {
    std::set<int> failing;
    for (int i = 1; i < 80; i += 4) failing.insert(i);
    const LoadedModel model = loaded("m", std::make_shared<Raising>(failing));
    const Dataset dataset = images(80);
    EXPECT_THAT(message_of([&] {
                    predict({&model, 1}, dataset, options("runs"));
                }),
                AllOf(HasSubstr("no such image; more than 16 images could not be computed"),
                      HasSubstr("64 of 80 images of `d` are kept")));
    failing = {1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57, 61};
    const LoadedModel sixteen = loaded("m", std::make_shared<Raising>(failing));
    EXPECT_EQ(predict({&sixteen, 1}, dataset, options("sixteen"))[0].bad_rows, 16U);
}

/// A model that fails for every batch after a certain image.
class Failed final : public Fake {
public:
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        failed_ = failed_ || has_any(numbers_of(input, n), {9});
        if (failed_) throw Error(ErrorCode::bad_input, "the device is lost");
        Fake::scores(input, n, out);
    }

private:
    bool failed_ = false;
};

TEST_F(FailingImages, AreNotThoseOfAModelThatWorksNoMore) {
    for (const std::uint32_t batch : {1U, 2U, 4U}) {
        PredictOptions o = options("runs" + std::to_string(batch));
        o.batch_size = batch;
        EXPECT_THAT(message_of([&] {
                        const LoadedModel failed = loaded("m", std::make_shared<Failed>());
                        predict({&failed, 1}, images(16), o);
                    }),
                    AllOf(HasSubstr("the device is lost; "),
                          HasSubstr((batch == 1 ? "9" : "8") + std::string(" of 16 images"))));
    }
}

TEST_F(FailingImages, AnErrorOfABatchIsNotThatOfAnImage) {
    class OneOnly final : public Fake {
    public:
        void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
            if (n > 1) throw Error(ErrorCode::bad_input, "three are a crowd");
            Fake::scores(input, n, out);
        }
    };
    const LoadedModel model = loaded("m", std::make_shared<OneOnly>());
    EXPECT_THAT(message_of([&] {
                    predict({&model, 1}, images(8), options("runs"));
                }),
                HasSubstr("three are a crowd; each of its images can be computed alone; a smaller "
                          "batch may work"));
}

/// A model that runs out of memory for some images, in any batch.
class Hungry final : public Fake {
public:
    explicit Hungry(std::set<int> failing) : failing_(std::move(failing)) {}
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        Fake::scores(input, n, out);
        if (has_any(numbers_of(input, n), failing_))
            throw Error(ErrorCode::out_of_memory, "no memory for so large an image");
    }

private:
    std::set<int> failing_;
};

TEST_F(FailingImages, AreThoseThatNeedTooMuchMemory) {
    const LoadedModel model = loaded("m", std::make_shared<Hungry>(std::set<int>{5}));
    const auto results = predict({&model, 1}, images(10), options("runs"));
    EXPECT_THAT(without_score(results[0].store), ElementsAre(5));
    EXPECT_EQ(results[0].first_error, "005.bmp: no memory for so large an image");
    EXPECT_EQ(results[0].halved, 0U);
    // The other images have the same bits as in a whole batch.
    EXPECT_EQ(kept(results[0].store)[2 * 4 + 1], 4);
    // If no image can be computed, the run ends.
    std::set<int> all;
    for (int i = 0; i < 256; ++i) all.insert(i);
    const LoadedModel none = loaded("none", std::make_shared<Hungry>(all));
    EXPECT_THAT(message_of(
                    [&] {
                        predict({&none, 1}, images(10), options("none"));
                    },
                    ErrorCode::out_of_memory),
                HasSubstr("no memory for so large an image; "));
}

TEST_F(FailingImages, WhatHappenedIsSaid) {
    // Replacing image 5 by another image does not help if the whole batch fails again.
    class Again final : public Fake {
    public:
        void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
            Fake::scores(input, n, out);
            if (has_any(numbers_of(input, n), {5}) ||
                (n == 4 && has_any(numbers_of(input, n), {6})))
                throw Error(ErrorCode::bad_input, "no such image");
        }
    };
    const LoadedModel model = loaded("m", std::make_shared<Again>());
    auto results = predict({&model, 1}, images(10), options("runs"));
    EXPECT_EQ(results[0].halved, 0U);
    EXPECT_THAT(results[0].notes, Contains("1 batch failed, so it was computed in parts: scores "
                                           "may differ from those of whole batches by about 1e-5"));
    EXPECT_THAT(report_of(results).warnings, Not(Contains(HasSubstr("memory"))));
    const LoadedModel small = loaded("small", std::make_shared<Fake>(2));
    results = predict({&small, 1}, images(8), options("small"));
    EXPECT_EQ(results[0].halved, 2U);
    EXPECT_THAT(report_of(results).warnings,
                Contains("small: memory was short, so batches were halved 2 times; scores may "
                         "differ from whole batches by about 1e-5; a smaller batch size avoids "
                         "it"));
}

TEST_F(FailingImages, AreComputedAgainAloneWhereAskedFor) {
    const Dataset dataset = images(22);
    const LoadedModel failing = loaded("m", std::make_shared<Raising>(std::set<int>{5, 17}));
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16}) {
        const std::string name(name_of(storage));
        PredictOptions o = options(name), whole = options(name + "-whole");
        o.storage.storage = whole.storage.storage = storage;
        EXPECT_EQ(predict({&failing, 1}, dataset, o)[0].bad_rows, 2U);
        const auto fake = std::make_shared<Fake>();
        const LoadedModel model = loaded("m", fake);
        EXPECT_EQ(predict({&model, 1}, dataset, o)[0].bad_rows, 2U);
        EXPECT_THAT(fake->sizes, IsEmpty());
        o.retry_failed = true;
        const auto results = predict({&model, 1}, dataset, o);
        // Only the whole batches of these images are computed again, and no other batches of their
        // shards.
        EXPECT_THAT(fake->sizes, ElementsAre(4, 4));
        EXPECT_EQ(results[0].predicted, 8U);
        EXPECT_EQ(results[0].bad_rows, 0U);
        const auto expected = predict({&model, 1}, dataset, whole);
        const auto now = shards(results[0].store), once = shards(expected[0].store);
        ASSERT_EQ(now.size(), once.size());
        for (const auto& [file, bytes] : now) {
            if (file.ends_with(".npy")) {
                EXPECT_EQ(bytes, once.at(file)) << file;
            }
        }
        EXPECT_THAT(verify_store(results[0].store), IsEmpty());
        // No image has failed, so nothing is computed.
        fake->sizes.clear();
        EXPECT_EQ(predict({&model, 1}, dataset, o)[0].predicted, 0U);
        EXPECT_THAT(fake->sizes, IsEmpty());
    }
}

TEST_F(FailingImages, OfAnInterruptedRunAreComputedAgain) {
    class Stopping final : public Raising {
    public:
        using Raising::Raising;
        void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
            if (has_any(numbers_of(input, n), {16}))
                throw Error(ErrorCode::interrupted, "interrupted");
            Raising::scores(input, n, out);
        }
    };
    const Dataset dataset = images(22);
    PredictOptions o = options("stopped");
    o.shard_rows = 24;
    const LoadedModel stopping = loaded("m", std::make_shared<Stopping>(std::set<int>{5}));
    EXPECT_THAT(message_of(
                    [&] {
                        predict({&stopping, 1}, dataset, o);
                    },
                    ErrorCode::interrupted),
                HasSubstr("16 of 22 images"));
    const auto fake = std::make_shared<Fake>();
    const LoadedModel model = loaded("m", fake);
    o.retry_failed = true;
    EXPECT_EQ(predict({&model, 1}, dataset, o)[0].bad_rows, 0U);
    // the batch of image 5, and the rows that were not computed
    EXPECT_THAT(fake->sizes, ElementsAre(4, 4, 2));
}

TEST_F(FailingImages, OfAStoreOfTheBestClassesTheirShardsAreComputedAgain) {
    const Dataset dataset = images(22);
    const LoadedModel failing = loaded("m", std::make_shared<Raising>(std::set<int>{5}));
    PredictOptions o = options("top");
    o.storage = {StorageFormat::top_k, 1};
    predict({&failing, 1}, dataset, o);
    const auto fake = std::make_shared<Fake>();
    const LoadedModel model = loaded("m", fake);
    o.retry_failed = true;
    EXPECT_EQ(predict({&model, 1}, dataset, o)[0].bad_rows, 0U);
    EXPECT_THAT(fake->sizes, ElementsAre(4, 4));  // the rows of a shard of 8
}

TEST_F(FailingImages, AProcessThatIsNotOursIsNotStartedAgain) {
    const auto fake = std::make_shared<Crashing>(std::set<int>{1});
    fake->restartable = false;
    const LoadedModel model = loaded("m", fake);
    EXPECT_THAT(message_of([&] {
                    predict({&model, 1}, images(8), options("runs"));
                }),
                HasSubstr("m.pt is gone"));
    EXPECT_EQ(fake->sizes.size(), 1U);
}

TEST_F(FailingImages, AProcessThatEndsAgainAndAgainIsGivenUp) {
    // The process computes one batch and then exits. The next process computes the failed batch
    // alone.
    class EndsAfterEach final : public Fake, public isolated::Supervised {
    public:
        void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
            Fake::scores(input, n, out);
            if (computed_++ > 0) {
                ended_ = true;
                throw Error(ErrorCode::bad_input, "it has ended");
            }
        }
        isolated::BatchGate& gate() override { return gate_; }
        std::optional<isolated::ProcessEnd> process_end() override {
            if (!ended_) return std::nullopt;
            return isolated::ProcessEnd{"the model's process exited with status 1", ""};
        }
        bool can_restart() const override { return true; }
        void restart() override {
            ended_ = false;
            computed_ = 0;
        }

    private:
        int computed_ = 0;
        bool ended_ = false;
        isolated::BatchGate gate_;
    };
    const LoadedModel model = loaded("m", std::make_shared<EndsAfterEach>());
    PredictOptions o = options("runs");
    o.batch_size = 1;
    EXPECT_THAT(message_of([&] {
                    predict({&model, 1}, images(255), o);
                }),
                AllOf(HasSubstr("`m` was restarted 200 times, which is the limit,"),
                      HasSubstr("exited with status 1"), HasSubstr("of 255 images")));
}

}  // namespace
}  // namespace assay
