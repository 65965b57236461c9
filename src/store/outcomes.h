// Whether each image's predicted class is its label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

/// none: no single label, or no score.
enum class RowOutcome : std::int8_t { none = -1, incorrect = 0, correct = 1 };

/// Of every row of the store. Cost: one pass over the predicted classes; a byte per row. Throws
/// bad_input where a shard is damaged, interrupted. `threads`: 0: one per core; changes nothing.
std::vector<RowOutcome> outcomes_of(const PredictionStore& store, int threads = 1);
/// Likewise of a store of images under attack, where scores that are not finite are incorrect: the
/// attack has found an image that the classifier does not recognise. Of an image that could not be
/// read or computed, or whose shard is not there, nothing is known.
std::vector<RowOutcome> attacked_outcomes_of(const PredictionStore& store, int threads = 1);

/// How many of them are `wanted`.
std::uint64_t count_of(std::span<const RowOutcome> outcomes, RowOutcome wanted);

}  // namespace assay
