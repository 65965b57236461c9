// The selected images as PNG sheets, one a pair: each image with what both classifiers say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::mad {

struct GalleryOptions {
    std::filesystem::path out;        ///< folder
    std::vector<std::string> models;  ///< only pairs of these; empty: all
    int side = 160;                   ///< pixels of an image's longer side
    std::uint32_t columns = 6;
    int threads = 0;
};
struct Gallery {
    std::vector<std::filesystem::path> sheets;
    std::uint64_t images = 0;      ///< drawn
    std::uint64_t unreadable = 0;  ///< drawn as a grey field
    std::vector<std::string> warnings;
};
/// A sheet a pair, "FIRST--SECOND.png", its images in the order of discrepancy, below each the two
/// labels with confidences, and the case once it is settled. Throws usage: unknown names, nothing
/// is selected; bad_input: no image can be read.
Gallery make_gallery(const Competition& competition, const GalleryOptions& options,
                     const ProgressCallback& progress = {});
/// "assay.mad_gallery/1".
Report report_of(const Gallery& gallery);

}  // namespace assay::mad
