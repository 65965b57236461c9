#include "evaluate/statements/models_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/statistics.h"

namespace assay::statements {
namespace {

/// Sums over the models, and the covariance of their errors.
struct Moments {
    std::vector<double> x, y;  ///< centred
    double n1 = 0, sxx = 0, sxy = 0, kept_x = 0;
    double aa = 0, ab = 0, bb = 0;
};

Moments moments_of(const TwoSets& sets) {
    Moments out;
    out.x = centred(sets.x);
    out.y = centred(sets.y);
    out.n1 = total_of(*sets.first);
    const double n2 = total_of(*sets.second), xx = sum_of_products(out.x, out.x),
                 yy = sum_of_products(out.y, out.y);
    out.sxx = xx - out.n1;
    out.sxy = sum_of_products(out.x, out.y);
    out.kept_x = xx > 0 ? std::sqrt(std::max(0.0, 1 - out.n1 / xx)) : 0;
    const double kept_y = yy > 0 ? std::sqrt(std::max(0.0, 1 - n2 / yy)) : 0;
    const std::size_t draws = sets.first_draws->rows;
    std::vector<double> a(draws), b(draws);
    for (std::size_t i = 0; i < draws; ++i) {
        const std::vector<double> e1 = centred(sets.first_draws->row(i)),
                                  e2 = centred(sets.second_draws->row(i));
        a[i] = out.kept_x * sum_of_products(e2, out.x) + kept_y * sum_of_products(e1, out.y) +
               sum_of_products(e1, e2);
        b[i] = 2 * out.kept_x * sum_of_products(e1, out.x) + sum_of_products(e1, e1) - out.n1;
    }
    const std::vector<double> ca = centred(a), cb = centred(b);
    const double freedom = static_cast<double>(draws - 1);
    out.aa = sum_of_products(ca, ca) / freedom;
    out.ab = sum_of_products(ca, cb) / freedom;
    out.bb = sum_of_products(cb, cb) / freedom;
    return out;
}

Range fieller(const Moments& m, double aa, double quantile) {
    if (m.sxx <= 0) return {std::numeric_limits<double>::quiet_NaN(), -infinity, infinity};
    const double q = quantile * quantile, value = m.sxy / m.sxx;
    const double square = m.sxx * m.sxx - q * m.bb, middle = m.sxy * m.sxx - q * m.ab,
                 rest = m.sxy * m.sxy - q * aa;
    if (square <= 0) return {value, -infinity, infinity};
    const double root = std::sqrt(std::max(0.0, middle * middle - square * rest));
    return {value, (middle - root) / square, (middle + root) / square};
}

std::vector<double> by_family(std::span<const double> values, std::span<const std::size_t> families,
                              std::size_t count) {
    std::vector<double> sums(count, 0);
    for (std::size_t m = 0; m < values.size(); ++m) sums[families[m]] += values[m];
    return sums;
}

// The sum over the factor's centered rows of the squared weighted sums of the families.
double squares_by_family(const Factor& factor, std::span<const double> weights,
                         std::span<const std::size_t> families, std::size_t count) {
    double total = 0;
    const std::size_t models = factor.models();
    std::vector<double> row(models);
    const auto add = [&](std::span<const double> errors) {
        const std::vector<double> around = centred(errors);
        for (std::size_t m = 0; m < models; ++m) row[m] = weights[m] * around[m];
        const std::vector<double> sums = by_family(row, families, count);
        total += sum_of_products(sums, sums);
    };
    for (std::size_t g = 0; g < factor.shared.rows; ++g) add(factor.shared.row(g));
    std::vector<double> single(models, 0);
    for (std::size_t m = 0; m < models; ++m) {
        if (factor.own[m] == 0) continue;
        single[m] = factor.own[m];
        add(single);
        single[m] = 0;
    }
    return total;
}

// The slopes without each family.
std::vector<double> slopes_without(const TwoSets& sets, std::span<const std::size_t> families,
                                   std::size_t count) {
    std::vector<double> slopes;
    for (std::size_t family = 0; family < count; ++family) {
        std::vector<std::size_t> rest;
        std::vector<double> x, y;
        for (std::size_t m = 0; m < families.size(); ++m) {
            if (families[m] == family) continue;
            rest.push_back(m);
            x.push_back(sets.x[m]);
            y.push_back(sets.y[m]);
        }
        x = centred(x);
        y = centred(y);
        const double noise = total_of(selected(*sets.first, rest));
        slopes.push_back(sum_of_products(x, y) / std::max(sum_of_products(x, x) - noise, 1e-300));
    }
    return slopes;
}

/// The least-squares parabola of y on x around its mean.
struct Parabola {
    std::vector<double> x;     ///< centred
    std::vector<double> part;  ///< x^2 minus its linear fit
    std::vector<double> residuals;
    /// The slopes of a straight line, and of the parabola at the mean.
    double part_squares = 0, line = 0, slope = 0, coefficient = 0;
};
std::optional<Parabola> parabola(std::span<const double> xs, std::span<const double> ys) {
    Parabola out;
    const auto n = static_cast<double>(xs.size());
    if (xs.size() < 4) return std::nullopt;
    out.x = centred(xs);
    const std::vector<double> y = centred(ys);
    const double xx = sum_of_products(out.x, out.x);
    if (!(xx > 0)) return std::nullopt;
    double cubes = 0;
    for (const double x : out.x) cubes += x * x * x;
    for (const double x : out.x) out.part.push_back(x * x - xx / n - cubes / xx * x);
    out.part_squares = sum_of_products(out.part, out.part);
    if (!(out.part_squares > 1e-12 * xx * xx / n)) return std::nullopt;
    out.coefficient = sum_of_products(out.part, y) / out.part_squares;
    out.line = sum_of_products(out.x, y) / xx;
    out.slope = out.line - out.coefficient * cubes / xx;
    for (std::size_t m = 0; m < y.size(); ++m)
        out.residuals.push_back(y[m] - out.line * out.x[m] - out.coefficient * out.part[m]);
    return out;
}

// The variance of a weighted sum of the models' errors.
double variance_with(const Factor& factor, std::span<const double> weights) {
    return sum_of_products(covariance_with(factor, weights), weights);
}

}  // namespace

Range slope_of_these(const TwoSets& sets, double level) {
    const Moments m = moments_of(sets);
    return fieller(m, m.aa, normal_quantile(.5 + level / 2));
}

double slope_without_errors(const TwoSets& sets) {
    const std::vector<double> x = centred(sets.x), y = centred(sets.y);
    const double sxx = sum_of_products(x, x) - total_of(*sets.first);
    return sxx > 0 ? sum_of_products(x, y) / sxx : std::numeric_limits<double>::quiet_NaN();
}

LikeThese models_like_these(const TwoSets& sets, std::span<const std::size_t> families,
                            double level) {
    LikeThese out;
    const std::size_t models = sets.x.size(),
                      count = models == 0 ? 0 : std::ranges::max(families) + 1;
    if (models < 2 || count < 2) return out;
    const double f = static_cast<double>(count), n = static_cast<double>(models);
    std::vector<double> gaps(models);
    for (std::size_t m = 0; m < models; ++m) gaps[m] = sets.x[m] - sets.y[m];
    const double mean = mean_of(gaps), k = f / (f - 1) / (n * n);
    const std::vector<double> sums = by_family(centred(gaps), families, count);
    const std::vector<double> ones(models, 1);
    const double seen = sum_of_products(sums, sums) * k;
    double by_images = 0, shared = 0;
    for (const Factor* factor : {sets.first, sets.second}) {
        by_images += squares_by_family(*factor, ones, families, count) * k;
        shared += variance_of_mean(*factor);
    }
    const double half = student_t_quantile(.5 + level / 2, f - 1) *
                        std::sqrt(shared + std::max(0.0, seen - by_images));
    out.mean_gap = Range{mean, mean - half, mean + half};
    if (count < 4 || sets.first_draws->rows == 0) return out;
    const Moments m = moments_of(sets);
    if (m.sxx <= 0) return out;
    const double slope = m.sxy / m.sxx;
    const std::vector<double> around = centred(slopes_without(sets, families, count));
    const double jackknife = sum_of_products(around, around) * (f - 1) / f * m.sxx * m.sxx;
    std::vector<double> weights(models);
    double explained = 0;
    for (const auto& [factor, by] : {std::pair{sets.first, slope}, {sets.second, 1.0}}) {
        for (std::size_t i = 0; i < models; ++i) weights[i] = by * m.kept_x * m.x[i];
        explained += squares_by_family(*factor, weights, families, count) * f / (f - 1);
    }
    out.slope = fieller(m, m.aa + std::max(0.0, jackknife - explained),
                        student_t_quantile(.5 + level / 2, f - 2));
    return out;
}

std::optional<Curvature> curvature_of(const TwoSets& sets) {
    const std::optional<Parabola> fit = parabola(sets.x, sets.y);
    if (!fit) return std::nullopt;
    const auto models = static_cast<double>(sets.x.size());
    std::vector<double> by_slope(fit->part);
    double scatter = 0;
    for (std::size_t m = 0; m < by_slope.size(); ++m) {
        by_slope[m] *= fit->slope + 2 * fit->coefficient * fit->x[m];
        scatter += std::pow(fit->part[m] * fit->residuals[m], 2);
    }
    scatter *= models / std::max(1.0, models - 3);
    const double images =
        variance_with(*sets.second, fit->part) + variance_with(*sets.first, by_slope);
    Curvature out;
    out.coefficient = fit->coefficient;
    out.standard_error = std::sqrt(images + scatter) / fit->part_squares;
    const auto slope_at = [&](double p) {
        return fit->slope + 2 * fit->coefficient * quantile_of(fit->x, p);
    };
    out.low_slope = slope_at(.1);
    out.high_slope = slope_at(.9);
    out.curved = models >= 8 && std::abs(out.coefficient) > 3 * out.standard_error &&
                 std::abs(out.high_slope - out.low_slope) > .2 * std::abs(slope_at(.5));
    return out;
}

std::optional<AroundParabola> around_parabola(std::span<const double> x,
                                              std::span<const double> y) {
    const std::optional<Parabola> fit = parabola(x, y);
    if (!fit) return std::nullopt;
    return AroundParabola{
        sum_of_products(fit->residuals, fit->residuals) / static_cast<double>(x.size()), fit->line};
}

}  // namespace assay::statements
