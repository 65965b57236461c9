// The logarithm of the gamma function.
#pragma once

#include <cmath>

namespace assay {

/// For x > 0, within 1e-13. std::lgamma writes a global variable, so threads cannot share it.
inline double log_gamma(double x) {
    // Stirling's series from 10 on, by the recurrence below it.
    double shift = 0;
    if (x < 10) {
        double product = 1;
        while (x < 10) product *= x++;
        shift = std::log(product);
    }
    const double y = 1 / (x * x);
    const double series =
        (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series - shift;
}

}  // namespace assay
