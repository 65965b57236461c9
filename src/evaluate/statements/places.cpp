#include "evaluate/statements/places.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace assay::statements {
namespace {

constexpr double copies_below = 1e-12;

std::vector<double> column_of(const Matrix& matrix, std::size_t column) {
    std::vector<double> out(matrix.rows);
    for (std::size_t b = 0; b < matrix.rows; ++b) out[b] = matrix.row(b)[column];
    return out;
}

// `largest` has one entry per pair of opposite draws, which applies to both.
double quantile_of_pairs(const std::vector<double>& values, double p) {
    std::vector<double> both = values;
    both.insert(both.end(), values.begin(), values.end());
    return quantile_of(std::move(both), p);
}

PlaceRange place_of(std::span<const double> values, const Pairs& pairs, std::size_t model,
                    double critical) {
    PlaceRange range{1, values.size()};
    const auto errors = pairs.errors.row(model);
    for (std::size_t j = 0; j < values.size(); ++j) {
        const double z = (values[j] - values[model]) / errors[j];
        range.low += z > critical ? 1 : 0;
        range.high -= z < -critical ? 1 : 0;
    }
    return range;
}

std::pair<double, double> wilson_ends(double value, double n, double low_z, double high_z) {
    const auto middle = [&](double z) { return (value + z * z / (2 * n)) / (1 + z * z / n); };
    return {middle(low_z) - low_z * wilson_error(value, n, low_z),
            middle(high_z) + high_z * wilson_error(value, n, high_z)};
}

// The number of images that corresponds to an error; near 0 and 1 by Wilson's interval.
double images_of(double value, double error, double z) {
    return std::max({1.0, value * (1 - value) / (error * error), z / (2 * error) - z * z});
}

}  // namespace

Pairs pairs_of(const Factor& factor, const Matrix& errors) {
    const std::size_t models = factor.models(), half = errors.rows / 2;
    Pairs out{covariance_of(factor), Matrix(half, models)};
    std::vector<double> variance(models);
    for (std::size_t m = 0; m < models; ++m) variance[m] = out.errors.row(m)[m];
    Matrix inverse(models, models);
    for (std::size_t i = 0; i < models; ++i) {
        for (std::size_t j = 0; j < models; ++j) {
            double& s = out.errors.row(i)[j];
            s = std::sqrt(std::max(variance[i] + variance[j] - 2 * s, 0.0));
            if (s <= copies_below) s = infinity;
            inverse.row(i)[j] = 1 / s;
        }
    }
    for (std::size_t b = 0; b < half; ++b) {
        const double* const e = errors.row(b).data();
        double* const largest = out.largest.row(b).data();
        for (std::size_t i = 0; i + 1 < models; ++i) {
            const double* const by = inverse.row(i).data();
            double most = 0;
            for (std::size_t j = i + 1; j < models; ++j) {
                const double ratio = std::abs(e[j] - e[i]) * by[j];
                most = ratio > most ? ratio : most;
                largest[j] = ratio > largest[j] ? ratio : largest[j];
            }
            largest[i] = std::max(largest[i], most);
        }
    }
    return out;
}

std::vector<PlaceRange> places_of(std::span<const double> values, const Pairs& pairs, double level,
                                  bool together) {
    std::vector<PlaceRange> out;
    double all = 0;
    if (together) {
        std::vector<double> most(pairs.largest.rows);
        for (std::size_t b = 0; b < most.size(); ++b)
            most[b] = std::ranges::max(pairs.largest.row(b));
        all = quantile_of_pairs(most, level);
    }
    for (std::size_t m = 0; m < values.size(); ++m) {
        out.push_back(
            place_of(values, pairs, m,
                     together ? all : quantile_of_pairs(column_of(pairs.largest, m), level)));
    }
    return out;
}

