// Metrics of each class's scores, of items that do not count the same: areas under the curves of
// one class against the others, and the class-wise calibration error.
//
// Areas have the conventions of scikit-learn with sample_weight (metric/class_curves.h): an item
// counts with its weight among the positives of its classes and the negatives of all others. Its
// influence on the mean adds up over the classes. Corrections for few positives are those without
// weights, with Kish's effective number of positives.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "assay/store/row_reader.h"
#include "evaluate/truth.h"
#include "evaluate/weighted_items.h"

namespace assay::evaluate {

/// `auroc`, `average_precision`, `mean_average_precision` or `classwise_ece`.
bool is_of_columns(const MetricRequest& request);

/// Nothing, with the reason in `undefined`, if no item counts or all are of one class. `request`
/// is_of_columns() and has a value for the same store without weights; `weights` has one number per
/// row. All ranks do the same. Cost: reads the rows once for each 64 classes, and sorts them for
/// each class. Memory: 600 bytes per item, and up to 60 for each
/// thread. Same bits for any number of threads.
std::optional<WeightedItems> weighted_columns(const MetricRequest& request, const RowReader& reader,
                                              const Truth& truth, std::span<const double> weights,
                                              int threads, std::string& undefined);

}  // namespace assay::evaluate
