// Shows gates in reports.
#pragma once

#include <span>
#include <string>

#include "assay/report.h"

namespace assay {

/// The section "Gates": the request, the model and data set of the value, and the result.
Table gate_table(std::span<const GateOutcome> outcomes);
/// Returns "passed", "BROKEN" or "BROKEN: the value has no interval".
std::string outcome_text(const GateOutcome& outcome);

}  // namespace assay
