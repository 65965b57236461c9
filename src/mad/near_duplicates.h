// The hashes by which a competition tells images that look nearly the same (image/near_hash.h).
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

/// The hashes that a competition has, and those that were made since.
class NearHashes {
public:
    /// Reads the rows that have one.
    explicit NearHashes(const Competition& competition);

    /// Decodes the images that have none yet. Memory: one image a thread. Throws bad_input: images
    /// that cannot be read, by the lowest number, and what to do.
    void need(const std::vector<std::uint64_t>& images, int threads,
              const ProgressCallback& progress);
    bool has(std::uint64_t image) const { return hashes_.contains(image); }
    std::uint64_t of(std::uint64_t image) const { return hashes_.at(image); }
    /// Writes those that are new into the rows of their images, where these have rows.
    void write(Competition& competition);

private:
    const Competition* competition_;
    std::optional<ItemReader> items_;  ///< from the first image that needs it on
    std::map<std::uint64_t, std::uint64_t> hashes_;
    std::vector<std::uint64_t> fresh_;
};

}  // namespace assay::mad
