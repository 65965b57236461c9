// The images of a data set, decoded once: what shows that two have equal pixels or look alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/progress.h"
#include "audit/image_keys.h"
#include "core/joined_sets.h"

namespace assay::audit {

/// 40 bytes an image. An image that cannot be read has unknown keys and the look 0.
struct DecodedImages {
    ImageKeys files;                   ///< XXH3 of the bytes, 128 bits
    ImageKeys pixels;                  ///< XXH3 of width, height and RGB pixels, 128 bits
    std::vector<std::uint64_t> looks;  ///< near_hash(); 0 for an image without detail
    std::uint64_t unreadable = 0;
};

/// Decodes all images as classifiers see them: 8-bit RGB, the first frame, without alpha. Throws
/// bad_input if none can be read, and errors that end a run. The same for any number of threads.
/// Memory: the keys, and one image per thread.
DecodedImages decode_images(const Dataset& dataset, int threads, const ProgressCallback& progress);

/// The first image of each set of `joined`, joined to those that look alike: their looks differ in
/// at most `bits` bits (0 to 10). Images without detail are not compared.
JoinedSets join_alike(JoinedSets& joined, const std::vector<std::uint64_t>& looks, int bits);

}  // namespace assay::audit
