// PatchML data sets from options: boxes and images in, one data set per seed out. Everything that
// `assay patchml` does, with its defaults.
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
    /// Either `images`, the folder that `boxes` speaks of, and `boxes`; or `whole`: a labelled data
    /// set, each image of which is one patch.
    std::filesystem::path images, boxes, whole;
    std::filesystem::path list;     ///< labels of the images of `whole`, where they are in a file
    std::string format = "auto";    ///< of the boxes: auto, voc, solution, coco, csv
    std::string corners;            ///< inclusive0, inclusive1, edges; "": as read_boxes
    std::filesystem::path classes;  ///< class list file; "": see make_pool
    int min_side = 1;               ///< patches with a shorter side are left out, pixels
    bool skip_difficult = false, skip_truncated = false;  ///< boxes that VOC marks so are left out
    bool skip_duplicates = false;  ///< all but the first of the same pixels and class are left out

    std::vector<int> k = {2, 3, 4, 6, 9};  ///< patches per composite
    /// Longer side of a patch, pixels: one for each k, or one for all; empty: default_patch_side.
    std::vector<int> p;
    int canvas = 512;  ///< side of a composite, pixels
    bool distinct = false;
    std::string seeds = "1-5";  ///< one data set for each: "1-5", "7", "1,2,9"; at most 1000
    std::string interpolation = "bicubic";
    std::size_t limit = 0;            ///< the first composites of each k only; 0: all
    std::optional<int> jpeg_quality;  ///< 1 to 100: JPEG in place of PNG

    std::filesystem::path out;     ///< gets the folders <name>-seed<n>
    std::string name = "patchml";  ///< beginning of the data sets' names
    std::size_t examples = 3;      ///< boxes left out that are shown, of each kind
    int threads = 0;               ///< 0: one per core; changes no byte
    std::size_t cache_mib = 256;   ///< memory for resized patches; changes no byte
};

/// How often a class repeats within a composite: seen, and expected by chance.
struct GridSummary {
    GridCounts counts;
    Estimate repeats;          ///< proportion of composites with fewer than k labels; Wilson
    double expected_pool = 0;  ///< k patches of this pool at random; 0 where distinct
    double expected_equal_classes = 0;  ///< as many equally frequent classes as have patches
};

struct PatchmlDataset {
    CompositeReport made;  ///< planned numbers where the state is planned
    std::vector<GridSummary> grids;
    double seconds = 0;
    /// "planned"; "was there": nothing was done; "continued" after an interruption; "made".
    std::string state() const;
    bool planned = true;
};

struct PatchmlResult {
    PatchPool pool;
    std::size_t classes_present = 0;  ///< classes that have patches
    CompositeOptions options;
    std::vector<PatchmlDataset> datasets;  ///< one per seed
    std::vector<std::string> notes;        ///< what was read, assumed and left out; for people
    std::vector<std::string> rejected;     ///< examples of boxes left out
};

/// What can be known to be wrong before an image is read. Throws usage: options that do not go
/// together, seeds that cannot be read, grids that do not fit.
void check(const PatchmlOptions& options);
/// The data sets' folders, one per seed: out/<name>-seed<n>. Throws usage as check().
std::vector<std::filesystem::path> composite_folders(const PatchmlOptions& options);

/// Reads the boxes and the size of every image, and counts what would be made; writes nothing.
/// Progress counts images in the step "reading". Throws usage as check(), and where a
/// grid asks for more than the pool has; bad_input as read_boxes and make_pool.
PatchmlResult plan_patchml(const PatchmlOptions& options, const ProgressCallback& progress = {});
/// Makes the data sets of a plan, see make_composites. Progress counts composites in a step per
/// data set, called by its folder.
void make_patchml(PatchmlResult& plan, const ProgressCallback& progress = {});

/// "assay.patchml_report/2". CSV holds a row per data set and k. Partial where boxes were left out,
/// of which the warnings show examples.
Report report_of(const PatchmlResult& result);

}  // namespace assay
