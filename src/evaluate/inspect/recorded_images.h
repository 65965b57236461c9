// The facts about images in the records of a prediction store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "assay/evaluate/inspect.h"
#include "assay/store/prediction_store.h"

namespace assay::inspect {

/// Like inspect_store(). `dataset` is the store's data set.
std::optional<InspectResult> recorded_images(const std::filesystem::path& store,
                                             const StoreSpec& spec, const Dataset& dataset,
                                             std::size_t examples);

}  // namespace assay::inspect
