// Classifiers with known robustness: scores W x + b.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/robustness/attack.h"
#include "core/random.h"

namespace assay {

class LinearModel : public AttackedModel {
public:
    ImageShape size{3, 4, 4};
    std::vector<std::vector<double>> w;  ///< indices are classes x numbers
    std::vector<double> b;

    LinearModel(std::uint32_t classes, std::uint64_t seed, double spread = 1) {
        for (std::uint32_t c = 0; c < classes; ++c) {
            RandomStream random(seed, "linear model", c);
            w.emplace_back();
            double middle = 0;
            for (std::size_t i = 0; i < size.size(); ++i) {
                w.back().push_back(spread * random.normal());
                middle += w.back().back() / 2;
            }
            b.push_back(-middle);  // all classes have equal scores on the gray image
        }
    }

    ImageShape shape() const override { return size; }
    std::uint32_t classes() const override { return static_cast<std::uint32_t>(w.size()); }

    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        for (std::size_t i = 0; i < n; ++i) {
            const auto z = exact(images.subspan(i * size.size(), size.size()));
            for (std::size_t c = 0; c < z.size(); ++c)
                out[i * z.size() + c] = static_cast<float>(z[c]);
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        scores(batch.input, n, out.scores);
        std::vector<float> d(w.size());
        for (std::size_t i = 0; i < n; ++i) {
            out.losses[i] =
                loss_of(batch.loss, out.scores.subspan(i * w.size(), w.size()), batch.labels[i],
                        batch.targets.empty() ? 0 : batch.targets[i], d);
            for (std::size_t k = 0; k < size.size(); ++k) {
                double sum = 0;
                for (std::size_t c = 0; c < w.size(); ++c)
                    sum += static_cast<double>(d[c]) * w[c][k];
                out.gradient[i * size.size() + k] = static_cast<float>(sum);
            }
        }
    }

    std::vector<double> exact(std::span<const float> x) const {
        std::vector<double> z = b;
        for (std::size_t c = 0; c < w.size(); ++c) {
            for (std::size_t i = 0; i < x.size(); ++i) z[c] += w[c][i] * static_cast<double>(x[i]);
        }
        return z;
    }

    /// The remaining lead over class j if every element changes by up to eps within the box: (w_y -
    /// w_j).x + b_y - b_j - sum |w_yi - w_ji| r_i. The image is robust if and only if all are
    /// positive.
    double lead(std::span<const float> x, std::uint32_t y, std::uint32_t j, double eps) const {
        const auto z = exact(x);
        double left = z[y] - z[j];
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double d = w[y][i] - w[j][i];
            const auto v = static_cast<double>(x[i]);
            left -= std::abs(d) * std::min(eps, d > 0 ? v : 1 - v);
        }
        return left;
    }
    double least_lead(std::span<const float> x, std::uint32_t y, double eps) const {
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t j = 0; j < classes(); ++j) {
            if (j != y) least = std::min(least, lead(x, y, j, eps));
        }
        return least;
    }
};

/// Images that are labelled with the model's predictions.
struct Labelled {
    std::vector<float> images;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> items;

    Labelled(AttackedModel& model, std::size_t n, float low = 0, float high = 1) {
        const std::size_t size = model.shape().size();
        for (std::size_t i = 0; i < n; ++i) {
            RandomStream random(3, "linear images", i);
            for (std::size_t k = 0; k < size; ++k)
                images.push_back(low + (high - low) * static_cast<float>(random.uniform()));
            items.push_back(1000 + i);
        }
        std::vector<float> z(n * model.classes());
        model.scores(images, n, z);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = std::span(z).subspan(i * model.classes(), model.classes());
            labels.push_back(
                static_cast<std::uint32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
        }
    }
    AttackBatch batch() const { return {images, labels, items}; }
    std::span<const float> image(std::size_t i) const {
        return std::span(images).subspan(i * images.size() / labels.size(),
                                         images.size() / labels.size());
    }
};

inline std::size_t ones(const std::vector<std::uint8_t>& flags) {
    return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1));
}
inline std::size_t fooled_by(const AttackResult& result) {
    return ones(result.fooled);
}

}  // namespace assay
