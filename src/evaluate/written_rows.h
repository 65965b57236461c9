// Reuses the rows of a written shard that is computed again, because most of them need no model.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"
#include "store/begun_rows.h"

namespace assay::prediction {

/// The batches of a shard on the disk in which every row has a score, from the same images,
/// computed in the same way. Empty if the shard does not exist, or does not contain all scores
/// (top_k, label). Reads the images' bytes.
std::vector<store::BegunRows> written_rows(const std::filesystem::path& folder,
                                           const StoreSpec& spec, const ComputedOn& on,
                                           std::size_t shard, const Dataset& dataset);

/// The number of rows of a shard on the disk that have no score although their images could be
/// read.
std::size_t failed_rows(const std::filesystem::path& folder, const StoreSpec& spec,
                        std::size_t shard);

}  // namespace assay::prediction
