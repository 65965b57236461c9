#include "annotation/squarem.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr double growth = 4;  ///< factor for the longest step after it was used successfully

/// The sums of squares of the step and of its change.
struct Squares {
    double step = 0, change = 0;

    void add(const std::vector<double>& a, const std::vector<double>& b,
             const std::vector<double>& c) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double r = b[i] - a[i], v = c[i] - b[i] - r;
            step += r * r;
            change += v * v;
        }
    }
};

std::vector<double> extrapolated(const std::vector<double>& a, const std::vector<double>& b,
                                 const std::vector<double>& c, double length) {
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double r = b[i] - a[i], v = c[i] - b[i] - r;
        out[i] = a[i] + 2 * length * r + length * length * v;
    }
    return out;
}

/// Normalizes the `n` logarithms at `first`, `first + stride`, ... so that the numbers sum to 1.
void normalise(double* first, std::size_t n, std::size_t stride) {
    double largest = first[0], sum = 0;
    for (std::size_t i = 1; i < n; ++i) largest = std::max(largest, first[i * stride]);
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(first[i * stride] - largest);
    const double log_sum = largest + std::log(sum);
    for (std::size_t i = 0; i < n; ++i) first[i * stride] -= log_sum;
}

}  // namespace

void Squarem::scale(LogParameters& parameters) const {
    normalise(parameters.prior.data(), latents_, 1);
    const std::size_t block = latents_ * answers_;
    for (std::size_t at = 0; at < parameters.table.size(); at += block) {
        for (std::size_t l = 0; l < latents_; ++l)
            normalise(parameters.table.data() + at + l, answers_, latents_);
    }
}

std::optional<LogParameters> Squarem::leap(const LogParameters& first, const LogParameters& second,
                                           const LogParameters& third) {
    Squares squares;
    squares.add(first.prior, second.prior, third.prior);
    squares.add(first.table, second.table, third.table);
    if (!(squares.change > 0)) return std::nullopt;
    last_ = std::min(std::sqrt(squares.step / squares.change), longest_);
    if (!(last_ > 1)) {
        longest_ = std::max(longest_, growth);
        return std::nullopt;
    }
    LogParameters out{.prior = extrapolated(first.prior, second.prior, third.prior, last_),
                      .table = extrapolated(first.table, second.table, third.table, last_)};
    scale(out);
    return out;
}

void Squarem::landed(bool uphill) {
    if (uphill) {
        if (last_ == longest_) longest_ *= growth;
    } else {
        longest_ = std::max(1.0, longest_ / growth);
    }
}

}  // namespace assay
