// The hashes by which a competition recognizes near duplicates (image/near_hash.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/progress.h"
#include "mad/competition_items.h"

namespace assay::mad {

/// The hashes stored in a competition, and those computed since.
class NearHashes {
public:
    /// Reads the rows that have a hash.
    explicit NearHashes(const Competition& competition);

    /// Decodes the images without a hash. Memory: one image per thread. Throws bad_input for
    /// unreadable images, with the lowest number and advice.
    void need(const std::vector<std::uint64_t>& images, int threads,
              const ProgressCallback& progress);
    bool has(std::uint64_t image) const { return hashes_.contains(image); }
    std::uint64_t of(std::uint64_t image) const { return hashes_.at(image); }
    /// Stores new hashes in the rows of their images, if these exist.
    void write(Competition& competition);

private:
    const Competition* competition_;
    std::optional<ItemReader> items_;  ///< opened if an image needs it
    std::map<std::uint64_t, std::uint64_t> hashes_;
    std::vector<std::uint64_t> fresh_;
};

}  // namespace assay::mad
