// Measures the information of scores about labels, for any order of the classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

/// Proportion of shuffles of the labels under which the given order does as well as with the true
/// labels, by the sum of reciprocal ranks. The true labels count as one of the shuffles. A small
/// value means that the scores rank the labels, in this order, better than chance.
double shuffled_ranks_p(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        std::uint64_t seed);

/// Tests if images of one class tend to get one predicted class, whichever it is. If they do, the
/// classifier distinguishes the classes.
struct Association {
    double p = 1;  ///< p value of the number of pairs with the same label and predicted class, with
                   ///< shuffled labels
    std::vector<std::uint8_t> correct;  ///< for each image: whether its label is the most frequent
                                        ///< among the *other* images of its predicted class
    std::string example;                ///< the most frequent predicted class that is not the label
};
Association associate(const Scores& scores, const Sample& sample, const Dataset& dataset,
                      std::uint64_t seed);

}  // namespace assay::checks
