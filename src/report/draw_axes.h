// Maps numbers to positions on paper, and finds the round numbers for an axis's ticks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

/// The range of an axis, which is empty if low > high.
struct AxisRange {
    double low = 1, high = 0;
    bool empty() const { return low > high; }
    void take(double value);
};

/// True if the number can be drawn: it is finite, and small enough that a difference of two is also
/// finite.
bool is_drawable(double value);

/// The range with a small margin, so that no mark is on the frame. An empty range becomes 0 to 1,
/// and a single number gets a margin around it. `zero` means that bars begin there and must be
/// visible completely.
AxisRange padded(AxisRange range, bool zero);

/// Positions are in points. `to` may be smaller than `from`.
struct AxisScale {
    AxisRange range;
    double from = 0, to = 1;
    double at(double value) const;
};

/// Multiples of a step of 1, 2 or 5 times a power of ten, inside the range.
struct AxisTicks {
    std::vector<double> at;
    std::vector<std::string> texts;  ///< all with the same number of decimals
};
/// Makes as many ticks as fit, but at most `most` (at least 2).
AxisTicks ticks_of(const AxisRange& range, std::size_t most);

}  // namespace assay
