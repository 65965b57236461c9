// Verifies stores: every file must match its checksum and its store.
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

/// The findings about one store. They have no numbers if its manifest cannot be read.
struct StoreCheck {
    std::filesystem::path folder;
    std::optional<std::size_t> shards;
    std::optional<std::size_t> missing;  ///< shards that no run has written yet, which is no
                                         ///< problem
    std::vector<std::string> problems;   ///< one sentence each; empty if everything that exists is
                                         ///< sound
    std::vector<std::string> notes;      ///< facts that the store's format cannot show
    std::string written_by;              ///< the process that is writing it, "process 123", or ""
    std::vector<StorePart> unfinished;   ///< for a store in parts: parts that are missing or
                                         ///< unfinished
    std::size_t replaced = 0;            ///< shards that were replaced before they were read
};

/// Runs verify_store() for every store at or below `path` (a RUNS folder, one of its data sets, or
/// one store). Then lists folders that look like stores but are not. Progress counts stores. Throws
/// bad_input if it finds no folder of either kind; interrupted. Cost: reads every byte.
std::vector<StoreCheck> verify_stores(const std::filesystem::path& path,
                                      const ProgressCallback& callback = {});

bool any_damaged(const std::vector<StoreCheck>& checks);
/// The report has one row per store, and one per further problem. It is partial if shards are
/// missing or a store was being written. JSON: assay.verify/1.
Report report_of(const std::vector<StoreCheck>& checks);

}  // namespace assay
