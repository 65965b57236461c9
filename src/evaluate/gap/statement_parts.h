// Declares parts of the statements about all models, which have their own files.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/gap/model_statements.h"

namespace assay {

/// Half of the width of a mean's interval with this variance.
double normal_half(double variance, double level);

/// Sets the value and ends of a range; if its ends are NaN or infinite, there is no interval.
void put_range(Estimate& estimate, const statements::Range& range, double level,
               std::string method);

/// The results of the factors that give the ends: all except the last, which gives values if there
/// are several.
template <class Said>
std::span<const Said> bounds_of(const std::vector<Said>& said) {
    return {said.data(), said.size() > 1 ? said.size() - 1 : 1};
}

/// Combines several factors' results: the ends from all, and the value from the last.
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
        // An end that is NaN remains NaN.
        out->low = std::isnan(one->low) ? one->low : std::min(out->low, one->low);
        out->high = std::isnan(one->high) ? one->high : std::max(out->high, one->high);
    }
    if (const std::optional<statements::Range> value = pick(said.back())) {
        out->value = value->value;
        if (out->low <= out->high) out->value = std::clamp(out->value, out->low, out->high);
    }
    return out;
}

/// The gaps by two metrics, for each model and for the mean. Needs the errors of both.
void add_differences(GapReport& report, const GapNoise& noise);

}  // namespace assay
