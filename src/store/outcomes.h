// Compares the predicted class of each image with its label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

/// `none` means that the row has no single label or no score.
enum class RowOutcome : std::int8_t { none = -1, incorrect = 0, correct = 1 };

/// The outcome of every row. Cost: one pass over the predicted classes, and a byte per row. Throws
/// bad_input if a shard is damaged. Also throws interrupted. `threads` does not affect the result;
/// 0 means one per core.
std::vector<RowOutcome> outcomes_of(const PredictionStore& store, int threads = 1);
/// The outcomes for a store of images under attack. There, a row that is not finite counts as
/// incorrect, because the attack has found an image that the classifier does not recognize. An
/// image that could not be read or computed, or whose shard is missing, has no outcome.
std::vector<RowOutcome> attacked_outcomes_of(const PredictionStore& store, int threads = 1);

/// The number of outcomes that equal `wanted`.
std::uint64_t count_of(std::span<const RowOutcome> outcomes, RowOutcome wanted);

}  // namespace assay
