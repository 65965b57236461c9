// Images of one colour each, and a classifier that recognizes classes by colour. Tests can give it
// any common fault.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "assay/model/classifier.h"
#include "core/random.h"

namespace assay {

inline constexpr std::size_t colour_classes = 12;

/// The colour of class c, made of the levels 60, 115 and 170. All classes differ.
inline std::array<int, 3> colour_of(std::size_t c) {
    const std::size_t k = c * 5 % 27;
    const auto level = [](std::size_t digit) { return 60 + 55 * static_cast<int>(digit); };
    return {level(k % 3), level(k / 3 % 3), level(k / 9)};
}

class ColourClassifier : public Classifier {
public:
    Preprocess expects;                  ///< preprocessing of its training images
    std::vector<std::size_t> output_of;  ///< class c answers at output_of[c], or at c if empty
    enum class Ends { logits, softmax, softmax_twice, sigmoid, log_softmax } ends = Ends::logits;
    bool dropout = false, batch_norm = false, constant = false, not_a_number = false;
    /// After this number of images, the first score is NaN (or infinite, with `infinite`); -1:
    /// never. This number counts down.
    std::atomic<int> nan_after = -1;
    bool infinite = false;

    explicit ColourClassifier(std::uint32_t outputs = colour_classes) {
        facts_.classes = outputs;
        expects.height = expects.width = side;
        expects.crop_mode = CropMode::none;
        expects.mean = expects.std = {0.5, 0.5, 0.5};
    }
    void fix_batch(std::int64_t batch) { facts_.fixed_batch = batch; }
    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (facts_.fixed_batch > 0 && n != static_cast<std::size_t>(facts_.fixed_batch))
            throw std::runtime_error("batch size");
        std::vector<std::array<double, 3>> colours(n);
        for (std::size_t i = 0; i < n; ++i)
            colours[i] = mean_colour(input.subspan(i * input.size() / n, input.size() / n));
        if (batch_norm) normalise(colours);
        for (std::size_t i = 0; i < n; ++i)
            answer(colours[i], out.subspan(i * facts_.classes, facts_.classes));
    }

    static constexpr int side = 4;

private:
    std::array<double, 3> mean_colour(std::span<const float> image) const {
        std::array<double, 3> colour{};
        const std::size_t plane = image.size() / 3;
        for (std::size_t c = 0; c < 3; ++c) {
            double sum = 0;
            for (const float x : image.subspan(c * plane, plane)) sum += static_cast<double>(x);
            const double byte =
                (sum / static_cast<double>(plane) * expects.std[c] + expects.mean[c]) /
                expects.scale;
            colour[expects.channel_order == ChannelOrder::rgb ? c : 2 - c] = byte;
        }
        return colour;
    }
    static void normalise(std::vector<std::array<double, 3>>& colours) {
        for (std::size_t c = 0; c < 3; ++c) {
            double mean = 0;
            for (const auto& colour : colours)
                mean += colour[c] / static_cast<double>(colours.size());
            for (auto& colour : colours) colour[c] += 115 - mean;
        }
    }
    void answer(std::array<double, 3> colour, std::span<float> out) {
        if (constant) colour = {115, 115, 115};
        std::fill(out.begin(), out.end(), ends == Ends::logits ? -30.0F : 0.0F);
        std::vector<double> logits(out.size(), -30.0);
        for (std::size_t c = 0; c < colour_classes; ++c) {
            const auto target = colour_of(c);
            double distance = 0;
            for (std::size_t k = 0; k < 3; ++k)
                distance += std::pow((colour[k] - target[k]) / 20.0, 2);
            const std::size_t at = output_of.empty() ? c : output_of[c];
            if (at < logits.size()) logits[at] = std::max(-30.0, 4 - distance);
        }
        if (dropout) logits[draws_++ % logits.size()] = 0;
        if (ends == Ends::sigmoid) {
            for (double& x : logits) x = 1 / (1 + std::exp(-x));
        }
        if (ends == Ends::softmax || ends == Ends::softmax_twice) softmax(logits);
        if (ends == Ends::softmax_twice) softmax(logits);
        if (ends == Ends::log_softmax) {
            softmax(logits);
            for (double& x : logits) x = std::log(x);
        }
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<float>(logits[j]);
        using Limits = std::numeric_limits<float>;
        if (not_a_number) out[0] = Limits::quiet_NaN();
        if (nan_after < 0) return;
        if (nan_after == 0) {
            out[0] = infinite ? Limits::infinity() : Limits::quiet_NaN();
        } else {
            --nan_after;
        }
    }
    static void softmax(std::vector<double>& x) {
        double sum = 0;
        for (double& v : x) sum += v = std::exp(v);
        for (double& v : x) v /= sum;
    }

    ModelFacts facts_;
    std::atomic<std::size_t> draws_{0};
};

}  // namespace assay
