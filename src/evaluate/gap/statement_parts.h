// Parts of what is said about all models that stand in files of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/gap/model_statements.h"

namespace assay {

/// Half of the interval of a mean with this variance.
double normal_half(double variance, double level);

/// Value and ends of a range; one whose ends are no numbers, or infinite, has no interval.
void put_range(Estimate& estimate, const statements::Range& range, double level,
               std::string method);

/// What the factors say that give the ends: all but the last, which gives values where there are
/// several.
template <class Said>
std::span<const Said> bounds_of(const std::vector<Said>& said) {
    return {said.data(), said.size() > 1 ? said.size() - 1 : 1};
}

/// Several factors' word on one thing: the ends of all, and the value of the last.
template <class Said, class Pick>
std::optional<statements::Range> joined(const std::vector<Said>& said, Pick&& pick) {
    std::optional<statements::Range> out;
    for (const Said& bound : bounds_of(said)) {
        const std::optional<statements::Range> one = pick(bound);
        if (!one) return std::nullopt;
        if (!out) {
            out = one;
            continue;
        }
        // An end that is no number stays one.
        out->low = std::isnan(one->low) ? one->low : std::min(out->low, one->low);
        out->high = std::isnan(one->high) ? one->high : std::max(out->high, one->high);
    }
    if (const std::optional<statements::Range> value = pick(said.back())) {
        out->value = value->value;
        if (out->low <= out->high) out->value = std::clamp(out->value, out->low, out->high);
    }
    return out;
}

/// The gaps by two metrics, of each model and of the mean. Needs the errors of both.
void add_differences(GapReport& report, const GapNoise& noise);

}  // namespace assay
