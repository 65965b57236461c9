// Parts of the trial of a model that `assay eval` also uses, and the record of a trial in
// stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/model_trial.h"
#include "assay/store/prediction_store.h"
#include "evaluate/check/check_parts.h"

namespace assay::evaluate {

/// The first `n` images in the order of the hashes of their ids, from the labelled ones if there
/// are any.
std::vector<std::uint32_t> first_in_hash_order(const Dataset& dataset, std::size_t n);
bool is_labelled(const Dataset& dataset, const std::vector<std::uint32_t>& items);

/// For a model whose scores depend on the batch: reports that batches of one work, because single
/// images are more often correct (exact McNemar test). Throws bad_input if they are not.
Finding batch_of_one(const LoadedModel& model, const checks::Sample& sample, const Dataset& dataset,
                     int threads);

/// Records that the model works, with batches of that size (ModelTrial::batch).
void remember(const LoadedModel& model, std::uint32_t batch);

/// True if the model's process ended and a run would restart it, because an image may be the cause.
bool process_ended(const LoadedModel& model);

/// The text in a store of a model that runs with one image at a time.
inline constexpr std::string_view alone_note =
    "the file mixes the images of a batch, so it runs with one image at a time: export it for any "
    "batch size";
/// Records this text in the store.
void record_images_alone(StoreSpec& spec);

}  // namespace assay::evaluate
