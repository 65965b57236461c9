// The orders of the classes that names and scores suggest.
#pragma once

#include <cstddef>
#include <optional>

#include "assay/evaluate/inspect.h"
#include "assay/store/prediction_store.h"

namespace assay::inspect {

/// The orders that the classes' names suggest, without scores. Nothing if there are no classes.
std::optional<ClassOrders> orders_by_names(const Dataset& dataset);

/// The order that the store's scores fit, by the tests of `assay check`. Compares up to `most`
/// labelled images that have scores, and fewer if they would have more than `most_scores` scores.
/// A store of the best k or of predicted classes ranks all other classes last. Memory: 4 bytes per
/// score. Throws bad_input (a damaged store) and interrupted.
ClassOrders orders_by_scores(const PredictionStore& store, std::size_t most = 1000,
                             std::size_t most_scores = std::size_t{1} << 26);

}  // namespace assay::inspect
