// Slices of a data set on which a classifier is less accurate than on the rest. A slice is the
// images with one value of an attribute, or with two values at once.
//
// A hash of their ids divides the images into two halves. On the first half all slices are
// tested: each value of a facet and each pair of values. A facet is an attribute, a statistic of
// the pixels, the label, the predicted class or the number of labels. Benjamini and Hochberg's
// correction at 0.1 selects some slices. On the second half these are tested again, with
// Holm's correction at 1 - level. Only confirmed slices are reported, with accuracies of the
// second half. So the search does not bias the accuracies. The confirmation makes them too low
// if it rarely succeeds: a slice with few images is only reported if its accuracy happens to
// be low.
//
// The test is Fisher's exact one, one-sided: it holds for 20 images, also without any error. If
// images are in clusters (several of one patient), each half has whole clusters, and the test's
// counts are divided by the design effect (slices/cluster_test.h). A pair must be less accurate
// than all other images, and than the other images of each of its two values. So a pair is only
// found where it says more than either value alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::slices {

struct SliceOptions {
    std::vector<std::filesystem::path> stores;  ///< RUNS folders, data sets in them, or stores
    std::filesystem::path data;
    bool without_images = false;
    std::filesystem::path labels;
    /// The same in memory, one set per item of every store; `labels` is then empty.
    std::optional<LabelSets> label_sets;
    std::string cluster;  ///< attribute; "": images are independent
    std::uint64_t top = 20;
    std::uint64_t examples = 3;
    std::uint64_t seed = 0;
    double level = 0.95;
    int threads = 0;
};

}  // namespace assay::slices

namespace assay {
template <>
inline constexpr auto description<slices::SliceOptions> = describe<slices::SliceOptions>({
    field<&slices::SliceOptions::data>(
        {.help = "The images, as for assay predict: a folder, a list or an archive. Its columns "
                 "are attributes, too",
         .empty = "where they were when they were predicted",
         .value = "DATA",
         .also = "-d"}),
    field<&slices::SliceOptions::without_images>(
        {.help = "Do not read images: no slices by brightness, sharpness, size and aspect"}),
    field<&slices::SliceOptions::labels>(
        {.help = "Valid classes of each image, as `assay score --labels` reads them. A prediction "
                 "is correct if it is any of them",
         .empty = "the data set's own",
         .value = "LABELS"}),
    field<&slices::SliceOptions::cluster>(
        {.help = "Images with one value of this attribute (one patient, one scene) are not "
                 "independent. They are in one half, and tests and intervals account for that",
         .empty = "images are independent",
         .value = "ATTR"}),
    field<&slices::SliceOptions::top>(
        {.help = "Slices to show for each model; csv and JSON have all", .min = 1, .max = 1e6}),
    field<&slices::SliceOptions::examples>(
        {.help = "Incorrect images to name for each slice, the most confident errors first",
         .max = 1000}),
    field<&slices::SliceOptions::seed>({.help = "Seed of the hashes of the ids"}),
    field<&slices::SliceOptions::level>(
        {.help = "Confidence level of the intervals, and probability of no false slice",
         .min = 0.5,
         .max = 0.9999}),
    field<&slices::SliceOptions::threads>({.help = "Threads; they change no result",
                                           .min = 0,
                                           .max = 4096,
                                           .empty = "one per core",
                                           .also = "-j"}),
});
}  // namespace assay

namespace assay::slices {

/// A facet: one of the ways in which images are divided.
struct SliceFacet {
    std::string dataset;
    std::string by;             ///< "camera", "brightness", "label", ...
    std::string kind;           ///< "attribute", "quartiles", "image", "labels", "class"
    std::uint64_t values = 0;   ///< number of different values
    std::uint64_t without = 0;  ///< images without a value, which are in none of its slices
    bool used = false;          ///< true if a tested slice of a model uses it
};
struct SliceCondition {
    std::string by, value;
};
struct FoundSlice {
    std::string model, dataset;
    std::string name;  ///< "camera=b,brightness=0.1 to 0.3"
    std::vector<SliceCondition> conditions;
    std::uint64_t images = 0;     ///< images in both halves
    std::uint64_t incorrect = 0;  ///< of these
    Estimate accuracy, rest;      ///< of the second half: of the slice, of all other images
    std::optional<std::uint64_t> clusters;  ///< of both halves; none: images are independent
    double p = 1;                           ///< of the second half, with Holm's correction
    double screened = 1;                    ///< of the first half, with Benjamini and Hochberg's
    std::vector<std::string> examples;
};
struct SlicedModel {
    std::string model, dataset;
    std::uint64_t first = 0, second = 0;  ///< images in each half
    Estimate accuracy;                    ///< accuracy on the second half
    std::uint64_t tested = 0, selected = 0;
    /// Slices with enough images, but too few clusters to be tested; none: images are independent.
    std::optional<std::uint64_t> few_clusters;
    bool by_predicted = false, by_pairs = false;  ///< of tested slices: some are
    std::vector<FoundSlice> found;                ///< the smallest p first
};
struct SliceResult {
    double level = 0.95;
    std::uint64_t seed = 0;
    std::string cluster;     ///< attribute; "": images are independent
    std::uint64_t top = 20;  ///< how many people see
    std::vector<SliceFacet> facets;
    std::vector<SlicedModel> models;
    std::uint64_t not_scored = 0;  ///< images without scores, which are skipped
    std::vector<std::string> notes, warnings;
};

/// Finds the slices of each store. The same bits for any threads. Cost: a pass over the rows; a
/// pass over the images for each pair of facets; with images, their decoding, once for data sets
/// with the same ones. Memory: 8 bytes per image and facet, with clusters 20. Throws usage for no
/// store, and for `data` with stores of several data sets. Throws bad_input for fewer than 80
/// images with scores and labels, for fewer than 20 clusters of them, and for labels that are no
/// class. Throws usage for clusters by an attribute that a data set lacks. Throws bad_input if
/// `data` holds none of the images, other images under their names, or one image for two.
SliceResult find_slices(const SliceOptions& options, const ProgressCallback& progress = {});
/// Schema `assay.slices/1`. The csv has a row for each slice that was found.
Report report_of(const SliceResult& result);

}  // namespace assay::slices
