// What models are called where names repeat.
#pragma once

#include "assay/quality/table.h"

namespace assay::quality {

/// Sets every model's label; says in the notes how many names repeat.
void label_models(QualityTable& table);

}  // namespace assay::quality
