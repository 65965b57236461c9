// Gates with the sensitivity at a specificity, or the reverse.
#pragma once

#include <optional>
#include <string_view>

#include "assay/evaluate/gate.h"
#include "assay/store/prediction_store.h"

namespace assay::evaluate {

/// Reads "sensitivity@specificity=.95" and "specificity@sensitivity=90%,positive=melanoma". Nothing
/// for a text that has no rate before an `@`. Throws usage, with what is allowed.
std::optional<RateAt> parse_rate(std::string_view text);
/// Throws usage for a gate that asks for a low rate, and for what a rate does not have: differences
/// and groups. `percent`: the bound ends in %.
void check_rate(const Gate& gate, bool percent);
/// Throws as check_rate_gate().
GatePoint measure_rate(const RateAt& rate, const PredictionStore& store, double level, int threads);
/// What a report says of it.
std::string note_of(const Gate& gate, const GatePoint& point);

}  // namespace assay::evaluate
