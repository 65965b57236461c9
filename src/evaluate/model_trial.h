// What the trial of a model shares with the guards of `assay eval`, and what stores record of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/model_trial.h"
#include "assay/store/prediction_store.h"
#include "evaluate/check/check_parts.h"

namespace assay::evaluate {

/// The first `n` images in the order of the hashes of their ids, labelled ones where there are any.
std::vector<std::uint32_t> first_in_hash_order(const Dataset& dataset, std::size_t n);
bool is_labelled(const Dataset& dataset, const std::vector<std::uint32_t>& items);

/// Of a model whose batches mix images: that batches of one work, because images alone are more
/// often correct (exact McNemar test). Throws bad_input: they are not.
Finding batch_of_one(const LoadedModel& model, const checks::Sample& sample, const Dataset& dataset,
                     int threads);

/// The model is known to work, with batches of that size (ModelTrial::batch).
void remember(const LoadedModel& model, std::uint32_t batch);

/// Whether its process ended, and a run would start it again: an image may be the reason.
bool process_ended(const LoadedModel& model);

/// What a store says of a model that runs with one image at a time.
inline constexpr std::string_view alone_note =
    "the file mixes the images of a batch, so it runs with one image at a time: export it for any "
    "batch size";
/// Records that in the store.
void record_images_alone(StoreSpec& spec);

}  // namespace assay::evaluate
