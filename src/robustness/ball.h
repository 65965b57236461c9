// The set of images that an attack may return: those within the budget of an original and inside
// the box.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "assay/robustness/attack.h"
#include "core/random.h"

namespace assay::attack {

using Pixels = std::vector<float>;

inline double length_of(std::span<const float> x) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(sum);
}

inline float sign_of(float v) {
    return static_cast<float>(static_cast<int>(v > 0) - static_cast<int>(v < 0));
}

/// std::clamp() without a branch, because the choice of the three values depends on the gradient's
/// signs and cannot be predicted.
inline float cut_to(float v, float low, float high) {
    return std::min(std::max(v, low), high);
}

class Ball {
public:
    Ball(std::span<const float> centre, Norm norm, double eps)
        : centre_(centre), norm_(norm), eps_(static_cast<float>(eps)) {}

    std::span<const float> centre() const { return centre_; }

    /// Projects to the nearest point of the ball, then of the box.
    void project(std::span<float> x) const {
        if (norm_ == Norm::linf) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] = cut_to(cut_to(x[i], centre_[i] - eps_, centre_[i] + eps_), 0.0F, 1.0F);
            }
            return;
        }
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto d = static_cast<double>(x[i] - centre_[i]);
            squares += d * d;
        }
        const double far = std::sqrt(squares);
        const auto factor = static_cast<float>(
            far > static_cast<double>(eps_) ? static_cast<double>(eps_) / far : 1);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = cut_to(centre_[i] + (x[i] - centre_[i]) * factor, 0.0F, 1.0F);
    }

    /// Moves x by `size` along the gradient's steepest direction for the norm, and projects it.
    void climb(std::span<float> x, std::span<const float> gradient, double size) const {
        if (norm_ == Norm::linf) {
            const auto step = static_cast<float>(size);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * sign_of(gradient[i]);
        } else {
            const auto step = static_cast<float>(size / (length_of(gradient) + 1e-12));
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * gradient[i];
        }
        project(x);
    }

    /// Returns a point drawn uniformly from the ball, projected into the box.
    Pixels uniform_point(RandomStream& random) const {
        Pixels x(centre_.begin(), centre_.end());
        if (norm_ == Norm::linf) {
            for (float& v : x) v += eps_ * static_cast<float>(2 * random.uniform() - 1);
        } else {
            const double share = std::pow(
                random.uniform(), 1 / static_cast<double>(std::max<std::size_t>(x.size(), 1)));
            shift_by_normal(x, random, share);
        }
        project(x);
        return x;
    }

    /// Returns a point of the ball's surface: a uniform draw whose largest element is set to eps
    /// (linf), or a uniform direction (l2).
    Pixels surface_point(RandomStream& random) const {
        Pixels x(centre_.begin(), centre_.end());
        if (norm_ == Norm::l2) {
            shift_by_normal(x, random, 1);
        } else {
            Pixels draw(x.size());
            float largest = 0;
            for (float& v : draw) {
                v = static_cast<float>(2 * random.uniform() - 1);
                largest = std::max(largest, std::abs(v));
            }
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += eps_ * draw[i] / (largest + 1e-12F);
        }
        project(x);
        return x;
    }

private:
    void shift_by_normal(Pixels& x, RandomStream& random, double share) const {
        Pixels draw(x.size());
        for (float& v : draw) v = static_cast<float>(random.normal());
        const auto factor =
            static_cast<float>(share * static_cast<double>(eps_) / (length_of(draw) + 1e-12));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * draw[i];
    }

    std::span<const float> centre_;
    Norm norm_;
    float eps_;
};

}  // namespace assay::attack
