#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/adjust.h"

namespace assay::replication {

LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
    if (x.size() != y.size() || x.size() < 2) {
        throw Error(ErrorCode::usage,
                    fmt::format("a line through {} points; at least 2 are needed", x.size()));
    }
    const double size = static_cast<double>(x.size());
    const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / size;
    const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / size;
    double xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (!(xx > 0)) throw Error(ErrorCode::usage, "a line through points of equal x");
    LineFit fit;
    fit.slope.value = xy / xx;
    fit.intercept.value = mean_y - fit.slope.value * mean_x;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double r = y[i] - fit.intercept.value - fit.slope.value * x[i];
        squares += r * r;
    }
    fit.residual = std::sqrt(squares / static_cast<double>(x.size()));
    return fit;
}

}  // namespace assay::replication
