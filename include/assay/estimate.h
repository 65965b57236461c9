// A number and its uncertainty. Assay returns every result in this form: metrics, gaps,
// frequencies, scores, ranks and latencies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace assay {

struct Interval {
    double low = 0, high = 0;
    double level = 0.95;
    std::string method;  ///< "wilson", "bootstrap.percentile", ...
    bool operator==(const Interval&) const = default;
};

/// The unit of the value. Values are stored in this unit. Reports may show another: proportions
/// appear in percent.
enum class Unit {
    number,      ///< a ratio, a correlation or a slope, without a unit
    proportion,  ///< in [0, 1], or a difference of two in [-1, 1]
    nats,
    rank,  ///< a place in an order, from 1: shown as a whole number
};
/// Returns "number", "proportion", "nats" or "rank".
std::string_view name_of(Unit);

/// Either `value` is set (finite), or `undefined` says why not. Never NaN, 0 or 999 as a stand-in.
struct Estimate {
    std::optional<double> value;
    std::string undefined;
    Unit unit = Unit::number;
    std::uint64_t n = 0;  ///< items that the value was computed from; if it is undefined, the items
                          ///< that would have entered, if known
    std::optional<Interval> interval;
    std::optional<double> standard_error;
    std::string note;  ///< "", or what a reader must know: why there is no interval, the floor of a
                       ///< metric, ...
};

/// Half of the interval's width, or 0 without an interval.
double half_width(const Estimate& estimate);

/// Writes {"low", "high", "level", "method"}.
nlohmann::json to_json(const Interval& interval);
/// Writes {"value" (null with "undefined"), "unit", "n", "interval", "standard_error", "note"}.
/// Fields
nlohmann::json to_json(const Estimate& estimate);

/// McNemar's test of two proportions on the same items. Only the first succeeds on b items, and
/// only the second on c items.
struct McNemar {
    std::uint64_t b = 0, c = 0;
    double p = 1;      ///< exact, two-sided: min(1, 2 P(X <= min(b, c))), X ~ Binomial(b + c, 1/2)
    double mid_p = 1;  ///< less conservative: counts half of P(X = min(b, c)) (Fagerland, Lydersen,
                       ///< Laake 2013)
};

}  // namespace assay
