#pragma once

#include <string>

#include "assay/metric/measurement.h"

namespace assay {

/// The name of a measurement of measure_ood() in a table, for any score.
std::string ood_heading(const Measurement& m);

}  // namespace assay
