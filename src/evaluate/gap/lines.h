// Lines through the models: the second data set on the first.
#pragma once

#include "assay/evaluate/gap.h"

namespace assay {

/// Fills `report.lines`, at the report's level.
void add_lines(GapReport& report);

}  // namespace assay
