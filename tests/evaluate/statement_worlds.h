// Simulated classifiers with known true accuracies on two data sets. All models share the
// difficulty of the images that are drawn.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/statistics.h"
#include "evaluate/statements/noise.h"

namespace assay::statements::worlds {

struct World {
    std::string name;
    std::vector<double> first, second;  ///< true values of the models
    std::size_t first_images = 1000, second_images = 1000;
    /// The proportion of the variance of an image's difficulty that is common to all models.
    double shared = .6;
};

inline std::vector<double> evenly(double low, double high, std::size_t models) {
    std::vector<double> out;
    for (std::size_t m = 0; m < models; ++m)
        out.push_back(low +
                      (high - low) * static_cast<double>(m) / static_cast<double>(models - 1));
    return out;
}
inline std::vector<double> less(std::vector<double> values, const std::vector<double>& gaps) {
    for (std::size_t m = 0; m < values.size(); ++m) values[m] -= gaps[m % gaps.size()];
    return values;
}

/// The simulations, which were defined before the methods were run on them.
inline std::vector<World> all() {
    const auto six = evenly(.55, .85, 6), ten = evenly(.55, .85, 10), twenty = evenly(.5, .85, 20),
               thirty = evenly(.55, .85, 30), close = evenly(.70, .75, 10),
               twelve = evenly(.60, .82, 12), high = evenly(.95, .99, 8),
               many = evenly(.5, .85, 25);
    std::vector<double> one_falls(20, 0), from_below(25);
    one_falls[7] = .2;
    for (std::size_t m = 0; m < from_below.size(); ++m)
        from_below[m] = -.02 + .05 * static_cast<double>((m * 7) % 25) / 24;
    return {
        {"six models, no gap", six, six},
        {"six models, no gap, 300 images", six, six, 300, 300},
        {"30 models, nearly independent errors, no gap", thirty, thirty, 1000, 1000, .1},
        {"six models, gaps of +-1", six, less(six, {.01, -.01})},
        {"ten models, half 0, half 5 points", ten, less(ten, {0, .05})},
        {"20 models, one falls 20 points", twenty, less(twenty, one_falls)},
        {"ten close models, gap 5", close, less(close, {.05})},
        {"twelve models, scatter", twelve,
         less(twelve, {.03, .10, .08, .02, .12, .05, .09, .01, .11, .06, .04, .07})},
        {"eight models near 1, 400 images", high, high, 400, 400},
        {"25 models, gaps of -2 to 3", many, less(many, from_below), 1500, 1500},
    };
}

/// The results of one draw of images: proportions, and the factor of their errors from 128 groups.
struct Seen {
    std::vector<double> values;
    Factor factor;
};
inline Seen drawn(const std::vector<double>& truth, std::size_t images, double shared,
                  std::uint64_t draw, std::uint64_t set) {
    constexpr std::size_t groups = 128;
    RandomStream random(draw, "statement world", set);
    const std::size_t models = truth.size();
    std::vector<double> limits;
    for (const double p : truth) limits.push_back(normal_quantile(p));
    Matrix hits(groups, models);
    std::vector<double> sizes(groups, 0), totals(models, 0);
    const double common = std::sqrt(shared), own = std::sqrt(1 - shared);
    for (std::size_t i = 0; i < images; ++i) {
        const double difficulty = common * random.normal();
        const auto row = hits.row(i % groups);
        sizes[i % groups] += 1;
        for (std::size_t m = 0; m < models; ++m) {
            const bool hit = difficulty + own * random.normal() < limits[m];
            row[m] += hit ? 1 : 0;
            totals[m] += hit ? 1 : 0;
        }
    }
    const auto n = static_cast<double>(images);
    Seen out;
    std::vector<double> errors;
    for (std::size_t m = 0; m < models; ++m) {
        out.values.push_back(totals[m] / n);
        errors.push_back(wilson_error(out.values[m], n, normal_quantile(.975)));
        for (std::size_t g = 0; g < groups; ++g)
            hits.row(g)[m] = (hits.row(g)[m] - sizes[g] * out.values[m]) / n;
    }
    out.factor = rescaled(Factor(std::move(hits)), errors);
    return out;
}

}  // namespace assay::statements::worlds
