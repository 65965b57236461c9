// When a gap counts as within a margin, such as a point.
#pragma once

#include <cmath>

namespace assay {

/// The bound that values are compared with. Differences of decimals are not exact: 63.2 % - 58.2 %
/// is slightly below 5 %, but does not count as within it.
inline double bound_of_margin(double margin) {
    return margin - 1e-9;
}

inline bool is_within(double gap, double margin) {
    return std::abs(gap) < bound_of_margin(margin);
}

}  // namespace assay
