// The errors of several models' values due to the choice of images, and draws of these errors.
//
// A statement about many models (a mean of |gap|, an order, a spread) is not a linear function of
// their values. Errors bias such a statement. So each statement uses draws of the errors, and finds
// the true values that are compatible with the observed ones. Values are proportions; `models`
// always counts the models of one data set, in one order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace assay::statements {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Values stored row by row.
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
/// additional row for each model with `own` > 0. That row has `own` for this model and 0 for the
/// others.
struct Factor {
    Matrix shared;
    std::vector<double> own;  ///< one value per model

    explicit Factor(std::size_t models = 0) : shared(0, models), own(models, 0) {}
    explicit Factor(Matrix rows) : shared(std::move(rows)), own(shared.columns, 0) {}
    std::size_t models() const { return own.size(); }
};

/// The standard deviation of each model's error.
std::vector<double> errors_of(const Factor& factor);
/// The sum over the rows of squares around the row's mean over the models. It is the average
/// contribution of errors to the sum of squares of the models' values around their mean.
double total_of(const Factor& factor);
/// The variance of the mean over the models.
double variance_of_mean(const Factor& factor);
/// D'D.
Matrix covariance_of(const Factor& factor);
/// D'(D w): the covariance of each model's error with the weighted sum of all errors.
std::vector<double> covariance_with(const Factor& factor, std::span<const double> weights);
/// Multiplies each column by its number, for values on another scale.
Factor scaled(Factor factor, std::span<const double> by);
/// Scales each model's error to its target: the half width of its own interval divided by the
/// normal quantile. A model without any error gets its own row.
Factor rescaled(Factor factor, std::span<const double> targets);
/// Returns the columns of these models.
Factor selected(const Factor& factor, std::span<const std::size_t> models);

/// For published values: the factor for errors of these sizes, with one correlation for all.
Factor table_factor(std::span<const double> errors, double correlation);
/// The half width of Wilson's interval at the normal quantile z, divided by z. n may be fractional.
double wilson_error(double value, double n, double z);
/// An upper bound on the error of a mean over subgroups with these numbers of images.
double subgroup_error(std::span<const std::uint64_t> counts);

/// Standard normals by counter: number i uses splitmix64's outputs 2i and 2i + 1 for the seed
/// (Steele, Lea, Flood 2014; Box and Muller 1958).
std::vector<double> normals(std::uint64_t seed, std::size_t count);
/// Draws of the models' errors; `count` must be even. The second half repeats the first with
/// opposite signs.
Matrix draws_of(const Factor& factor, std::size_t count, std::uint64_t seed);
/// The same for two factors of the same images, which then share the drawn numbers. Throws internal
/// if their numbers of shared rows or models differ.
std::pair<Matrix, Matrix> draws_of(const Factor& one, const Factor& two, std::size_t count,
                                   std::uint64_t seed);
/// The errors of first - second.
Matrix difference(const Matrix& first, const Matrix& second);

/// A value with its interval; the ends may be infinite if any true value is possible.
struct Range {
    double value = 0, low = 0, high = 0;
};

// ---- Functions that all statements share.
double mean_of(std::span<const double> values);
/// The values minus their mean.
std::vector<double> centred(std::span<const double> values);
double sum_of_products(std::span<const double> a, std::span<const double> b);
/// The zero of an increasing function, by 40 bisections.
template <class Function>
double bisected(double low, double high, Function&& rising) {
    for (int step = 0; step < 40; ++step) {
        const double middle = .5 * (low + high);
        (rising(middle) < 0 ? low : high) = middle;
    }
    return .5 * (low + high);
}
/// A quantile of type 7. Changes the order of the values.
double quantile_of(std::vector<double> values, double p);

}  // namespace assay::statements
