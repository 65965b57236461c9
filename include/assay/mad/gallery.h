// The selected images as PNG sheets, one a pair: each image with what both classifiers say.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::mad {

struct GalleryOptions {
    std::filesystem::path out{};        ///< folder
    std::vector<std::string> models{};  ///< only pairs of these; of one: all its pairs; empty: all
    int side = 160;                     ///< pixels of an image's longer side, 32 to 1024
    std::uint32_t columns = 6;          ///< 1 to 50
    int threads = 0;
};
struct GallerySheet {
    std::filesystem::path file;
    std::string first, second;
    std::uint64_t images = 0;      ///< drawn
    std::uint64_t unreadable = 0;  ///< of these, as a grey field
    /// Of these, of case I, II and III, replaced, and not settled.
    std::array<std::uint64_t, 5> cases{};
};
ResultType result_type(ResultOf<GallerySheet>);
/// The label that a classifier gives a selected image.
struct GalleryLabel {
    std::string id, name;
    double confidence = 0;
    std::optional<bool> correct;  ///< by people; none: open, or they cannot judge it
};
ResultType result_type(ResultOf<GalleryLabel>);
struct GalleryImage {
    std::string first, second;  ///< the pair that it was selected for
    std::uint32_t place = 0;    ///< from 1, by discrepancy
    std::string id;
    std::uint64_t item = 0;  ///< place among the competition's images
    GalleryLabel first_label, second_label;
    double distance = 0;  ///< of the two labels
    std::string outcome;  ///< "I", "II", "III", "replaced" or "open"
};
ResultType result_type(ResultOf<GalleryImage>);
/// What sheets show, as data: pair by pair, in the order of discrepancy. Empty where nothing is
/// selected. Throws bad_input: predictions that are not those from which images were selected.
std::vector<GalleryImage> gallery_images(const Competition& competition);

struct Gallery {
    std::vector<GallerySheet> sheets;
    std::vector<GalleryImage> shown;           ///< on the sheets
    std::uint64_t images = 0, unreadable = 0;  ///< of all sheets
    std::vector<std::string> warnings;
};
/// A sheet a pair, "FIRST--SECOND.png", its images in the order of discrepancy, below each the two
/// labels with confidences, the distance of the labels, and the case once it is settled; replaced
/// images are among them, near duplicates are not. A sheet that would have more than 64 million
/// pixels goes on in "FIRST--SECOND-2.png". Images of the folder that have these names are
/// replaced, and all others stay, those of removed classifiers among them. The same bytes for any
/// number of threads. Memory: 256 MiB a thread at most, and the decoded image. Progress: images.
/// Throws usage: unknown names (with the nearest), nothing is selected, sizes out of range;
/// bad_input: no image can be read (nothing is written then), predictions that are not those from
/// which images were selected; io; interrupted.
Gallery make_gallery(const Competition& competition, const GalleryOptions& options,
                     const ProgressCallback& progress = {});
/// "assay.mad_gallery/1", docs/results.md.
ResultType result_type(ResultOf<Gallery>);
/// CSV: a row per sheet. Partial where an image cannot be read.
Report report_of(const Gallery& gallery);

}  // namespace assay::mad
