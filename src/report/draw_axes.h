// From numbers to places on paper, and the round numbers at which an axis has ticks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

/// The numbers of an axis; none where low > high.
struct AxisRange {
    double low = 1, high = 0;
    bool empty() const { return low > high; }
    void take(double value);
};

/// What can be drawn: finite, and not so large that a difference of two would not be.
bool is_drawable(double value);

/// A little wider than the numbers, so that no mark lies on the frame; 0 to 1 for none, and round a
/// single number. `zero`: bars begin there, and are seen whole.
AxisRange padded(AxisRange range, bool zero);

/// Places in points; `to` may lie before `from`.
struct AxisScale {
    AxisRange range;
    double from = 0, to = 1;
    double at(double value) const;
};

/// Multiples of a step of 1, 2 or 5 times a power of ten, inside of the range.
struct AxisTicks {
    std::vector<double> at;
    std::vector<std::string> texts;  ///< all with as many digits after the point
};
/// As many as fit, at most `most` (2 at least).
AxisTicks ticks_of(const AxisRange& range, std::size_t most);

}  // namespace assay
