// The published model of selection rates: a mixture of betas seen through binomial readings, and a
// cubic spline for the accuracy at each rate. Source: Engstrom et al., ICML 2020, section 4.2 and
// appendix C.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication {

struct BetaMixture {
    std::vector<double> weight, a, b;
    double log_likelihood = 0;
    int rounds = 0;  ///< number of rounds of EM, plus Newton steps
    bool converged = false;
    /// The largest slope of the log-likelihood, in nats per log weight, log a or log b. Parameters
    /// at their limit with an outward slope are excluded. Only set after Newton steps.
    double gradient = 0;
    std::size_t parts() const noexcept { return weight.size(); }
    /// A part with (almost) no weight or no spread is a point mass at a / (a + b).
    bool is_point(std::size_t part) const;
};

/// log B(a, b): the density of Beta(a, b) is s^(a-1) (1-s)^(b-1) / B(a, b).
double log_beta(double a, double b);
/// log P(k of n selected) for one beta; 0 * log 0 = 0.
double log_beta_binomial(int n, int k, double a, double b);
/// The sum over readings of counts * log P(reading).
double log_likelihood(const CellCounts& counts, const BetaMixture& mixture);

struct MixtureOptions {
    int parts = 3;
    int max_rounds = 2000;
    int random_starts = 19;  ///< in addition to the fixed one
    /// EM stops when a round gains less than this proportion of the log-likelihood.
    double tolerance = 1e-10;
    bool newton = true;  ///< false uses only EM, which stops short of the maximum
    std::uint64_t seed = 1;
    std::optional<BetaMixture> start;  ///< the only start, if set
};
/// Maximum likelihood: every start gets some rounds of EM, then Newton steps until no slope exceeds
/// 1e-10 nats per image. Returns the best of all starts. It works on counts, so its cost does not
/// depend on the number of images. Throws bad_input without images.
BetaMixture fit_mixture(const CellCounts& counts, const MixtureOptions& options);

/// The method for integrals over the density.
enum class Integrals {
    exact,    ///< closed forms: incomplete beta functions
    grid1000  ///< as published: 999 of 1000 grid points, with infinite densities as 0; biased by
              ///< about half a point
};

/// g(s) = w0 + w1 s + w2 s^2 + w3 s^3 + sum_m v_m (s - knot_m)_+^3, knots .5 .7 .9, with 2e-6 <= g
/// <= 1.
struct AccuracySpline {
    std::vector<double> w;  ///< 7 coefficients
    double objective =
        0;  ///< sum of squared differences of P(correct, reading), weighted if requested
    bool constrained = false;
    double at(double s) const;
};

/// Fits splines to the readings of one data set. The equations are factorised once for all
/// classifiers.
class SplineFitter {
public:
    /// `counts` has the readings of set 2. `weighted` multiplies rows by 1 / sqrt(the reading's
    /// proportion under `density`, at least 1e-5), which reduces noise.
    SplineFitter(const CellCounts& counts, const BetaMixture& density, Integrals integrals,
                 bool weighted);
    /// `correct` has the number of correct images by cell.
    AccuracySpline fit(std::span<const double> correct) const;

private:
    struct Factors;  ///< for the equations and for the bounds on g
    CellCounts counts_;
    double total_ = 0;
    std::vector<double> row_weight_;
    std::shared_ptr<const Factors> factors_;
};

/// The mean of the spline under a mixture, which is the adjusted accuracy if the mixture is set
/// 1's. Always exact, because sums over the grid would lose the mass of a density that is infinite
/// at 1.
double mean_under(const AccuracySpline& spline, const BetaMixture& density);

/// Expected proportion of correct images at each cell under a mixture and a spline: integral of g
/// B(k|s) p ds (exact).
double reading_proportion(const AccuracySpline& spline, const BetaMixture& density, int n, int k);

}  // namespace assay::replication
