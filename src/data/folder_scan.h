// Walks over folders of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// What stands directly in a folder, hidden names left out.
struct FolderListing {
    std::vector<std::string> folders;  ///< in byte order of "name/", so that walking them in turn
                                       ///< gives paths in byte order
    std::uint64_t images = 0;
    std::uint64_t others = 0;
    std::vector<std::string> tables;  ///< csv, tsv, txt and json files: perhaps a list of labels
};
FolderListing list_folder(const std::filesystem::path& folder);

struct ScanCounts {
    std::uint64_t others = 0;  ///< files that are no images by extension
    std::uint64_t repeats =
        0;  ///< links to folders that were read already; they are not followed again
};

/// Appends the images below root / sub as paths relative to `root`, in byte order, until `out`
/// holds `limit` (0: all). Links are followed; each real folder is read once. A dangling link with
/// an image's extension counts as a image: that it cannot be read is found, and recorded, later.
/// Throws bad_input (no folder), io (not readable).
void scan_images(const std::filesystem::path& root, const std::string& sub, std::size_t limit,
                 StringColumn& out, ScanCounts& counts);
/// Whether an image is below root / sub. Throws as scan_images() does.
bool holds_an_image(const std::filesystem::path& root, const std::string& sub);

}  // namespace assay
