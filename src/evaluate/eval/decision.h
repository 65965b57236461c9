// Decides which of several alternatives is better, from the images that each classifies correctly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/evaluate/eval.h"

namespace assay::evaluate {

/// For each image in a fixed order, whether it is correct. A way that was dropped has a shorter
/// list, with only the first images.
using Correct = std::vector<std::uint8_t>;

struct Decision {
    std::size_t best = 0;       ///< the way with the most correct images among those with the
                                ///< longest lists
    std::size_t runner_up = 0;  ///< the best other way that cannot be distinguished from it,
                                ///< otherwise the best other way
    std::vector<double> p;      ///< p values against the best, Holm-adjusted; 1 for the best itself
    bool told_apart = false;    ///< the best is better than each other way
    Estimate difference;        ///< best minus runner-up, over the images of both
};
/// `ways` must have at least one element; with only one, the runner-up is the best itself. On ties,
/// the first way wins. The tests are two-sided exact McNemar tests of the best against each other
/// way, at `level`.
Decision decide(std::span<const Correct> ways, double level);
/// told_apart, or otherwise not_settled if the two differ by less than `close`, and undecided if
/// they differ by more.
PreprocessingChoice::Outcome outcome_of(const Decision& decision, double close);

}  // namespace assay::evaluate
