// The scaling of the smallest negative log-likelihood (assay/derived/calibrate.h): Newton's method
// over all parameters at once, on rows that are read again for each step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/derived/calibrate.h"

namespace assay::derived {

/// The rows of a fit. `read` fills a row's logits, all of them finite, and returns its label; it is
/// called from many threads. The same row is the same each time.
struct ScalingRows {
    std::uint64_t items = 0;
    std::uint32_t classes = 0;
    std::function<std::int32_t(std::uint64_t item, std::span<double> logits)> read;
};

struct FittedScaling {
    /// 1 of a temperature; then the classes' weights, and behind them their biases, whose sum is 0.
    std::vector<double> parameters;
    /// By the jackknife over groups of items, with one degree of freedom fewer than groups.
    std::vector<double> errors;
    double degrees = 0;  ///< 0: too few items for errors
    double loss = 0;     ///< mean negative log-likelihood of the items
    int steps = 0;
};

/// Throws bad_input where no finite parameters have the smallest loss.
FittedScaling fit_scaling(const ScalingRows& rows, Scaling method, int threads);

}  // namespace assay::derived
