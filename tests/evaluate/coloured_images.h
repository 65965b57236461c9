// A simple classifier, and images of one colour each, for the tests of predict.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/evaluate/predict.h"
#include "core/file.h"
#include "core/hash.h"
#include "scratch.h"

namespace assay {

namespace fs = std::filesystem;

/// A 2 x 2 image of one colour, 24-bit BMP: header of 54 bytes, rows padded to 8.
inline std::string bmp(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
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

/// The scores of an image are its red value in [0, 1], and the size of its batch.
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

inline LoadedModel loaded(const std::string& name, std::shared_ptr<Fake> classifier) {
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

class PredictImages : public testing::Test {
protected:
    /// Images 0 to n - 1. Their red value is their number.
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

}  // namespace assay
