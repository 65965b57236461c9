// The error that images leave in the values of several models, and draws of it.
//
// What is said about many models (a mean of |gap|, an order, a spread) is no linear function of
// their values, so that errors move it. Each statement therefore gets the errors themselves, as
// draws, and asks which truths fit to what was seen. Values are proportions; `models` always counts
// the models of one data set, in one order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace assay::statements {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Row by row.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0) {}
    std::span<double> row(std::size_t i) { return {values.data() + i * columns, columns}; }
    std::span<const double> row(std::size_t i) const {
        return {values.data() + i * columns, columns};
    }
};

/// A factor D of the covariance of the models' values: Cov = D'D. Its rows are `shared`, and one
/// more for each model with `own` > 0, which holds that number for this model and 0 for the others.
struct Factor {
    Matrix shared;
    std::vector<double> own;  ///< one per model

    explicit Factor(std::size_t models = 0) : shared(0, models), own(models, 0) {}
    explicit Factor(Matrix rows) : shared(std::move(rows)), own(shared.columns, 0) {}
    std::size_t models() const { return own.size(); }
};

/// Standard deviation of each model's error.
std::vector<double> errors_of(const Factor& factor);
/// Sum over the rows of the squares around the row's mean over the models: what errors add to the
/// sum of squares of the models' values around their mean, on average.
double total_of(const Factor& factor);
/// Variance of the mean over the models.
double variance_of_mean(const Factor& factor);
/// D'D.
Matrix covariance_of(const Factor& factor);
/// D'(D w): how each model's error goes with the weighted sum of them all.
std::vector<double> covariance_with(const Factor& factor, std::span<const double> weights);
/// Each column times its number, as of values on another scale.
Factor scaled(Factor factor, std::span<const double> by);
/// Each model's error becomes its target: the half width of its own interval by the normal
/// quantile. A model without any error gets a row of its own.
Factor rescaled(Factor factor, std::span<const double> targets);
/// The columns of these models.
Factor selected(const Factor& factor, std::span<const std::size_t> models);

/// Published values: errors of these sizes, and one correlation between any two models.
Factor table_factor(std::span<const double> errors, double correlation);
/// Half width of Wilson's interval by the normal quantile z; n need not be whole.
double wilson_error(double value, double n, double z);
/// At most so large is the error of a mean over subgroups of so many images each.
double subgroup_error(std::span<const std::uint64_t> counts);

/// Standard normals by counter: number i from splitmix64's outputs 2i and 2i + 1 of the seed
/// (Steele, Lea, Flood 2014; Box and Muller 1958).
std::vector<double> normals(std::uint64_t seed, std::size_t count);
/// Draws of the models' errors; `count` is even. The second half is the first with the sign turned.
Matrix draws_of(const Factor& factor, std::size_t count, std::uint64_t seed);
/// The same for two factors of the same images, which then share what was drawn. Throws internal:
/// other numbers of shared rows or models.
std::pair<Matrix, Matrix> draws_of(const Factor& one, const Factor& two, std::size_t count,
                                   std::uint64_t seed);
/// Errors of first - second.
Matrix difference(const Matrix& first, const Matrix& second);

/// A value with its interval; the ends may be infinite where any truth fits.
struct Range {
    double value = 0, low = 0, high = 0;
};

// ---- What the statements have in common.
double mean_of(std::span<const double> values);
/// Values less their mean.
std::vector<double> centred(std::span<const double> values);
double sum_of_products(std::span<const double> a, std::span<const double> b);
/// Where a rising function crosses 0, by 40 halvings.
template <class Function>
double bisected(double low, double high, Function&& rising) {
    for (int step = 0; step < 40; ++step) {
        const double middle = .5 * (low + high);
        (rising(middle) < 0 ? low : high) = middle;
    }
    return .5 * (low + high);
}
/// Type 7; takes the values apart.
double quantile_of(std::vector<double> values, double p);

}  // namespace assay::statements
