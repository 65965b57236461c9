// Joins the parts of a store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct JoinedStore {
    std::filesystem::path folder;
    std::uint64_t rows = 0;
    std::size_t shards = 0;
    std::uint32_t parts = 0;  ///< the number of its parts; 0 if it was whole
    std::size_t moved = 0;    ///< shards moved by this call
};

/// Joins each store in parts at or below `path` into a single piece by renaming shards, without
/// copying or computing. If one kind of device computed all parts, the result equals a store from
/// one process byte for byte. Only the provenance differs, because it lists the device and library
/// of each part. The store stays readable if the call is killed, and the next call resumes. Before
/// moving anything, throws bad_input for a part that has not begun or finished (with the command to
/// run), or parts of different stores. Also throws it for a part on another disk, or a shard whose
/// record or files differ from those that its part was finished with. Scores are not read;
/// verify_store() does that. Throws busy if a part is being written. Later throws io. Progress
/// counts shards. Cost: a link, a rename, and two readings of the record for each shard.
std::vector<JoinedStore> join_parts(const std::filesystem::path& path,
                                    const ProgressCallback& progress = {});

/// Formats numbers of parts: "3, 7 to 9 and 12 of 100".
std::string text_of(const std::vector<StorePart>& parts);

/// The report has one row per store. JSON: assay.join/1.
Report report_of(const std::vector<JoinedStore>& stores);

}  // namespace assay
