#include "report/draw_ranges.h"

#include <algorithm>
#include <set>

namespace assay {
namespace {

void take_interval(AxisRange& range, const std::optional<Interval>& interval, Unit unit) {
    if (!interval) return;
    range.take(shown_value(interval->low, unit));
    range.take(shown_value(interval->high, unit));
}

/// Values with one sign have no axis beyond 0, and proportions have none beyond 1.
AxisRange room_for(const AxisRange& range, bool zero, Unit unit) {
    AxisRange wide = padded(range, zero);
    constexpr double whole = 100;
    if (range.empty()) return wide;
    if (range.low >= 0) wide.low = std::max(wide.low, 0.0);
    if (range.high <= 0) wide.high = std::min(wide.high, 0.0);
    if (unit == Unit::proportion && range.high <= whole) wide.high = std::min(wide.high, whole);
    // A single number at such an end is still inside.
    return wide.low < wide.high ? wide : padded(range, zero);
}

}  // namespace

double shown_value(double value, Unit unit) {
    constexpr double percent = 100;
    return unit == Unit::proportion ? percent * value : value;
}

Unit value_unit(const Plot& plot) {
    for (const Series& series : plot.series) {
        if (!series.points.empty()) return series.points.front().y.unit;
    }
    return Unit::number;
}

std::string axis_title(const std::string& title, Unit unit) {
    return unit == Unit::proportion && !title.empty() ? title + " (%)" : title;
}

std::vector<std::string> categories_of(const Plot& plot) {
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const Series& series : plot.series) {
        for (const Point& point : series.points) {
            const auto* name = std::get_if<std::string>(&point.x);
            if (name != nullptr && seen.insert(*name).second) names.push_back(*name);
        }
    }
    return names;
}

bool has_a_value(const Plot& plot) {
    for (const Series& series : plot.series) {
        for (const Point& point : series.points) {
            const auto* x = std::get_if<double>(&point.x);
            if (point.y.value && is_drawable(*point.y.value) && (x == nullptr || is_drawable(*x)))
                return true;
        }
    }
    return false;
}

PlotRanges ranges_of(std::span<const Plot> plots) {
    PlotRanges ranges;
    if (plots.empty()) return {padded({}, false), padded({}, false)};
    const Unit unit = value_unit(plots.front()), x_unit = plots.front().x_unit;
    bool bars = false, equal = false;
    for (const Plot& plot : plots) {
        bars = bars || plot.kind == Plot::Kind::bars;
        equal = equal || plot.equal;
        for (const Series& series : plot.series) {
            for (const Point& point : series.points) {
                const auto* x = std::get_if<double>(&point.x);
                if (!point.y.value || (x != nullptr && !is_drawable(*x))) continue;
                ranges.y.take(shown_value(*point.y.value, unit));
                take_interval(ranges.y, point.y.interval, unit);
                take_interval(ranges.y, point.quartiles, unit);
                if (x != nullptr) ranges.x.take(shown_value(*x, x_unit));
                take_interval(ranges.x, point.x_interval, x_unit);
            }
        }
    }
    if (equal && !ranges.x.empty() && !ranges.y.empty()) {
        for (const double end : {ranges.x.low, ranges.x.high}) ranges.y.take(end);
        ranges.x = ranges.y;
    }
    ranges.x = room_for(ranges.x, false, x_unit);
    ranges.y = room_for(ranges.y, bars, unit);
    return ranges;
}

}  // namespace assay
