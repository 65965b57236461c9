// Conformal prediction sets: sets of classes that contain a valid class for a chosen proportion of
// images. This is true of any classifier if the calibration images are like the others.
//
// A row has probabilities p, sorted from the largest, and r is a class's rank from 1. The number u
// is uniform for each image: it comes from a hash of its id and a seed (0 without randomness).
// Scores of a class:
//
//   lac    1 - p(r)                                                Sadinle, Lei, Wasserman 2019
//   aps    p(1) + ... + p(r) - u p(r)                              Romano, Sesia, Candes 2020
//   raps   the same + lambda max(0, r - k_reg)                     Angelopoulos et al. 2021
//
// The threshold is the ceil((n + 1)(1 - alpha))-th smallest score of the valid classes of n
// calibration images. An image with several valid classes counts with the smallest of their scores.
// A set holds the classes whose score is at most the threshold.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::decisions {

enum class SetMethod { all, lac, aps, raps };
constexpr auto words_of(SetMethod) {
    return std::array<std::pair<SetMethod, std::string_view>, 4>{{
        {SetMethod::all, "all"},
        {SetMethod::lac, "lac"},
        {SetMethod::aps, "aps"},
        {SetMethod::raps, "raps"},
    }};
}

struct ConformalOptions {
    std::vector<std::filesystem::path> stores;  ///< RUNS folders, data sets in them, or stores
    double alpha = 0.1;
    SetMethod method = SetMethod::all;
    bool class_conditional = false;
    bool deterministic = false;
    double lambda = 0.01;
    std::uint64_t k_reg = 5;
    std::string calibrate_on;
    double split = 0.5;
    std::uint64_t seed = 0;
    double max_error = 0;
    std::filesystem::path labels;
    double level = 0.95;
    int threads = 0;
    std::filesystem::path sets;  ///< file for the set of each image; "" writes none
};
}  // namespace assay::decisions

namespace assay {
template <>
inline constexpr auto description<decisions::ConformalOptions> =
    describe<decisions::ConformalOptions>({
        field<&decisions::ConformalOptions::alpha>(
            {.help = "Proportion of images whose set may miss every valid class",
             .min = 0.0001,
             .max = 0.9999}),
        field<&decisions::ConformalOptions::method>(
            {.help = "lac: smallest sets on average; aps: larger sets for hard images; raps: aps "
                     "with a penalty on long sets"}),
        field<&decisions::ConformalOptions::class_conditional>(
            {.help = "A threshold for each class, so that coverage holds in each class"}),
        field<&decisions::ConformalOptions::deterministic>(
            {.help = "No randomness in aps and raps: larger sets, with more coverage than asked"}),
        field<&decisions::ConformalOptions::lambda>(
            {.help = "raps: penalty of each rank beyond --k-reg", .min = 0, .max = 1}),
        field<&decisions::ConformalOptions::k_reg>(
            {.help = "raps: number of ranks without a penalty", .max = 1e6, .value = "N"}),
        field<&decisions::ConformalOptions::calibrate_on>(
            {.help = "Data set of the same RUNS folder to calibrate on. Results are then for all "
                     "images of the others",
             .empty = "a part of each data set",
             .value = "NAME",
             .excludes = "split"}),
        field<&decisions::ConformalOptions::split>(
            {.help = "Calibrate on this proportion of the images, chosen by a hash of their ids. "
                     "Results are for the others",
             .min = 0.01,
             .max = 0.99}),
        field<&decisions::ConformalOptions::seed>({.help = "Seed of the hashes of the ids"}),
        field<&decisions::ConformalOptions::max_error>(
            {.help = "Also abstain: answer only above a confidence for which the error among the "
                     "answers is at most this, guaranteed at the level",
             .min = 0.0001,
             .max = 0.9999,
             .empty = "no abstention"}),
        field<&decisions::ConformalOptions::labels>(
            {.help = "Valid classes of each image, as `assay score --labels` reads them. A set is "
                     "correct if it holds any of them",
             .empty = "the data set's own",
             .value = "LABELS"}),
        field<&decisions::ConformalOptions::level>(
            {.help = "Confidence level of the intervals and of --max-error",
             .min = 0.5,
             .max = 0.9999}),
        field<&decisions::ConformalOptions::threads>({.help = "Threads; they change no result",
                                                      .min = 0,
                                                      .max = 4096,
                                                      .empty = "one per core",
                                                      .also = "-j"}),
    });
}  // namespace assay

namespace assay::decisions {

/// The prediction sets of one method for one classifier.
struct ConformalSets {
    std::string model, dataset, calibrated_on;
    SetMethod method = SetMethod::lac;
    std::uint64_t calibration = 0;  ///< images
    /// Empty if it is infinite (every set has all classes), or if each class has its own.
    std::optional<double> threshold;
    std::uint64_t infinite_classes = 0;  ///< classes with an infinite threshold: too few images
    /// With one threshold: the range of coverage for 95 % (`level`) of all calibration samples of
    /// this size. If several calibration images have the threshold as their score, coverage can be
    /// higher by any amount: then `high` is 1, and `low` alone is a bound.
    std::optional<Interval> expected;
    Estimate coverage, size;           ///< values on the reported images; size is in classes
    std::uint64_t empty = 0, one = 0;  ///< number of sets with no class, and with one class
    std::uint64_t largest = 0;
    Estimate one_correct;  ///< proportion of one-class sets whose class is valid
};
/// Selective answers: only predictions above a confidence threshold.
struct Abstention {
    std::string model, dataset, calibrated_on;
    double max_error = 0;
    std::uint64_t calibration = 0;
    /// An image is answered if its confidence is above this. -1 answers all; empty if no threshold
    /// is safe.
    std::optional<double> threshold;
    Estimate answered, error;  ///< proportion of images answered; error among the answers
};
struct ConformalResult {
    double alpha = 0.1, level = 0.95;
    bool class_conditional = false, randomized = true;
    std::vector<ConformalSets> sets;
    std::vector<Abstention> abstentions;
    std::uint64_t not_scored = 0;  ///< images without scores, which are skipped
    std::uint64_t refused = 0;     ///< stores that cannot be used; a warning says why
    std::vector<std::string> notes, warnings;
};

/// Calibrates each store on one part of its images, or on the same model's store of another data
/// set. Reports the sets of the other images. Results are bit-identical for any number of threads.
/// Cost: a pass over the rows, which sorts each. Memory: about 120 bytes per image of one store at
/// a time. With `sets`, also the sets of all methods for that store, and their csv. The file is
/// replaced when all stores are done, and not changed by an error. Throws usage for an option that
/// cannot act, and for a file of labels for two data sets whose images may differ. Throws bad_input
/// for stores without the scores of every class, of fewer than two classes, not complete, or
/// without labels. Throws bad_input for a part without an image, for rows of probabilities that do
/// not sum to 1, and for labels that are no class. Throws bad_input for images with several valid
/// classes if each class has a threshold, and if calibration images are also reported. Of several
/// stores, those that cannot be used are skipped with a warning; the error remains if none can be
/// used. A store that cannot be opened is not skipped: its error remains.
ConformalResult conformal_sets(const ConformalOptions& options,
                               const ProgressCallback& progress = {});
/// Schema `assay.conformal/1`. The csv has a row for each model and method. With `max_error`, it
/// also has the columns of the store's abstention.
Report report_of(const ConformalResult& result);

}  // namespace assay::decisions
