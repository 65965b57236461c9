#include "assay/replication/adjust.h"
#include "core/line.h"

namespace assay::replication {

LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
    const FittedLine line = least_squares_line(x, y);
    LineFit fit;
    fit.slope.value = line.slope;
    fit.intercept.value = line.intercept;
    fit.intercept.unit = Unit::proportion;
    fit.slope.n = fit.intercept.n = x.size();
    fit.residual = line.residual;
    return fit;
}

}  // namespace assay::replication
