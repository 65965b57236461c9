// The scaling that minimizes the negative log-likelihood (assay/derived/calibrate.h): Newton's
// method over all parameters, which reads the rows again for each step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/derived/calibrate.h"

namespace assay::derived {

/// The rows of a fit. `read` fills a row's logits, which must all be finite, and returns its label.
/// It is called from many threads, and the same row must give the same result each time.
struct ScalingRows {
    std::uint64_t items = 0;
    std::uint32_t classes = 0;
    std::function<std::int32_t(std::uint64_t item, std::span<double> logits)> read;
};

struct FittedScaling {
    /// One parameter for a temperature; otherwise the classes' weights, followed by their biases,
    /// whose sum is 0.
    std::vector<double> parameters;
    /// From the jackknife over groups of items. The degrees of freedom are groups minus one.
    std::vector<double> errors;
    double degrees = 0;  ///< 0 means too few items for errors
    double loss = 0;     ///< mean negative log-likelihood of the items
    int steps = 0;
};

/// Throws bad_input if no finite parameters minimize the loss.
FittedScaling fit_scaling(const ScalingRows& rows, Scaling method, int threads);

}  // namespace assay::derived