std::vector<ChangeRange> changes_of_place(std::span<const double> first, const Pairs& first_pairs,
                                          std::span<const double> second, const Pairs& second_pairs,
                                          double level) {
    std::vector<ChangeRange> out;
    for (std::size_t m = 0; m < first.size(); ++m) {
        std::vector<double> largest = column_of(first_pairs.largest, m);
        for (std::size_t b = 0; b < largest.size(); ++b)
            largest[b] = std::max(largest[b], second_pairs.largest.row(b)[m]);
        const double critical = quantile_of_pairs(largest, level);
        const PlaceRange one = place_of(first, first_pairs, m, critical),
                         two = place_of(second, second_pairs, m, critical);
        out.push_back({static_cast<std::int64_t>(one.low) - static_cast<std::int64_t>(two.high),
                       static_cast<std::int64_t>(one.high) - static_cast<std::int64_t>(two.low)});
    }
    return out;
}

Best best_of(std::span<const double> values, const Factor& factor, const Matrix& errors,
             double images, double level) {
    const double alpha = 1 - level, z = normal_quantile(1 - alpha / 2);
    const std::size_t models = values.size();
    std::vector<double> sd = errors_of(factor);
    for (double& s : sd) s = std::max(s, 1e-12);
    Best out;
    out.model = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
    const double best = values[out.model];
    const double n = images > 0 ? images : images_of(best, sd[out.model], z);
    if (models == 1) {
        out.candidates = 1;
        const auto [low, high] = wilson_ends(best, n, z, z);
        out.range = {best, low, high};
        return out;
    }
    // A model that is not significantly worse may be the best.
    std::vector<double> apart(models, 0);
    std::vector<bool> copy(models);
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const auto row = factor.shared.row(g);
        for (std::size_t m = 0; m < models; ++m)
            apart[m] += (row[m] - row[out.model]) * (row[m] - row[out.model]);
    }
    for (std::size_t m = 0; m < models; ++m) {
        if (m != out.model)
            apart[m] +=
                factor.own[m] * factor.own[m] + factor.own[out.model] * factor.own[out.model];
        copy[m] = m == out.model || std::sqrt(apart[m]) <= copies_below;
        apart[m] = std::sqrt(apart[m] + 1 / (n * n));
    }
    std::vector<double> largest(errors.rows, -infinity);
    for (std::size_t b = 0; b < errors.rows; ++b) {
        const auto e = errors.row(b);
        for (std::size_t m = 0; m < models; ++m)
            largest[b] = std::max(largest[b], copy[m] ? 0 : (e[out.model] - e[m]) / apart[m]);
    }
    const double worse = quantile_of(largest, 1 - alpha / 10);
    std::vector<bool> candidate(models);
    for (std::size_t m = 0; m < models; ++m) {
        candidate[m] = m == out.model || (best - values[m]) / apart[m] <= worse;
        out.candidates += candidate[m] ? 1 : 0;
    }
    // The winner is the one of these models with the most favorable error.
    for (std::size_t b = 0; b < errors.rows; ++b) {
        const auto e = errors.row(b);
        largest[b] = -infinity;
        for (std::size_t m = 0; m < models; ++m) {
            if (candidate[m]) largest[b] = std::max(largest[b], e[m] / sd[m]);
        }
    }
    const double lucky = quantile_of(largest, 1 - alpha / 2 + alpha / 20);
    const std::vector<double> around = centred(values);
    const double seen = sum_of_products(around, around) / static_cast<double>(models - 1);
    const double kept =
        seen > 0
            ? std::sqrt(std::max(0.0, seen - total_of(factor) / static_cast<double>(models - 1)) /
                        seen)
            : 0;
    const double mean = mean_of(values);
    double most = -infinity, drawn = 0;
    std::vector<double> shrunk(models);
    for (std::size_t m = 0; m < models; ++m) {
        shrunk[m] = mean + kept * around[m];
        most = std::max(most, shrunk[m]);
    }
    for (std::size_t b = 0; b < errors.rows; ++b) {
        const auto e = errors.row(b);
        double top = -infinity;
        for (std::size_t m = 0; m < models; ++m) top = std::max(top, shrunk[m] + e[m]);
        drawn += top / static_cast<double>(errors.rows);
    }
    const auto [low, high] = wilson_ends(best, n, lucky, z);
    out.range = {best - (drawn - most), low, high};
    return out;
}

}  // namespace assay::statements
