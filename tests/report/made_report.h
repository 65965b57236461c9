// Estimates and reports for the tests of the renderers.
#pragma once

#include <string>
#include <vector>

#include "assay/report.h"

namespace assay {

inline Estimate estimate(double value, Unit unit = Unit::proportion) {
    Estimate e;
    e.value = value;
    e.unit = unit;
    e.n = 100;
    return e;
}
inline Estimate estimate(double value, double low, double high, Unit unit = Unit::proportion) {
    Estimate e = estimate(value, unit);
    e.interval = Interval{low, high, 0.95, "wilson"};
    return e;
}
inline Estimate undefined(const std::string& why, Unit unit = Unit::proportion) {
    Estimate e;
    e.undefined = why;
    e.unit = unit;
    return e;
}

inline Report report_of(Table table) {
    Report report;
    report.sections.push_back({"", {std::move(table)}, {}});
    return report;
}

}  // namespace assay
