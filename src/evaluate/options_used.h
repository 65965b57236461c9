// Options that change nothing of what is asked for.
#pragma once

#include "assay/evaluate/measure_options.h"

namespace assay {

struct AttackRunOptions;

/// Throws usage: bins, edges or k, and none of the metrics that are named takes it. `reliability`:
/// accuracy by confidence is shown, too, which has bins.
void check_used(const MeasureOptions& options, bool reliability);
/// Throws usage: an option that none of the attacks takes.
void check_used(const AttackRunOptions& options);

}  // namespace assay
