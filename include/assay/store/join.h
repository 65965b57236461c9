// One store out of its parts.
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
    std::uint32_t parts = 0;  ///< that it was in; 0: it was whole
    std::size_t moved = 0;    ///< shards, by this call
};

/// Makes each store at or below `path` that lies in parts one in a single piece: shards are
/// renamed, nothing is copied or computed. On one device that is, byte for byte, what one process
/// writes, but for the provenance, which says of each part what computed it. Killed at any moment,
/// the store can be read, and the next call goes on. Throws, before anything is moved, bad_input: a
/// part that has not begun or is not finished (with what to run), parts that are not of one store,
/// a shard whose record or files are not those that its part was finished with (scores are not
/// read: verify_store() does that), a part on another disk; busy: somebody writes a part; then io.
/// Progress counts shards. Cost: a link, a rename, and two readings of the record for each shard.
std::vector<JoinedStore> join_parts(const std::filesystem::path& path,
                                    const ProgressCallback& progress = {});

/// "3, 7 to 9 and 12 of 100".
std::string text_of(const std::vector<StorePart>& parts);

/// One row a store. JSON: assay.join/1.
Report report_of(const std::vector<JoinedStore>& stores);

}  // namespace assay
