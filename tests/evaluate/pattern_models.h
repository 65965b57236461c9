// A linear classifier of faint patterns, which FGSM at 8/255 fools on every image. Its variants
// each have one fault that hides this from an attack.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "assay/evaluate/attack.h"
#include "coloured_images.h"
#include "core/random.h"

namespace assay {

inline constexpr std::size_t pattern_classes = 5;
inline constexpr int pattern_side = 8;
inline constexpr std::size_t pattern_numbers = 3 * pattern_side * pattern_side;

/// +1 or -1.
inline float pattern_at(std::size_t cls, std::size_t k) {
    RandomStream random(11, "patterns", cls * pattern_numbers + k);
    return random.next_u32() % 2 == 0 ? 1.0F : -1.0F;
}

class PatternClassifier : public Classifier {
public:
    enum class Fault {
        none,
        rounds8,    ///< the input is rounded to 8 levels, so the gradient is 0
        rounds32,   ///< the input is rounded to 32 levels
        saturates,  ///< scores are passed through a steep tanh
        thousand,   ///< scores are multiplied by 1,000, so the loss and its gradient are 0
        random,     ///< a random number is added to the scores each time
        batch,      ///< scores depend on the mean of the batch
        probabilities,
        not_finite,    ///< scores are not finite for images whose first number is small
        sign_flipped,  ///< the gradient has the opposite sign
        gaps,          ///< elements of the gradient are NaN at dark pixels
        no_element     ///< all elements of the gradient are NaN for images whose first number is 0
    };
    explicit PatternClassifier(Fault fault = Fault::none) : fault_(fault) {
        facts_.classes = pattern_classes;
        facts_.device = "cpu";
        for (std::size_t c = 0; c < pattern_classes; ++c) {
            for (std::size_t k = 0; k < pattern_numbers; ++k)
                weights_.push_back(pattern_at(c, k) / 2);
        }
    }
    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        scored += n;
        std::vector<float> z(pattern_classes);
        double shift = 0;
        for (const float x : input)
            shift += static_cast<double>(x) / static_cast<double>(input.size());
        for (std::size_t i = 0; i < n; ++i) {
            const auto image = input.subspan(i * pattern_numbers, pattern_numbers);
            for (std::size_t c = 0; c < pattern_classes; ++c) {
                double sum = 0;
                for (std::size_t k = 0; k < pattern_numbers; ++k)
                    sum += static_cast<double>(weight(c, k)) *
                           (static_cast<double>(seen(image[k])) - .5);
                z[c] = static_cast<float>(sum);
            }
            if (fault_ == Fault::batch) z[0] += static_cast<float>(shift - .5);
            if (fault_ == Fault::random) z[0] += static_cast<float>(draws_++ % 7) / 100;
            if (fault_ == Fault::not_finite && image[0] < .5F) z[1] = std::nanf("");
            if (fault_ == Fault::probabilities) softmax(z);
            for (float& score : z) {
                if (fault_ == Fault::saturates) score = 10 * std::tanh(1000 * (score - 1));
                if (fault_ == Fault::thousand) score *= 1000;
            }
            std::ranges::copy(z, out.begin() + static_cast<std::ptrdiff_t>(i * pattern_classes));
        }
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        scores(batch.input, n, out.scores);
        std::vector<float> d(pattern_classes);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = out.scores.subspan(i * pattern_classes, pattern_classes);
            const auto image = batch.input.subspan(i * pattern_numbers, pattern_numbers);
            out.losses[i] = loss_of(batch.loss, row, batch.labels[i],
                                    batch.targets.empty() ? 0 : batch.targets[i], d);
            for (std::size_t k = 0; k < pattern_numbers; ++k) {
                double sum = 0;
                for (std::size_t c = 0; c < pattern_classes; ++c)
                    sum += static_cast<double>(d[c]) * slope(row[c]) *
                           static_cast<double>(weight(c, k));
                if (fault_ == Fault::sign_flipped) sum = -sum;
                if (fault_ == Fault::gaps && image[k] == 0) sum = std::nan("");
                if (fault_ == Fault::no_element && image[0] == 0) sum = std::nan("");
                out.gradient[i * pattern_numbers + k] = static_cast<float>(sum);
            }
        }
    }

    std::atomic<std::size_t> scored = 0;

