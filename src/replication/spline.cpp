#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "assay/replication/mixture.h"
#include "replication/dense.h"

namespace assay::replication {
namespace {

constexpr std::size_t basis = 7;
constexpr std::array<double, 3> knots = {.5, .7, .9};
constexpr double lowest = 2e-6, highest = 1;
constexpr int grid_points = 1000;
constexpr double ridge = 1e-9;
constexpr double min_proportion = 1e-5;

using Row = std::array<double, basis>;

Row functions_at(double s) {
    Row row{1, s, s * s, s * s * s, 0, 0, 0};
    for (std::size_t m = 0; m < knots.size(); ++m) {
        const double x = std::max(0.0, s - knots[m]);
        row[4 + m] = x * x * x;
    }
    return row;
}

double binomial(int n, int k, double s) {
    if (s <= 0) return k == 0 ? 1 : 0;
    if (s >= 1) return k == n ? 1 : 0;
    return std::exp(log_choose(n, k) + k * std::log(s) + (n - k) * std::log1p(-s));
}

/// The integral of each basis function times B(k|s) times one beta density. With k = n = 0 this is
/// the mean.
Row exact_row(int n, int k, double a, double b) {
    const double base = std::exp(log_beta_binomial(n, k, a, b));
    std::array<double, 4> moment{};
    moment[0] = base;
    for (int j = 1; j < 4; ++j) {
        moment[static_cast<std::size_t>(j)] =
            moment[static_cast<std::size_t>(j - 1)] * (a + k + j - 1) / (a + b + n + j - 1);
    }
    Row row{moment[0], moment[1], moment[2], moment[3], 0, 0, 0};
    for (std::size_t m = 0; m < knots.size(); ++m) {
        const double c = knots[m];
        const std::array<double, 4> cubic = {-c * c * c, 3 * c * c, -3 * c, 1};
        double sum = 0;
        for (int j = 0; j < 4; ++j) {
            const auto i = static_cast<std::size_t>(j);
            sum += cubic[i] * moment[i] * boost::math::ibetac(a + k + j, b + n - k, c);
        }
        row[4 + m] = std::max(0.0, sum);
    }
    return row;
}

Row grid_row(int n, int k, double a, double b) {
    const double norm = log_beta(a, b);
    Row row{};
    for (int i = 0; i + 1 < grid_points; ++i) {
        const double s = static_cast<double>(i) / (grid_points - 1);
        const double density =
            i == 0 ? (a == 1 ? b : 0)
                   : std::exp((a - 1) * std::log(s) + (b - 1) * std::log1p(-s) - norm);
        const Row f = functions_at(s);
        const double weight = density * binomial(n, k, s) / grid_points;
        for (std::size_t j = 0; j < basis; ++j) row[j] += weight * f[j];
    }
    return row;
}

Row mixture_row(const BetaMixture& m, int n, int k, Integrals integrals) {
    Row sum{};
    for (std::size_t part = 0; part < m.parts(); ++part) {
        if (m.weight[part] == 0) continue;
        Row row{};
        if (m.is_point(part) && integrals == Integrals::exact) {
            const double s = m.a[part] / (m.a[part] + m.b[part]);
            row = functions_at(s);
            for (double& x : row) x *= binomial(n, k, s);
        } else {
            row = integrals == Integrals::exact ? exact_row(n, k, m.a[part], m.b[part])
                                                : grid_row(n, k, m.a[part], m.b[part]);
        }
        for (std::size_t j = 0; j < basis; ++j) sum[j] += m.weight[part] * row[j];
    }
    return sum;
}

}  // namespace

/// With z = R w - Q'f the problem becomes least distance programming: the shortest z with limits z
/// >= values. Rows of `limits` have length 1.
struct SplineFitter::Factors {
    Householder equations;
    std::vector<std::vector<double>> limits;  ///< each has the length of the basis
    std::vector<double> bound, length;        ///< values of each row before scaling
};

double AccuracySpline::at(double s) const {
    const Row f = functions_at(s);
    double sum = 0;
    for (std::size_t j = 0; j < basis; ++j) sum += w[j] * f[j];
    return sum;
}

SplineFitter::SplineFitter(const CellCounts& counts, const BetaMixture& density,
                           Integrals integrals, bool weighted)
    : counts_(counts), total_(counts.total()) {
    const CellGrid& grid = counts_.grid;
    std::vector<double> of_n(static_cast<std::size_t>(grid.max_n()) + 1, 0.0);
    for (std::size_t c = 0; c < grid.size(); ++c)
        of_n[static_cast<std::size_t>(grid.n(c))] += counts_.images[c];
    Matrix design(grid.size() + basis, basis);
    for (std::size_t c = 0; c < grid.size(); ++c) {
        const Row row = mixture_row(density, grid.n(c), grid.k(c), integrals);
        const double of_all = of_n[static_cast<std::size_t>(grid.n(c))] / total_;
        // Uses the fitted proportion, not the observed one. Otherwise empty cells (most of them if
        // images differ in their numbers of annotators) would have the largest weights and pull the
        // curve down.
        row_weight_.push_back(weighted ? 1 / std::sqrt(std::max(of_all * row[0], min_proportion))
                                       : 1);
        const double scale = row_weight_[c] * of_all;
        for (std::size_t j = 0; j < basis; ++j) design.at(c, j) = scale * row[j];
    }
    for (std::size_t j = 0; j < basis; ++j) design.at(grid.size() + j, j) = ridge;
    auto factors = std::make_shared<Factors>(Factors{Householder(std::move(design)), {}, {}, {}});
    const int points = integrals == Integrals::exact ? 101 : grid_points;
    for (int i = 0; i < points; ++i) {
        const Row f = functions_at(static_cast<double>(i) / (points - 1));
        for (const double sign : {1.0, -1.0}) {
            std::vector<double> row = factors->equations.back_transposed(f);
            double length = 0;
            for (double& x : row) {
                x *= sign;
                length += x * x;
            }
            length = std::sqrt(length);
            for (double& x : row) x /= length;
            factors->limits.push_back(std::move(row));
            factors->bound.push_back((sign > 0 ? lowest : -highest) / length);
            factors->length.push_back(length);
        }
    }
    factors_ = std::move(factors);
}

AccuracySpline SplineFitter::fit(std::span<const double> correct) const {
    const std::size_t cells = counts_.grid.size();
    std::vector<double> target(cells + basis, 0.0);
    for (std::size_t c = 0; c < cells; ++c) target[c] = row_weight_[c] * correct[c] / total_;
    AccuracySpline spline;
    std::vector<double> z = factors_->equations.project(target, &spline.objective);
    std::vector<double> bound(factors_->limits.size());
    double worst = 0;
    for (std::size_t i = 0; i < bound.size(); ++i) {
        double dot = 0;
        for (std::size_t j = 0; j < basis; ++j) dot += factors_->limits[i][j] * z[j];
        bound[i] = factors_->bound[i] - dot;
        worst = std::max(worst, bound[i]);
    }
    if (worst > 0) {
        spline.constrained = true;
        Matrix dual(basis + 1, bound.size());
        for (std::size_t i = 0; i < bound.size(); ++i) {
            for (std::size_t j = 0; j < basis; ++j) dual.at(j, i) = factors_->limits[i][j];
            dual.at(basis, i) = bound[i] / worst;
        }
        std::vector<double> rhs(basis + 1, 0.0);
        rhs[basis] = 1;
        const std::vector<double> u = nonnegative_least_squares(dual, rhs);
        std::vector<double> rest(basis + 1, 0.0);
        rest[basis] = -1;
        for (std::size_t i = 0; i < u.size(); ++i) {
            for (std::size_t j = 0; j <= basis; ++j) rest[j] += dual.at(j, i) * u[i];
        }
        for (std::size_t j = 0; j < basis; ++j) {
            const double step = -worst * rest[j] / rest[basis];
            z[j] += step;
            spline.objective += step * step;
        }
    }
    spline.w = factors_->equations.back(z);
    return spline;
}

double mean_under(const AccuracySpline& spline, const BetaMixture& density) {
    const Row row = mixture_row(density, 0, 0, Integrals::exact);
    double sum = 0;
    for (std::size_t j = 0; j < basis; ++j) sum += spline.w[j] * row[j];
    return sum;
}

double reading_proportion(const AccuracySpline& spline, const BetaMixture& density, int n, int k) {
    const Row row = mixture_row(density, n, k, Integrals::exact);
    double sum = 0;
    for (std::size_t j = 0; j < basis; ++j) sum += spline.w[j] * row[j];
    return sum;
}

}  // namespace assay::replication
