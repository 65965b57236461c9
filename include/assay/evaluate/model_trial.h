// Tries a model on a few images before any long run. It checks whether an image's scores do not
// depend on other images, repeat exactly, and look like scores. A file that was exported in
// training mode gives random scores and no error.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"

namespace assay {

struct ModelTrial {
    /// 1 if the scores depend on the other images in a batch and single images are more often
    /// correct: the model then runs one image at a time. 0 allows any batch size.
    std::uint32_t batch = 0;
    /// Warnings and errors for people. They are set only in the call that tried the model, on the
    /// first rank.
    std::vector<Finding> findings;
};

/// The result of a model's trial, shared by all copies of its LoadedModel.
struct TrialMemory {
    std::mutex mutex;
    std::optional<std::uint32_t> batch;  ///< ModelTrial::batch; no value means not tried yet
};

/// Tries each model that was not tried yet and has no store of the data set in options.runs. A
/// store is begun only for a model that passed. `stored_as` lists other names that the data set's
/// stores may have. The first rank tries them; all get the same answer.
///
/// One image in 200 is tried, at least 2 and at most 32. They are the first in the order of the
/// hashes of their ids, or in an archive, its first images. So all parts of a data set use the same
/// images. Two of them run alone once more. With at least 10 labelled images, the order of the
/// classes is also checked.
///
/// Throws bad_input if the same image gets different scores the second time. Also throws bad_input
/// if scores depend on the batch and single images are not more often correct. With
/// options.no_trial nothing is tried.
std::vector<ModelTrial> try_models(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options, Comm& comm,
                                   std::span<const std::string> stored_as = {});

/// Runs 8 images. Throws bad_input if the same batch gives different scores the second time: the
/// numbers would be random. Returns true if an image's scores depend on the other images of its
/// batch.
bool batches_mix(const LoadedModel& model, const Dataset& dataset, int threads);

}  // namespace assay