private:
    float weight(std::size_t c, std::size_t k) const { return weights_[c * pattern_numbers + k]; }
    float seen(float x) const {
        if (fault_ == Fault::rounds8) return std::round(7 * x) / 7;
        if (fault_ == Fault::rounds32) return std::round(31 * x) / 31;
        return x;
    }
    double slope(float score) const {
        if (fault_ == Fault::rounds8 || fault_ == Fault::rounds32) return 0;
        if (fault_ == Fault::thousand) return 1000;
        if (fault_ != Fault::saturates) return 1;
        const double t = static_cast<double>(score) / 10;
        return 10'000 * (1 - t * t);
    }
    static void softmax(std::vector<float>& z) {
        float sum = 0;
        for (float& v : z) sum += v = std::exp(4 * v);
        for (float& v : z) v /= sum;
    }

    Fault fault_;
    std::vector<float> weights_;
    ModelFacts facts_;
    std::atomic<std::size_t> draws_{0};
};

inline LoadedModel pattern_model(const std::string& name,
                                 PatternClassifier::Fault fault = PatternClassifier::Fault::none) {
    LoadedModel model;
    model.spec.name = name;
    model.spec.path = name + ".pt";
    model.spec.classes = ClassList({"0", "1", "2", "3", "4"});
    Preprocess& p = model.spec.preprocess;
    p.width = p.height = pattern_side;
    p.crop_mode = CropMode::none;
    p.mean = {0, 0, 0};
    p.std = {1, 1, 1};
    model.classifier = std::make_shared<PatternClassifier>(fault);
    model.file_hash = hash_text(name);
    return model;
}

/// A 24-bit BMP has rows from the bottom, and blue first. A row of 24 bytes needs no padding.
inline std::string pattern_bmp(const std::vector<std::uint8_t>& rgb) {
    std::string bytes = "BM";
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    };
    constexpr std::size_t row_bytes = 3 * std::size_t{pattern_side};
    put(54 + static_cast<std::uint32_t>(rgb.size()), 4), put(0, 4), put(54, 4), put(40, 4);
    put(pattern_side, 4), put(pattern_side, 4), put(1, 2), put(24, 2);
    for (int i = 0; i < 6; ++i) put(0, 4);
    for (std::size_t row = pattern_side; row-- > 0;) {
        for (std::size_t at = row * row_bytes; at < (row + 1) * row_bytes; at += 3)
            put(rgb[at + 2], 1), put(rgb[at + 1], 1), put(rgb[at], 1);
    }
    return bytes;
}

class PatternImages : public PredictImages {
protected:
    /// Images of gray 128 plus the pattern of the class with 4 levels and noise with 3 levels. If
    /// `black`, the first pixel of each third image is black.
    Dataset patterns(std::size_t n, bool black = false) {
        Dataset dataset;
        dataset.name = "d";
        dataset.root = scratch_ / (black ? "black" : "patterns");
        dataset.classes = ClassList({"0", "1", "2", "3", "4"});
        make_folders(dataset.root);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t cls = i % pattern_classes;
            RandomStream random(5, "pattern images", i);
            constexpr std::size_t pixels = std::size_t{pattern_side} * pattern_side;
            std::vector<std::uint8_t> rgb(3 * pixels);
            for (std::size_t k = 0; k < pattern_numbers; ++k) {
                const double level =
                    128 + 4 * static_cast<double>(pattern_at(cls, k)) + 3 * random.normal();
                rgb[k % pixels * 3 + k / pixels] =
                    static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0));
            }
            if (black && i % 3 == 0) rgb[0] = 0;
            char id[32];
            std::snprintf(id, sizeof id, "%03zu.bmp", i);
            std::ofstream(dataset.root / id, std::ios::binary) << pattern_bmp(rgb);
            dataset.ids.append(id);
            const auto label = static_cast<std::int32_t>(cls);
            dataset.labels.append({&label, 1});
        }
        return dataset;
    }
    AttackRunOptions attack_options(const std::string& runs) {
        AttackRunOptions options;
        options.predict = this->options(runs);
        options.predict.batch_size = 8;
        options.predict.shard_rows = 16;
        return options;
    }
};

}  // namespace assay
