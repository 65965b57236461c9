#include "evaluate/statements/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "assay/error.h"

namespace assay::statements {
namespace {

std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t counter) {
    std::uint64_t z = seed + (counter + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

double uniform_at(std::uint64_t seed, std::uint64_t counter) {
    return (static_cast<double>(splitmix64(seed, counter) >> 11U) + .5) * 0x1p-53;
}

// The indices of models with their own row, in order.
std::vector<std::size_t> own_rows(std::span<const double> one, std::span<const double> two) {
    std::vector<std::size_t> out;
    for (std::size_t m = 0; m < one.size(); ++m) {
        if (one[m] != 0 || two[m] != 0) out.push_back(m);
    }
    return out;
}

Matrix made(const Factor& factor, std::span<const std::size_t> own, std::size_t count,
            std::span<const double> normal) {
    const std::size_t half = count / 2, models = factor.models(), shared = factor.shared.rows,
                      width = shared + own.size();
    Matrix out(count, models);
    for (std::size_t b = 0; b < half; ++b) {
        const std::span<double> draw = out.row(b);
        const double* const w = normal.data() + b * width;
        for (std::size_t g = 0; g < shared; ++g) {
            const std::span<const double> row = factor.shared.row(g);
            for (std::size_t m = 0; m < models; ++m) draw[m] += w[g] * row[m];
        }
        for (std::size_t k = 0; k < own.size(); ++k)
            draw[own[k]] += w[shared + k] * factor.own[own[k]];
        const std::span<double> turned = out.row(half + b);
        for (std::size_t m = 0; m < models; ++m) turned[m] = -draw[m];
    }
    return out;
}

}  // namespace

std::vector<double> errors_of(const Factor& factor) {
    std::vector<double> out(factor.models());
    for (std::size_t m = 0; m < out.size(); ++m) out[m] = factor.own[m] * factor.own[m];
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const auto row = factor.shared.row(g);
        for (std::size_t m = 0; m < out.size(); ++m) out[m] += row[m] * row[m];
    }
    for (double& x : out) x = std::sqrt(x);
    return out;
}

double total_of(const Factor& factor) {
    const auto models = static_cast<double>(factor.models());
    double total = 0;
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const std::vector<double> row = centred(factor.shared.row(g));
        total += sum_of_products(row, row);
    }
    for (const double own : factor.own) total += own * own * (1 - 1 / models);
    return total;
}

double variance_of_mean(const Factor& factor) {
    const auto models = static_cast<double>(factor.models());
    double variance = 0;
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const double mean = mean_of(factor.shared.row(g));
        variance += mean * mean;
    }
    for (const double own : factor.own) variance += own * own / (models * models);
    return variance;
}

Matrix covariance_of(const Factor& factor) {
    const std::size_t models = factor.models();
    Matrix out(models, models);
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const auto row = factor.shared.row(g);
        for (std::size_t i = 0; i < models; ++i) {
            const auto line = out.row(i);
            for (std::size_t j = 0; j < models; ++j) line[j] += row[i] * row[j];
        }
    }
    for (std::size_t m = 0; m < models; ++m) out.row(m)[m] += factor.own[m] * factor.own[m];
    return out;
}

std::vector<double> covariance_with(const Factor& factor, std::span<const double> weights) {
    std::vector<double> out(factor.models(), 0);
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const auto row = factor.shared.row(g);
        const double sum = sum_of_products(row, weights);
        for (std::size_t m = 0; m < out.size(); ++m) out[m] += sum * row[m];
    }
    for (std::size_t m = 0; m < out.size(); ++m)
        out[m] += factor.own[m] * factor.own[m] * weights[m];
    return out;
}

Factor scaled(Factor factor, std::span<const double> by) {
    for (std::size_t g = 0; g < factor.shared.rows; ++g) {
        const auto row = factor.shared.row(g);
        for (std::size_t m = 0; m < by.size(); ++m) row[m] *= by[m];
    }
    for (std::size_t m = 0; m < by.size(); ++m) factor.own[m] *= std::abs(by[m]);
    return factor;
}

Factor rescaled(Factor factor, std::span<const double> targets) {
    const std::vector<double> errors = errors_of(factor);
    std::vector<double> by(errors.size());
    for (std::size_t m = 0; m < by.size(); ++m) by[m] = errors[m] > 0 ? targets[m] / errors[m] : 0;
    factor = scaled(std::move(factor), by);
    for (std::size_t m = 0; m < by.size(); ++m) {
        if (!(errors[m] > 0)) factor.own[m] = targets[m];
    }
    return factor;
}

Factor selected(const Factor& factor, std::span<const std::size_t> models) {
    Factor out(Matrix(factor.shared.rows, models.size()));
    for (std::size_t k = 0; k < models.size(); ++k) {
        out.own[k] = factor.own[models[k]];
        for (std::size_t g = 0; g < factor.shared.rows; ++g)
            out.shared.row(g)[k] = factor.shared.row(g)[models[k]];
    }
    return out;
}

Factor table_factor(std::span<const double> errors, double correlation) {
    Factor out(Matrix(1, errors.size()));
    for (std::size_t m = 0; m < errors.size(); ++m) {
        out.shared.row(0)[m] = std::sqrt(correlation) * errors[m];
        out.own[m] = std::sqrt(1 - correlation) * errors[m];
    }
    return out;
}

double wilson_error(double value, double n, double z) {
    return std::sqrt(value * (1 - value) / n + z * z / (4 * n * n)) / (1 + z * z / n);
}

double subgroup_error(std::span<const std::uint64_t> counts) {
    double sum = 0;
    for (const std::uint64_t n : counts) sum += 1 / static_cast<double>(n);
    return std::sqrt(.25 * sum) / static_cast<double>(counts.size());
}

std::vector<double> normals(std::uint64_t seed, std::size_t count) {
    std::vector<double> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = std::sqrt(-2 * std::log(uniform_at(seed, 2 * i))) *
                 std::cos(2 * std::numbers::pi * uniform_at(seed, 2 * i + 1));
    }
    return out;
}

Matrix draws_of(const Factor& factor, std::size_t count, std::uint64_t seed) {
    const std::vector<std::size_t> own = own_rows(factor.own, factor.own);
    return made(factor, own, count, normals(seed, count / 2 * (factor.shared.rows + own.size())));
}

std::pair<Matrix, Matrix> draws_of(const Factor& one, const Factor& two, std::size_t count,
                                   std::uint64_t seed) {
    if (one.shared.rows != two.shared.rows || one.models() != two.models())
        throw Error(ErrorCode::internal, "two factors of the same images have different rows");
    const std::vector<std::size_t> own = own_rows(one.own, two.own);
    const auto normal = normals(seed, count / 2 * (one.shared.rows + own.size()));
    return {made(one, own, count, normal), made(two, own, count, normal)};
}

Matrix difference(const Matrix& first, const Matrix& second) {
    Matrix out = first;
    for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] -= second.values[i];
    return out;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> centred(std::span<const double> values) {
    const double mean = mean_of(values);
    std::vector<double> out(values.begin(), values.end());
    for (double& x : out) x -= mean;
    return out;
}

double sum_of_products(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double quantile_of(std::vector<double> values, double p) {
    const double place = p * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), values.begin() + below, values.end());
    const double low = values[static_cast<std::size_t>(below)];
    if (below + 1 == std::ssize(values)) return low;
    const double high = *std::min_element(values.begin() + below + 1, values.end());
    const double part = place - static_cast<double>(below);
    return low + part * (high - low);
}

}  // namespace assay::statements
