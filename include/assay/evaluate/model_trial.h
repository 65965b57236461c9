// A model on a few images, before anything long: are the scores of an image its own, the same each
// time, and do they look like scores? A file that was exported in training mode gives random scores
// and no error.
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
    /// 1: the file mixes the images of a batch, and images alone are more often correct, so it runs
    /// with one image at a time. 0: batches of any size are right.
    std::uint32_t batch = 0;
    /// Warnings and errors, for people. Only of the call that tried the model, on the first rank.
    std::vector<Finding> findings;
};

/// What all copies of a LoadedModel know of its trial.
struct TrialMemory {
    std::mutex mutex;
    std::optional<std::uint32_t> batch;  ///< ModelTrial::batch; none: not tried yet
};

/// Tries each model that was not tried yet and has no store of the data set in options.runs: a
/// store is begun by a model that passed. `stored_as`: other names that the data set's stores may
/// have. The first rank tries them; all get the same answer.
///
/// The images are the first in the order of the hashes of their ids (of an archive: its first), so
/// that all parts of a data set use the same ones: one of 200, at least 2 and at most 32. Two of
/// them run alone once more. With 10 labelled images or more, the order of the classes is looked
/// at, too.
///
/// Throws bad_input: the same image gets other scores the second time; scores depend on the batch,
/// and images alone are not more often correct. With options.no_trial nothing is tried.
std::vector<ModelTrial> try_models(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options, Comm& comm,
                                   std::span<const std::string> stored_as = {});

/// On 8 images. Throws bad_input where the same batch twice gives other scores: the numbers would
/// be random. True where an image's scores depend on its neighbours.
bool batches_mix(const LoadedModel& model, const Dataset& dataset, int threads);

}  // namespace assay
