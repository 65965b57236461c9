// Calibrates stored predictions: scales the scores of a model by numbers that are fitted to other
// items. The result is a store next to the model's own.
//
// Each class has z' = w z + b for its logit (or log-probability) z. Temperature scaling has one w,
// 1 / T, for all classes. Per-class scaling has a w for each class, and vector scaling a w and a b
// for each. Source: Guo et al. 2017, "On calibration of modern neural networks", section 4.2. The
// numbers minimize the negative log-likelihood, a convex function.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

enum class Scaling { temperature, vector, per_class };
constexpr auto words_of(Scaling) {
    return std::array<std::pair<Scaling, std::string_view>, 3>{
        {{Scaling::temperature, "temperature"},
         {Scaling::vector, "vector"},
         {Scaling::per_class, "per-class"}}};
}
/// Returns "temperature", "vector" or "per-class".
std::string_view name_of(Scaling);

struct CalibrateOptions {
    std::vector<std::filesystem::path> paths;  ///< RUNS folders, data sets in them, or stores
    Scaling method = Scaling::temperature;
    std::string fit;
    double split = 0.5;
    std::uint64_t seed = 0;
    double level = 0.95;
    int threads = 0;
    std::filesystem::path layer;  ///< file for layer_text() of the one model; "" means none
    std::string command;          ///< as typed, for the record
};
template <>
inline constexpr auto description<CalibrateOptions> = describe<CalibrateOptions>({
    field<&CalibrateOptions::method>(
        {.help = "temperature: one number for all classes; vector: a weight and a bias per class; "
                 "per-class: a weight per class"}),
    field<&CalibrateOptions::fit>(
        {.help = "Data set of the same RUNS folder for the fit. Results are then for all items of "
                 "the others",
         .empty = "a part of each data set",
         .value = "NAME",
         .excludes = "split"}),
    field<&CalibrateOptions::split>(
        {.help = "Fit on this proportion of the items, chosen by a hash of their ids. The others "
                 "become a separate data set for results",
         .min = 0.01,
         .max = 0.99}),
    field<&CalibrateOptions::seed>({.help = "Seed of the hash of the ids", .excludes = "fit"}),
    field<&CalibrateOptions::level>(
        {.help = "Confidence level of the intervals", .min = 0.5, .max = 0.9999}),
    field<&CalibrateOptions::threads>({.help = "Threads; results do not depend on their number",
                                       .min = 0,
                                       .max = 4096,
                                       .empty = "one per core",
                                       .also = "-j"}),
});

/// The factor of a class's score, and the number that is then added.
struct ClassScaling {
    std::string id, name;
    Estimate weight, bias;
};

struct CalibratedStore {
    std::filesystem::path source, store;
    std::string model, dataset;  ///< model of the source; data set with the reported items
    std::string fitted_on;       ///< name of the data set that it was fitted to
    Scaling method = Scaling::temperature;
    std::uint64_t fit_items = 0, items = 0;
    Estimate temperature;                 ///< only for Scaling::temperature
    std::vector<ClassScaling> classes;    ///< only for the other methods
    std::vector<double> weights, biases;  ///< for all classes, with any method
    /// Values over the reported items.
    Estimate nll_before, nll_after, ece_before, ece_after;
};
struct CalibrateResult {
    std::vector<CalibratedStore> stores;
    std::uint64_t refused = 0;  ///< stores that cannot be calibrated; a warning says why
    std::vector<std::string> warnings;
};

/// Fits and writes MODEL@METHOD for each model's store below the paths. With a split, the items
/// that were not used for the fit make a data set NAME-heldoutP of P percent. It contains the
/// model's own scores and the calibrated ones. Intervals use the jackknife over 128 groups of
/// items, by one step of Newton's method, with Student's t. The interval of a temperature is
/// computed on the scale of its logarithm. The bits are the same for any number of threads. Memory:
/// some bytes per item, and a square matrix with a row per parameter. Cost: some ten passes over
/// the rows that are fitted, each with the square of the number of parameters per row. Throws usage
/// and bad_input for stores without every class's score or without labels, classes without an item,
/// and items that are in both data sets. They are also thrown for scores that have no finite
/// optimum, another calibration in the folder, and several models for one layer.
CalibrateResult calibrate_stores(const CalibrateOptions& options,
                                 const ProgressCallback& progress = {});

/// `assay.calibrate/1`. The csv has a row per store, and per class if each class is scaled.
Report report_of(const CalibrateResult& result);
/// The fitted numbers as a layer to add after the model, `assay.layer/1`.
std::string layer_text(const CalibratedStore& store);

}  // namespace assay
