#pragma once

#include <string>

#include "assay/metric/measurement.h"

namespace assay {

/// What a measurement of measure_ood() is called in a table, whatever its score.
std::string ood_heading(const Measurement& m);

}  // namespace assay
