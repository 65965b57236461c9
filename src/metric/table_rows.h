// Code that rows of the table of metrics share, in any file (builtin.cpp lists the files).
#pragma once

#include <string_view>

#include "assay/metric/metric.h"

namespace assay::rows {

inline constexpr std::string_view hesse = "Hesse et al. 2026 (TMLR), Beyond Accuracy";

/// The parameters `bins` and `edges` of calibration errors (calibration_ece.cpp).
ParameterFacts bins_parameter();
ParameterFacts edges_parameter();

}  // namespace assay::rows
