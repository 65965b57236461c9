// Fits the least-squares line through points.
#pragma once

#include <span>

namespace assay {

struct FittedLine {
    double slope = 0, intercept = 0;
    double residual = 0;  ///< root mean square of the residuals
    /// Classical standard errors with n - 2 degrees of freedom; 0 for two points.
    double slope_error = 0, intercept_error = 0;
};
/// Regresses y on x. Throws usage for fewer than 2 points, different lengths, equal x.
FittedLine least_squares_line(std::span<const double> x, std::span<const double> y);

}  // namespace assay
