// Writes the selected images as contact sheets (PNG), one per pair of classifiers or one per tag.
// Each image has both predictions.
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
    std::vector<std::string> models{};  ///< only pairs with these models; with one name, all its
                                        ///< pairs; empty means all
    int side = 160;                     ///< pixels of an image's longer side, 32 to 1024
    std::uint32_t columns = 6;          ///< images per row, 1 to 50
    bool by_tag = false;                ///< a sheet for each tag instead of each pair
    std::filesystem::path tags{};       ///< with by_tag: csv of images and tags, as in
                                        ///< RankOptions; empty means the tags of the answers
    /// A sheet for each class instead of each pair: the selected images for which a classifier
    /// predicts it, and below them the images of this labelled data set that have it. A path as in
    /// open_dataset(), with the classes of the competition; empty means no such sheets.
    std::filesystem::path beside{};
    std::filesystem::path beside_list{};  ///< with beside: labels of a flat folder
    std::uint64_t beside_count = 0;       ///< with beside: the first N images of a class; 0: all
    std::vector<std::string> classes{};   ///< with beside: only these, by id or name; empty: all
    std::uint64_t top_classes = 0;  ///< with beside: the N classes with the most selected images;
                                    ///< 0 means all
    bool confirmed = false;         ///< with beside: only selected images in which people see the
                                    ///< class
    int threads = 0;
};
struct GallerySheet {
    std::filesystem::path file;
    std::string first, second;     ///< empty on the sheet of a tag
    std::string tag;               ///< empty on the sheet of a pair
    std::string class_id;          ///< empty on other sheets than those of classes
    std::uint64_t images = 0;      ///< selected images on it
    std::uint64_t beside = 0;      ///< images of the labelled data set on it
    std::uint64_t unreadable = 0;  ///< images that are shown as a gray field
    /// The numbers of images in cases I, II and III, of replaced images, and of unsettled images.
    std::array<std::uint64_t, 5> cases{};
};
ResultType result_type(ResultOf<GallerySheet>);
/// A classifier's label for a selected image.
struct GalleryLabel {
    std::string id, name;
    double confidence = 0;
    std::optional<bool> correct;  ///< by the answers; empty if open or if nobody can judge it
};
ResultType result_type(ResultOf<GalleryLabel>);
struct GalleryImage {
    std::string first, second;  ///< the pair for which it was selected
    std::uint32_t place = 0;    ///< rank by discrepancy, from 1
    std::string id;
    std::uint64_t item = 0;  ///< index among the competition's images
    GalleryLabel first_label, second_label;
    double distance = 0;              ///< distance between the two labels
    std::string outcome;              ///< "I", "II", "III", "replaced" or "open"
    std::vector<std::string> tags{};  ///< with GalleryOptions::by_tag; otherwise empty
};
ResultType result_type(ResultOf<GalleryImage>);
/// The contents of the sheets as data: pair by pair, in the order of discrepancy. Empty if nothing
/// is selected. Throws bad_input if the predictions are not those from which images were selected.
std::vector<GalleryImage> gallery_images(const Competition& competition);

/// A class with GalleryOptions::beside.
struct GalleryClass {
    std::string id, name;
    std::uint64_t selected = 0;  ///< images for which a classifier of the pairs predicts it
    /// People's answers about it: the class is there, it is not, and not asked,
    /// undecided or impossible to judge.
    std::uint64_t yes = 0, no = 0, open = 0;
    std::uint64_t labelled = 0;   ///< images of the labelled data set with the class
    std::uint64_t shown = 0;      ///< of these, on the sheets: the first ones
    std::filesystem::path sheet;  ///< the first of its sheets
};
ResultType result_type(ResultOf<GalleryClass>);

struct Gallery {
    std::vector<GallerySheet> sheets;
    std::vector<GalleryClass> classes;  ///< with GalleryOptions::beside; otherwise empty
    std::vector<GalleryImage> shown;    ///< the images on the sheets
    std::uint64_t images = 0, beside = 0, unreadable = 0;  ///< numbers over all sheets
    std::vector<std::string> notes;                        ///< how the labelled data set was read
    std::vector<std::string> warnings;
};
/// Writes one sheet per pair, "FIRST--SECOND.png", with its images in the order of discrepancy.
/// Below each image are the two labels with confidences, the distance of the labels, and the case
/// once it is settled. Replaced images are included, but near duplicates are not. A sheet with more
/// than 64 million pixels continues in "FIRST--SECOND-2.png".
///
/// By tag, there is one sheet per tag, "tag-TAG.png". It has each accepted image with the tag once,
/// for the pair whose labels are farthest apart, of those for which it is selected. Gallery::shown
/// has each tagged image for each of its pairs. Tags are as in RankOptions: without a file the 50
/// most used ones.
///
/// With `beside`, there is one sheet per class, "class-NAME.png", in the order of the number of
/// selected images. It has each accepted image for which a classifier predicts the class once, for
/// the pair whose labels are farthest apart. Below are the labelled images with the class, in the
/// order of their data set. Classes without labelled images have no sheet, and a warning names
/// them.
///
/// Existing images with these names are replaced. All other files stay, including those of removed
/// classifiers. The bytes do not depend on the number of threads. Memory: at most 256 MiB per
/// thread (512 MiB for a sheet of a class with a row of more than 32 million pixels), and the
/// decoded image; with `beside`, also the ids and labels of its images. Progress: images. Throws
/// usage for unknown names (with the nearest name), if nothing is selected or tagged, and for sizes
/// out of range. Throws as open_dataset() for `beside`, and bad_input if none of its images has a
/// wanted class, if a class of `classes` has no image in it, if no selected image can be read (then
/// nothing is written) or the predictions have changed since the selection; io; interrupted.
Gallery make_gallery(const Competition& competition, const GalleryOptions& options,
                     const ProgressCallback& progress = {});
/// Schema "assay.mad_gallery/1", see docs/results.md.
ResultType result_type(ResultOf<Gallery>);
/// CSV: one row per sheet. Partial if an image cannot be read.
Report report_of(const Gallery& gallery);

}  // namespace assay::mad
