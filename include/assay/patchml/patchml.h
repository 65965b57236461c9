// Makes PatchML data sets from options: reads boxes and images, and makes one data set per seed.
// This is everything that `assay patchml` does, including its defaults.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/patchml/boxes.h"
#include "assay/patchml/composites.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

struct PatchmlOptions {
    /// Set either `boxes` and `images`, the folder to which they refer. Or set `whole`, a labeled
    /// data set whose images are one patch each.
    std::filesystem::path images, boxes, whole;
    std::filesystem::path list;     ///< file with the labels of the images of `whole`, if needed
    std::string format = "auto";    ///< format of the boxes: auto, voc, solution, coco, csv
    std::string corners;            ///< inclusive0, inclusive1, edges; "" as in read_boxes
    std::filesystem::path classes;  ///< class list file; for "" see make_pool
    int min_side = 1;               ///< pixels; patches with a shorter side are excluded
    bool skip_difficult = false, skip_truncated = false;  ///< exclude boxes marked so in VOC
    bool skip_duplicates = false;  ///< exclude all but the first box with the same pixels and class

    std::vector<int> k = {2, 3, 4, 6, 9};  ///< patches per composite
    /// Longer side of a patch in pixels: one for each k, or one for all; empty uses
    /// default_patch_side.
    std::vector<int> p;
    int canvas = 512;  ///< side of a composite, pixels
    bool distinct = false;
    std::string seeds = "1-5";  ///< one data set for each: "1-5", "7", "1,2,9"; at most 1000
    std::string interpolation = "bicubic";
    std::size_t limit = 0;            ///< only the first composites of each k; 0 means all
    std::optional<int> jpeg_quality;  ///< 1 to 100: JPEG instead of PNG

    std::filesystem::path out;     ///< the parent of the folders <name>-seed<n>
    std::string name = "patchml";  ///< beginning of the data sets' names
    std::size_t examples = 3;      ///< number of excluded boxes to show, of each kind
    int threads = 0;               ///< 0 means one thread per core; does not change results
    std::size_t cache_mib = 256;   ///< memory for resized patches; does not change results
};

/// The repetitions of a class within a composite: the observed and the expected proportion.
struct GridSummary {
    GridCounts counts;
    Estimate repeats;          ///< proportion of composites with fewer than k labels; Wilson's
                               ///< interval
    double expected_pool = 0;  ///< for k random patches of this pool; 0 with distinct
    double expected_equal_classes = 0;  ///< for the same number of equally frequent classes
};

struct PatchmlDataset {
    CompositeReport made;  ///< planned numbers before anything is made
    std::vector<GridSummary> grids;
    double seconds = 0;
    /// "planned"; "was there" if nothing was done; "continued" after an interruption; "made".
    std::string state() const;
    bool planned = true;
};

struct PatchmlResult {
    PatchPool pool;
    std::size_t classes_present = 0;  ///< classes that have patches
    CompositeOptions options;
    std::vector<PatchmlDataset> datasets;  ///< one per seed
    std::vector<std::string> notes;        ///< facts, assumptions and exclusions, for people
    std::vector<std::string> rejected;     ///< examples of excluded boxes
};

/// Checks everything that can be checked before an image is read. Throws usage for contradicting
/// options, invalid seeds and grids that do not fit.
void check(const PatchmlOptions& options);
/// The data sets' folders, one per seed: out/<name>-seed<n>. Throws usage as check().
std::vector<std::filesystem::path> composite_folders(const PatchmlOptions& options);

/// Reads the boxes and the size of every image, and counts what would be made, without writing.
/// Progress counts images in the step "reading". Throws usage as check(), and if a grid needs more
/// than the pool has; bad_input as read_boxes and make_pool.
PatchmlResult plan_patchml(const PatchmlOptions& options, const ProgressCallback& progress = {});
/// Makes the data sets of a plan; see make_composites. Progress counts composites in one step per
/// data set, named by its folder.
void make_patchml(PatchmlResult& plan, const ProgressCallback& progress = {});

/// Schema "assay.patchml_report/2". The csv has a row per data set and k. The report is partial if
/// boxes were excluded; warnings show examples.
Report report_of(const PatchmlResult& result);

}  // namespace assay
