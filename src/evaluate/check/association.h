// What the scores know about the labels, whatever the order of the classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

/// Proportion of shuffles of the labels (and the truth) under which the given order does as well as
/// in truth, by the sum of reciprocal ranks; small: the scores rank the labels, in this order,
/// better than chance.
double shuffled_ranks_p(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        std::uint64_t seed);

/// Do images of one class tend to get one predicted class, whichever it is? Then the classifier
/// tells the classes apart.
struct Association {
    double p =
        1;  ///< of the number of pairs with one label and one predicted class, labels shuffled
    std::vector<std::uint8_t> correct;  ///< for each image: is its label the commonest among the
                                        ///< *other* images of its predicted class?
    std::string example;                ///< the commonest predicted class that is not the label
};
Association associate(const Scores& scores, const Sample& sample, const Dataset& dataset,
                      std::uint64_t seed);

}  // namespace assay::checks
