// What readers must know about the cells of chosen models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

/// The notes on cells of dimensions with a weight, each once with the number of models:
/// "calibration error of 32 models: softmax was probably applied twice".
std::vector<std::string> notes_on_cells(const QualityTable& table,
                                        const std::vector<std::size_t>& models,
                                        const PerDimension<double>& weights);

/// A warning where values that enter have no standard error; parameters need none.
std::optional<std::string> unknown_errors(const QualityTable& table,
                                          const std::vector<std::size_t>& models,
                                          const PerDimension<double>& weights);

/// Every dimension counts.
PerDimension<double> equal_weights();

}  // namespace assay::quality
