// The facts about images in the records of a prediction store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "assay/evaluate/inspect.h"
#include "assay/store/prediction_store.h"

namespace assay::inspect {

/// As inspect_store(). `dataset`: the store's.
std::optional<InspectResult> recorded_images(const std::filesystem::path& store,
                                             const StoreSpec& spec, const Dataset& dataset,
                                             std::size_t examples);

}  // namespace assay::inspect
