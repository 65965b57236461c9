// Stores of a command one after another, without those that it cannot use.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// The store, or nothing if opening it throws bad_input: use_stores() then says why, if its `use`
/// opens it again.
std::optional<PredictionStore> open_unless_damaged(const std::filesystem::path& folder);

/// Calls `use` for each folder in order. A folder for which it throws bad_input is skipped. `done`
/// completes "`runs/val/net` is not ...". Returns a sentence for each skipped folder. `use` must
/// change nothing before it throws. Throws the first error itself if there is one folder, or if all
/// folders have the same error. Throws bad_input with all reasons if every folder is skipped. Other
/// errors of `use` pass through.
std::vector<std::string> use_stores(std::span<const std::filesystem::path> folders,
                                    std::string_view done,
                                    const std::function<void(const std::filesystem::path&)>& use);

}  // namespace assay::store
