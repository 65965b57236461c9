#include "assay/model/loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace assay {
namespace {

/// Prevents a division by zero if all scores are equal.
constexpr double tiny = 1e-12;

/// The positions of the `count` largest scores, largest first.
std::array<std::size_t, 4> places_of_largest(std::span<const float> z, std::size_t count) {
    std::array<std::size_t, 4> places{};
    std::size_t filled = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        std::size_t at = filled;
        while (at > 0 && z[i] > z[places[at - 1]]) --at;
        if (at == count) continue;
        filled = std::min(filled + 1, count);
        for (std::size_t k = filled - 1; k > at; --k) places[k] = places[k - 1];
        places[at] = i;
    }
    return places;
}

double cross_entropy(std::span<const float> z, std::uint32_t label, std::span<float> derivative) {
    const auto largest = static_cast<double>(*std::max_element(z.begin(), z.end()));
    double sum = 0;
    double others = 0;  // sum without the label's term; equals 1 - p if p is near 1
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double e = std::exp(static_cast<double>(z[i]) - largest);
        sum += e;
        if (i != label) others += e;
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double e = i == label ? -others : std::exp(static_cast<double>(z[i]) - largest);
        derivative[i] = static_cast<float>(e / sum);
    }
    // For a confident model the logarithm of the sum is almost zero, so the remainder is computed
    // separately.
    const double gap = largest - static_cast<double>(z[label]);
    return gap == 0 ? std::log1p(others) : std::log(sum) + gap;
}

struct Ratio {
    double above, below;
};

/// The ratio above / below. Both have derivatives at the positions of their scores.
template <std::size_t N>
double ratio(const Ratio& r, const std::array<std::pair<std::size_t, Ratio>, N>& parts,
             std::span<float> derivative) {
    std::array<double, N> sums{};
    for (std::size_t k = 0; k < N; ++k) {
        const auto& [place, d] = parts[k];
        const double own = (d.above * r.below - r.above * d.below) / (r.below * r.below);
        // Combines the parts of a score in its first part.
        std::size_t first = 0;
        while (parts[first].first != place) ++first;
        sums[first] += own;
    }
    constexpr double most = std::numeric_limits<float>::max();
    for (std::size_t k = 0; k < N; ++k) {
        if (sums[k] != 0)
            derivative[parts[k].first] = static_cast<float>(std::clamp(sums[k], -most, most));
    }
    return r.above / r.below;
}

}  // namespace

std::string_view name_of(Loss loss) {
    switch (loss) {
        case Loss::cross_entropy:
            return "cross-entropy";
        case Loss::margin:
            return "margin";
        case Loss::difference:
            return "difference";
        case Loss::dlr:
            return "dlr";
        case Loss::targeted_dlr:
            return "targeted dlr";
    }
    return "";
}

std::uint32_t least_classes(Loss loss) {
    if (loss == Loss::dlr) return 3;
    return loss == Loss::targeted_dlr ? 4 : 2;
}

bool has_target(Loss loss) {
    return loss == Loss::difference || loss == Loss::targeted_dlr;
}

double loss_of(Loss loss, std::span<const float> scores, std::uint32_t label, std::uint32_t target,
               std::span<float> derivative) {
    // For a single score, the wrapper for two classes computes the loss (model/two_classes.h).
    if (scores.size() == 1) {
        derivative[0] = 1;
        return static_cast<double>(scores[0]);
    }
    if (loss == Loss::cross_entropy) return cross_entropy(scores, label, derivative);
    std::fill(derivative.begin(), derivative.end(), 0.0F);
    const auto z = [&](std::size_t i) { return static_cast<double>(scores[i]); };
    if (loss == Loss::difference) {
        derivative[target] += 1;
        derivative[label] -= 1;
        return z(target) - z(label);
    }
    const auto top = places_of_largest(scores, least_classes(loss));
    if (loss == Loss::targeted_dlr) {
        const Ratio r = {z(target) - z(label), z(top[0]) - (z(top[2]) + z(top[3])) / 2 + tiny};
        return ratio<5>(r,
                        {{{target, {1, 0}},
                          {label, {-1, 0}},
                          {top[0], {0, 1}},
                          {top[2], {0, -.5}},
                          {top[3], {0, -.5}}}},
                        derivative);
    }
    const std::size_t rival = top[0] == label ? top[1] : top[0];
    if (loss == Loss::margin) {
        derivative[rival] = 1;
        derivative[label] = -1;
        return z(rival) - z(label);
    }
    const Ratio r = {z(rival) - z(label), z(top[0]) - z(top[2]) + tiny};
    return ratio<4>(r, {{{rival, {1, 0}}, {label, {-1, 0}}, {top[0], {0, 1}}, {top[2], {0, -1}}}},
                    derivative);
}

}  // namespace assay
