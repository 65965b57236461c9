// predict() with an observer of the scores while they are computed.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "assay/evaluate/predict.h"

namespace assay::evaluate {

struct PredictWatch {
    /// Receives the scores of each computed batch, with the index of the model. Many threads call
    /// it. It may be empty.
    std::function<void(std::size_t model, const ImageBatch& batch, std::span<const float> scores)>
        batch;
    /// Batches are computed in the order of the hashes of their first images' ids, so that the
    /// results so far represent the whole. Results do not depend on the order. All shards are in
    /// memory until they are complete.
    bool in_hash_order = false;
};

/// The result is that of predict().
std::vector<PredictResult> predict_watched(std::span<const LoadedModel> models,
                                           const Dataset& dataset, const PredictOptions& options,
                                           Comm& comm, const PredictWatch& watch,
                                           const ProgressCallback& callback = {});

}  // namespace assay::evaluate
