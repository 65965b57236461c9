// The rows of the table of metrics (builtin.cpp), a file for each family.
#pragma once

#include <string_view>
#include <vector>

#include "assay/metric/metric.h"

namespace assay::rows {

inline constexpr std::string_view hesse = "Hesse et al. 2026 (TMLR), Beyond Accuracy";

void add_accuracy(std::vector<MetricFacts>& table);
void add_calibration(std::vector<MetricFacts>& table);
void add_classes(std::vector<MetricFacts>& table);
void add_order(std::vector<MetricFacts>& table);
void add_curves(std::vector<MetricFacts>& table);

}  // namespace assay::rows
