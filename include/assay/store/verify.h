// Whether stores are as they were written: every file against its checksum and its store.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// What is known of one store; no numbers where its manifest cannot be read.
struct StoreCheck {
    std::filesystem::path folder;
    std::optional<std::size_t> shards;
    std::optional<std::size_t> missing;  ///< shards that no run has written yet: not a problem
    std::vector<std::string> problems;   ///< one sentence each; empty: what is there is sound
    std::vector<std::string> notes;      ///< what the store's format cannot tell
    std::string written_by;              ///< who is writing it, "process 123"; "" where nobody is
    std::vector<StorePart> unfinished;  ///< parts that are missing or not done, of a store in parts
    std::size_t replaced = 0;           ///< shards that were replaced before they were read
};

/// verify_store() of every store below `path` (a RUNS folder, one of its data sets, or one store),
/// then the folders that should be stores and are none. Progress counts stores. Throws bad_input
/// when there is neither; interrupted. Cost: reads every byte.
std::vector<StoreCheck> verify_stores(const std::filesystem::path& path,
                                      const ProgressCallback& callback = {});

bool any_damaged(const std::vector<StoreCheck>& checks);
/// One row a store, and one for each further problem; partial when shards are missing
/// or a store is being written, or was while it was read. JSON: assay.verify/1.
Report report_of(const std::vector<StoreCheck>& checks);

}  // namespace assay
