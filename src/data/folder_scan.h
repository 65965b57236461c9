// Searches folders for images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The direct entries of a folder, without hidden names.
struct FolderListing {
    std::vector<std::string> folders;  ///< in byte order of "name/", so that visiting them in turn
                                       ///< gives paths in byte order
    std::uint64_t images = 0;
    std::uint64_t others = 0;
    std::vector<std::string> tables;  ///< csv, tsv, txt and json files: perhaps a list of labels
};
FolderListing list_folder(const std::filesystem::path& folder);

struct ScanCounts {
    std::uint64_t others = 0;  ///< files without an image's extension
    std::uint64_t repeats =
        0;  ///< links to folders that were read before; they are not followed again
};

/// Appends the images below root / sub as paths relative to `root`, in byte order, until `out` has
/// `limit` paths (0: all). Links are followed; each real folder is read once. A dangling link with
/// an image's extension counts as an image, and is recorded as unreadable later. Throws bad_input
/// if it is not a folder, and io if not readable.
void scan_images(const std::filesystem::path& root, const std::string& sub, std::size_t limit,
                 StringColumn& out, ScanCounts& counts);
/// True if there is an image below root / sub. Throws as scan_images() does.
bool holds_an_image(const std::filesystem::path& root, const std::string& sub);

}  // namespace assay
