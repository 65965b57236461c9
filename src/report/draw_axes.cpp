#include "report/draw_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace assay {
namespace {

/// The smallest 1, 2 or 5 times a power of ten that is not below `wanted`.
double step_from(double wanted) {
    const double power = std::pow(10, std::floor(std::log10(wanted)));
    for (const double times : {1.0, 2.0, 5.0}) {
        // The power is rounded.
        if (times * power >= wanted * (1 - 1e-9)) return times * power;
    }
    return 10 * power;
}

std::string tick_text(double value, double step, double largest) {
    constexpr double most_plain = 1e6, least_plain = 1e-5;
    if (largest >= most_plain || step < least_plain) {
        const double digits = std::log10(std::max(largest / step, 1.0)) + 1;
        return without_sign_of_zero(
            fmt::format("{:.{}g}", std::abs(value) < step / 2 ? 0 : value,
                        std::clamp(static_cast<int>(std::ceil(digits)), 1, 15)));
    }
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return without_sign_of_zero(fmt::format("{:.{}f}", value, digits));
}

}  // namespace

void AxisRange::take(double value) {
    if (!is_drawable(value)) return;
    if (empty()) low = high = value;
    low = std::min(low, value);
    high = std::max(high, value);
}

bool is_drawable(double value) {
    constexpr double largest = 1e100;
    return std::isfinite(value) && std::abs(value) <= largest;
}

AxisRange padded(AxisRange range, bool zero) {
    if (range.empty()) return {.low = 0, .high = 1};
    if (zero) range.take(0);
    const double size = std::max(std::abs(range.low), std::abs(range.high));
    // Numbers that only differ by rounding are one number.
    double width = range.high - range.low;
    if (width <= 1e-9 * size || width < 1e-100) width = size > 1e-90 ? size / 2 : 1;
    constexpr double margin = 0.05;
    AxisRange wide{.low = range.low - margin * width, .high = range.high + margin * width};
    if (zero && range.low >= 0) wide.low = 0;
    if (zero && range.high <= 0) wide.high = 0;
    return wide;
}

double AxisScale::at(double value) const {
    return from + (value - range.low) / (range.high - range.low) * (to - from);
}

AxisTicks ticks_of(const AxisRange& range, std::size_t most) {
    most = std::max<std::size_t>(most, 2);
    AxisTicks ticks;
    const double width = range.high - range.low;
    if (!(width > 0)) return ticks;
    double step = step_from(width / static_cast<double>(most));
    const auto first = [&] { return std::ceil(range.low / step - 1e-9); };
    const auto last = [&] { return std::floor(range.high / step + 1e-9); };
    while (last() - first() + 1 > static_cast<double>(most)) step = step_from(step * 1.5);
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    for (double k = first(); k <= last() && ticks.at.size() < most; ++k) {
        ticks.at.push_back(k * step);
        ticks.texts.push_back(tick_text(k * step, step, largest));
    }
    return ticks;
}

}  // namespace assay
