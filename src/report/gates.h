// Gates in reports.
#pragma once

#include <span>
#include <string>

#include "assay/report.h"

namespace assay {

/// "Gates": the request, the model and data set of the value, and whether it passed.
Table gate_table(std::span<const GateOutcome> outcomes);
/// "passed", "BROKEN", "BROKEN: the value has no interval".
std::string outcome_text(const GateOutcome& outcome);

}  // namespace assay
