// Which of several ways of doing the same is better, by what each has correct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/evaluate/eval.h"

namespace assay::evaluate {

/// For each image of one order, whether it is correct. A way that fell behind has a shorter list:
/// the first images alone.
using Correct = std::vector<std::uint8_t>;

struct Decision {
    std::size_t best = 0;       ///< of the longest lists the one with the most correct
    std::size_t runner_up = 0;  ///< the best of the others that cannot be told from it, else of all
    std::vector<double> p;      ///< against the best, Holm-adjusted; 1 for the best itself
    bool told_apart = false;    ///< the best is better than each of the others
    Estimate difference;        ///< best minus runner-up, on the images of both
};
/// `ways`: at least one; of one alone the runner-up is the best itself. Of equal ways the first.
/// Two-sided exact McNemar tests of the best against each other way, at `level`.
Decision decide(std::span<const Correct> ways, double level);
/// told_apart; else not_settled where the two differ by less than `close`, undecided where by more.
PreprocessingChoice::Outcome outcome_of(const Decision& decision, double close);

}  // namespace assay::evaluate
