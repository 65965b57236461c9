// Adjusted accuracy by penalised likelihood ("PL"). It fits smooth densities of the selection rates
// of both sets, and a smooth accuracy curve for each classifier. Its own data determine the
// smoothness of each function, and the errors include what the smoothing may hide.
//
// The rates s_j are on a grid that is equidistant in logit s. There, log p_j is the sum of a
// multiple of log s, a multiple of log(1 - s) and a cubic spline. The second differences of the
// spline are penalised; with an infinite penalty, the density is a beta distribution. The curve is
// g(s) = -.05 + 1.1 logistic(eta). Here eta is a cosine series in 2 atan sqrt(s / (1 - s)) with
// penalised curvature. A reading (n, k) enters only through s^k (1 - s)^(n - k). So images may
// differ in n, and n may depend on earlier answers. The penalties' weights are chosen by marginal
// likelihood (the fixed point of Schall, Biometrika 1991) and then lowered. docs/selection-bias.md
// says how it was tested and where it fails.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication {

namespace penalised {
struct Densities;
}

/// Immutable; thread-safe. Accuracies are proportions.
class PenalisedLikelihood {
public:
    /// Fits the densities of both sets. Throws bad_input for a set without images or with readings
    /// that are all 0 or all n, usage for cells with one annotator only. Cost: about 10 rounds of
    /// cells * 180 * 30 multiplications per set.
    PenalisedLikelihood(const CellCounts& first, const CellCounts& second);

    struct Fit {
        double accuracy = 0;        ///< A = sum_j p1_j g_j
        std::vector<double> curve;  ///< g_j at rates(), from -.05 to 1.05
        /// Standard error of eta_j given set 2's density, including what the smoothing may hide. It
        /// is sqrt(b_j' H^-1 b_j), as for a smoothing spline (Wahba, JRSS B 1983).
        std::vector<double> curve_error;
        /// The influence of an image on the accuracy, by cell of its set's grid (0 in cells without
        /// images). `first_effect` is for set 1, and `miss_effect` is for set 2 if misclassified. A
        /// hit adds `hit_effect`.
        std::vector<double> first_effect, miss_effect, hit_effect;
        /// The prior's part of the variance, B = sum of squares. `first_prior` and `second_prior`
        /// are from set 1's and set 2's density, by second difference of the spline. `curve_prior`
        /// is the square root of the curve's part.
        std::vector<double> first_prior, second_prior;
        double curve_prior = 0;
        double penalty = 0;  ///< weight of the curve's roughness penalty
        int rounds = 0;
    };
    /// `correct`: correct images by cell of set 2. Cost: about 10 rounds of cells * 180 * 24 sums.
    Fit fit(std::span<const double> correct) const;

    /// The part of a jump by 1 in the true curve that the accuracy would miss, to first order. Each
    /// value is for the upper edge of a part of the grid. It is P1(s above the edge) minus the
    /// estimate's response to the hits that such a jump adds. There are rates().size() entries, and
    /// the last is 0. The edges are midpoints on the logit scale.
    std::vector<double> missed_of_jump(const Fit& fit) const;

    /// The grid of rates and both densities on it (masses that sum to 1 each).
    const std::vector<double>& rates() const;
    const std::vector<double>& first_density() const;
    const std::vector<double>& second_density() const;
    /// The chosen weights of the roughness penalties for set 1 and set 2.
    double first_penalty() const;
    double second_penalty() const;

private:
    std::shared_ptr<const penalised::Densities> densities_;
};

}  // namespace assay::replication
