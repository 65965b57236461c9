// Adjusted accuracy from counts of readings: closed-form estimators.
//
// The target is A = integral of g(s) p1(s) ds, where g(s) = P(correct | s) on set 2. It is the
// accuracy on set 2 after its images were reweighed to the distribution p1 of true selection rates
// of set 1. Source: Engstrom et al., "Identifying statistical bias in dataset replication", ICML
// 2020. Each estimator here is a weight for each cell of set 2. The weights do not depend on the
// classifier: A = sum over cells of weight * correct images. Accuracies are proportions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication {

/// The treatment of a reading that occurs in set 1 but not in set 2.
enum class EmptyBins {
    renormalise,  ///< distribute set 1's weight over the readings that occur in set 2
    count_zero    ///< treat such images as incorrect (as in the published jackknife script)
};

struct CellWeights {
    std::vector<double>
        weight;  ///< for each cell of set 2, to be multiplied by its number of correct images
    double covered = 1;  ///< proportion of set 1 whose readings occur in set 2
    double of(std::span<const double> correct) const;
};

/// Equations 4 and 5: reweigh set 2 so that its readings are distributed as those of set 1. Biased
/// by about c^2/n towards the raw accuracy, because readings are noisy. All images are thinned to
/// `m` annotators. Throws bad_input if there is no image, or no common reading.
CellWeights naive_weights(const CellCounts& first, const CellCounts& second,
                          const Thinning& thin_first, const Thinning& thin_second,
                          EmptyBins rule = EmptyBins::renormalise);
CellWeights naive_weights(const CellCounts& first, const CellCounts& second, int m,
                          EmptyBins rule = EmptyBins::renormalise);

/// (n theta_n - (n - d) theta_{n-d}) / d with n the smallest number of annotators and theta_{n-d}
/// from thinning. This is the delete-d jackknife over all subsets at once, without the noise of
/// random subsets. 1 <= d < n.
CellWeights jackknife_weights(const CellCounts& first, const CellCounts& second, int d,
                              EmptyBins rule = EmptyBins::renormalise);

/// The value at 1/n = 0 of the polynomial in 1/n through theta at each of `ns` (distinct).
CellWeights extrapolated_weights(const CellCounts& first, const CellCounts& second,
                                 std::span<const int> ns, EmptyBins rule = EmptyBins::renormalise);

/// Exponents of the moment estimator by the smallest number of annotators; {} for n < 2.
std::vector<int> default_exponents(int smallest_n);
/// Throws usage unless the first exponent is 0 and they ascend.
void check_exponents(const std::vector<int>& exponents);
/// Two other sets of exponents that show the influence of the choice, as far as n allows: one with
/// less variance and one with less bias.
std::vector<std::vector<int>> companion_exponents(int smallest_n);

/// The factorial-moment estimator: A = b' G^-1 m1. It uses u_e(k, n) = (k)_e / (n)_e, which is
/// unbiased for s^e. The mean over set 1 of u_{e_j} is m1_j. The mean over set 2 of u_{e_i + e_j}
/// is G_ij, and the mean over set 2 of f u_{e_j} is b_j. G^-1 b projects g onto span{s^e}, and G^-1
/// m1 projects p1/p2. In the limit of many images, the error is the product of what the two
/// projections miss. It is zero if either function is in the span, for any n.
/// docs/selection-bias.md.
class MomentProjection {
public:
    /// `exponents`: 0 first, ascending. Needs n >= 2 max(e) in set 2 and n >= max(e) in set 1
    /// (throws usage). When G is nearly singular (smallest pivot of the scaled Cholesky factor <
    /// 1e-10) the largest exponent is dropped; exponents() has the remaining exponents. Throws
    /// bad_input if fewer than two remain (equal readings). Cost: cells * p^2.
    MomentProjection(const CellCounts& first, const CellCounts& second, std::vector<int> exponents);

    const std::vector<int>& exponents() const noexcept { return exponents_; }
    const std::vector<int>& dropped() const noexcept { return dropped_; }
    const CellWeights& weights() const noexcept { return weights_; }
    /// The ratio p1/p2 as a polynomial: coefficients of s^e.
    const std::vector<double>& ratio() const noexcept { return x_; }

    struct Fit {
        double accuracy = 0;
        std::vector<double> curve;  ///< g as a polynomial: coefficients of s^e
        std::vector<double>
            first_effect;  ///< influence of an image in set 1, by cell; mean 0 over set 1
        /// influence of an incorrect image in set 2, by cell; a correct one adds
        /// correct_effect(cell)
        std::vector<double> second_effect;
    };
    /// `correct` has the number of correct images in each cell of set 2.
    Fit fit(std::span<const double> correct) const;
    /// N2 * weight.
    double correct_effect(std::size_t cell) const { return weights_.weight[cell] * second_total_; }
    /// sqrt(sum psi1^2 / N1^2 + sum psi2^2 / N2^2): assumes independent images.
    double standard_error(const Fit& fit, std::span<const double> correct) const;

private:
    bool factorise();
    std::vector<double> solve(std::vector<double> rhs) const;

    std::vector<int> exponents_, dropped_;
    std::vector<double> first_, second_;  ///< numbers of images by cell
    double first_total_ = 0, second_total_ = 0;
    std::vector<double> u1_, u2_;  ///< one column per exponent and cell: u_0 .. u_max
    std::size_t width1_ = 0, width2_ = 0;
    std::vector<double> gram_, factor_,
        scale_;  ///< G, p x p row-major; its scaled Cholesky factor; diag^-1/2
    std::vector<double> moments_, x_;
    CellWeights weights_;
};

}  // namespace assay::replication
