// Checks for options that have no effect on the request.
#pragma once

#include "assay/evaluate/measure_options.h"

namespace assay {

struct AttackRunOptions;

/// Throws usage if bins, edges or k is given and none of the named metrics uses it. `reliability`
/// means that accuracy by confidence is also shown, which has bins.
void check_used(const MeasureOptions& options, bool reliability);
/// Throws usage for an option that none of the attacks uses.
void check_used(const AttackRunOptions& options);

}  // namespace assay
