#include "robustness/change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "robustness/ball.h"

namespace assay::attack {
namespace {

double moved(std::span<const float> a, std::span<const float> b, std::size_t i) {
    return std::abs(static_cast<double>(b[i]) - static_cast<double>(a[i]));
}

/// The threshold t for which the sum of max(|b - a| - t, 0) is `size`, if the sum of |b - a| is
/// larger (Duchi et al., Efficient projections onto the l1-ball, ICML 2008).
double l1_threshold(std::span<const float> a, std::span<const float> b, double size) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (const double d = moved(a, b, i); d > 0) sizes.push_back(d);
    }
    std::ranges::sort(sizes, std::greater());
    double sum = 0;
    double threshold = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        sum += sizes[k];
        const double t = (sum - size) / static_cast<double>(k + 1);
        if (k > 0 && sizes[k] <= t) break;  // for a size of 0, the largest is equal
        threshold = t;
    }
    return threshold;
}

/// Undoes all changes but the `count` largest.
void keep_largest(std::span<const float> original, std::span<float> x, std::size_t count) {
    std::vector<std::uint32_t> changed;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != original[i]) changed.push_back(static_cast<std::uint32_t>(i));
    }
    if (changed.size() <= count) return;
    std::nth_element(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(count),
                     changed.end(), [&](std::uint32_t i, std::uint32_t j) {
                         const double one = moved(original, x, i), two = moved(original, x, j);
                         return one != two ? one > two : i < j;
                     });
    for (std::size_t k = count; k < changed.size(); ++k) x[changed[k]] = original[changed[k]];
}

}  // namespace

double size_of_change(Norm norm, std::span<const float> a, std::span<const float> b) {
    double most = 0, sum = 0, squares = 0, count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = moved(a, b, i);
        most = std::max(most, d);
        sum += d;
        squares += d * d;
        count += d > 0 ? 1 : 0;
    }
    switch (norm) {
        case Norm::linf:
            break;
        case Norm::l2:
            return std::sqrt(squares);
        case Norm::l1:
            return sum;
        case Norm::l0:
            return count;
    }
    return most;
}

double dual_size(Norm norm, std::span<const float> gradient) {
    double most = 0, sum = 0, squares = 0;
    for (const float v : gradient) {
        const double d = std::abs(static_cast<double>(v));
        most = std::max(most, d);
        sum += d;
        squares += d * d;
    }
    if (norm == Norm::linf) return sum;
    return norm == Norm::l2 ? std::sqrt(squares) : most;
}

void limit_change(Norm norm, std::span<const float> original, std::span<float> x, double size) {
    if (norm == Norm::linf || norm == Norm::l2) {
        Ball(original, norm, size).project(x);
        return;
    }
    for (float& v : x) v = cut_to(v, 0.0F, 1.0F);
    if (norm == Norm::l0) {
        const auto all = static_cast<double>(x.size());
        keep_largest(original, x, static_cast<std::size_t>(std::clamp(size, 0.0, all)));
    } else if (size_of_change(norm, original, x) > size) {
        const double t = l1_threshold(original, x, size);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double left = std::max(moved(original, x, i) - t, 0.0);
            const double from = static_cast<double>(original[i]);
            x[i] = static_cast<float>(x[i] > original[i] ? from + left : from - left);
        }
    }
}

void shorten_change(Norm norm, std::span<const float> original, std::span<float> x, double kept) {
    if (norm == Norm::l0) {
        const double count = size_of_change(norm, original, x);
        keep_largest(original, x, static_cast<std::size_t>(std::floor(kept * count)));
        return;
    }
    const auto factor = static_cast<float>(kept);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = cut_to(original[i] + (x[i] - original[i]) * factor, 0.0F, 1.0F);
}

}  // namespace assay::attack
