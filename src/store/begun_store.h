// Begins or resumes a store: checks the existing data, and writes the manifest.
#pragma once

#include <filesystem>
#include <string>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"
#include "store/dataset_files.h"
#include "store/manifest.h"

namespace assay::store {

/// A class list from before `assay relabel` is accepted for stores that were begun with it. In a
/// new store, the columns would be interpreted by the current list.
void refuse_former_order(const std::filesystem::path& store, const DatasetRecord& there,
                         const Dataset& dataset, const std::filesystem::path& folder);
/// A store is written as a whole or in a fixed number of parts, and its parts must agree. Uses the
/// settings of the first part.
void agree_with_store(const std::filesystem::path& store, StoreSpec& wanted);
/// Returns the recorded manifest if `wanted` may continue it. Otherwise writes a new manifest.
Manifest begin_or_resume(const std::filesystem::path& folder, const StoreSpec& wanted);
/// The identity of the data set as the store named it when it was begun.
std::string id_of_begun(const std::filesystem::path& store, const DatasetRecord& there);

}  // namespace assay::store
