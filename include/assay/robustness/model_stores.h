// The stores that people mean where they name models: without those of attacks on them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

/// What people name where models are meant.
struct ModelStores {
    std::vector<std::filesystem::path> folders;
    std::vector<std::filesystem::path> attacked;  ///< skipped

    /// How many were skipped and how to use them; "": none.
    std::string note() const;
};
/// As find_stores(), without the stores of attacks, which are no further models. They stay where a
/// path has no other stores: one that is named itself. Cost: opens each store.
ModelStores model_stores(const std::vector<std::filesystem::path>& paths);

struct OpenedModels {
    std::vector<PredictionStore> stores;
    std::string skipped;  ///< ModelStores::note()
};
/// The stores of model_stores(), which stay open. Cost: opens each store once.
OpenedModels open_models(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
