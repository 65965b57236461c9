// The influence of each image on the nonparametric estimate, from the sandwich of the estimating
// equations that its fits solve.
#pragma once

#include <span>
#include <vector>

#include "assay/replication/npmle.h"
#include "replication/dense.h"
#include "replication/estimator.h"

namespace assay::replication {

/// A fitted distribution of rates as atoms, whose places and weights are both parameters. Adjacent
/// grid points represent one atom between them. The readings alone leave some directions almost
/// free. But atoms move no further than to their neighbors, and lose no more than their weight. So
/// normal priors with these standard deviations are added to the information. Without them,
/// standard errors are up to 8 times the scatter of estimates; with them, .9 to 1.2 times.
class AtomicRates {
public:
    AtomicRates(const CellCounts& counts, const RateGrid& grid, const RateDistribution& fit);
    std::size_t atoms() const { return weight_.size(); }
    /// The influence of an image, by cell, on a function of the distribution. `by_weight` and
    /// `by_place` are its derivatives by each atom's weight and place.
    std::vector<double> influence(std::span<const double> by_weight,
                                  std::span<const double> by_place) const;

    /// Values by cell and atom, divided by the cell's probability: the reading's probability at the
    /// atom, and its derivative by the place times the weight. Cells without images have 0.
    double at_weight(std::size_t cell, std::size_t atom) const {
        return scores_[cell * 2 * atoms() + atom];
    }
    double at_place(std::size_t cell, std::size_t atom) const {
        return scores_[cell * 2 * atoms() + atoms() + atom];
    }
    /// A function on the grid, interpolated linearly at the atoms, and its slope.
    double value(std::span<const double> function, std::size_t atom) const;
    double slope(std::span<const double> function, std::size_t atom) const;
    double weight(std::size_t atom) const { return weight_[atom]; }

private:
    const RateGrid& grid_;
    std::vector<double> place_, weight_;
    std::vector<std::size_t> left_;  ///< grid point at or below each atom
    std::vector<double> scores_;
    std::vector<double> images_, scale_;
    Cholesky information_;  ///< information, scaled to a unit diagonal
};

/// The influences on all classifiers' adjusted accuracies, by cell.
CellEffects nonparametric_influences(const CellCounts& first, const CellCounts& second,
                                     const Correct& correct, const RateGrid& grid,
                                     const RateDistribution& first_rates,
                                     const RateDistribution& second_rates,
                                     std::span<const double> basis,
                                     const std::vector<LogitCurve>& curves, double penalty);

}  // namespace assay::replication
