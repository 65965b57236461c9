// The stores that people mean where they name models: without those of attacks on them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace assay
