// Finds the stores that users mean when they name models: without stores of attacks and of smoothed
// models, and without calibrated copies.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

/// The stores and folders that a user names for models.
struct ModelStores {
    std::vector<std::filesystem::path> folders;
    /// Skipped stores: of attacks and of smoothed models, and calibrated copies.
    std::vector<std::filesystem::path> variants;
    std::size_t calibrated = 0;  ///< number of calibrated copies among `variants`
    std::size_t smoothed = 0;    ///< number of stores of smoothed models among them

    /// The number of skipped stores and how to use them; "" if none was skipped.
    std::string note() const;
};
/// Like find_stores(), but without the stores of attacks and of smoothed models and calibrated
/// copies, which are not additional models. They are kept if a path has no other stores, that is,
/// if one is named directly. With `keep_damaged`, a store that cannot be read is among the folders,
/// so that the caller reports it with the others that it cannot use; otherwise this throws
/// bad_input. Cost: opens each store.
ModelStores model_stores(const std::vector<std::filesystem::path>& paths,
                         bool keep_damaged = false);

struct OpenedModels {
    std::vector<PredictionStore> stores;
    std::string skipped;  ///< ModelStores::note()
};
/// The stores of model_stores(), which remain open. Cost: opens each store once.
OpenedModels open_models(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
