// Labels for models whose names repeat.
#pragma once

#include "assay/quality/table.h"

namespace assay::quality {

/// Sets every model's label, and adds a note with the number of repeated names.
void label_models(QualityTable& table);

}  // namespace assay::quality
