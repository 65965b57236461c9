#include "evaluate/threshold_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace assay::evaluate {

std::string threshold_text(double threshold) {
    constexpr double shown = 1e-3;
    if (threshold > 0 && threshold < shown) return fmt::format("{:.2g}", threshold);
    const double left = 1 - threshold;
    if (!(left > 0 && left < shown)) return fmt::format("{:.4f}", threshold);
    const int digits = std::min(17, 1 - static_cast<int>(std::floor(std::log10(left))));
    return fmt::format("{:.{}f}", threshold, digits);
}

}  // namespace assay::evaluate
