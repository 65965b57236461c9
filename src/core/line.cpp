#include "core/line.h"

#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"

namespace assay {

FittedLine least_squares_line(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size() || x.size() < 2) {
        throw Error(
            ErrorCode::usage,
            fmt::format("cannot fit a line through {} points; at least 2 are needed", x.size()));
    }
    const double size = static_cast<double>(x.size());
    const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / size;
    const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / size;
    double xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (!(xx > 0)) throw Error(ErrorCode::usage, "cannot fit a line: all points have the same x");
    FittedLine line;
    line.slope = xy / xx;
    line.intercept = mean_y - line.slope * mean_x;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double r = y[i] - line.intercept - line.slope * x[i];
        squares += r * r;
    }
    line.residual = std::sqrt(squares / size);
    if (x.size() > 2) {
        const double variance = squares / (size - 2);
        line.slope_error = std::sqrt(variance / xx);
        line.intercept_error = std::sqrt(variance * (1 / size + mean_x * mean_x / xx));
    }
    return line;
}

}  // namespace assay
