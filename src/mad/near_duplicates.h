// Images that look nearly the same, by hashes of 64 bits that change little where an image does.
//
// The hash is that of C. Zauner, "Implementation and benchmarking of perceptual image hash
// functions" (2010), section 3.2 (pHash's DCT hash): brightness of the image at 32 x 32 pixels, its
// discrete cosine transform, of that the 8 x 8 lowest frequencies without the constant ones; a bit
// is set where a coefficient is above their median.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "assay/image/image.h"
#include "assay/mad/competition.h"
#include "assay/progress.h"
#include "mad/competition_items.h"

namespace assay::mad {

/// All of it in integers: the same bits on every machine. 0 of an image of one colour.
std::uint64_t near_hash(const Image& image);

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
