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
    const double slope = xy / xx, intercept = mean_y - slope * mean_x;
    fit.slope.value = slope;
    fit.intercept.value = intercept;
    fit.intercept.unit = Unit::proportion;
    fit.slope.n = fit.intercept.n = x.size();
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double r = y[i] - intercept - slope * x[i];
        squares += r * r;
    }
    fit.residual = std::sqrt(squares / static_cast<double>(x.size()));
    return fit;
}

}  // namespace assay::replication
