// The distribution of the true scores given the working scores. It mixes normal distributions for
// thirteen spreads of the classifiers, weighted by how well each spread agrees with the working
// scores.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "mad/working_scores.h"

namespace assay::mad {

struct ScoreMixture {
    struct Component {
        double spread = 0;  ///< sigma; 0 if nothing is uncertain
        double weight = 0;
        std::vector<double> mean;
        SmallMatrix covariance;
    };
    std::vector<Component> components;  ///< by spread

    std::vector<double> mean() const;
    double variance(std::size_t a) const;  ///< variance of the score
    double variance_of_difference(std::size_t a, std::size_t b) const;
    /// Probability that a's score is above b's; 1/2 for a known tie.
    double above(std::size_t a, std::size_t b) const;
    bool is_known_tie(std::size_t a, std::size_t b) const;
};

/// True for one component without variance, if every list is answered.
ScoreMixture score_mixture(const WorkingScores& working);

}  // namespace assay::mad
