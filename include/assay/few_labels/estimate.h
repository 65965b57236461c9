// Estimates accuracy on a pool of unlabelled images from few labels. It draws a stratified random
// sample, which is larger among images for which the classifiers are unsure or disagree. It uses a
// regression on the predictions, and a score interval. The predictions determine the width of an
// interval, but never whether it contains the true value.
//
//   STUDY/estimate.json        The stores, the settings, the rounds and the looks. Written last.
//   STUDY/questions-1.csv      "Does this image show this label?" of the first round, for
//                              `assay serve` or any other tool. Later rounds have their own files.
//   STUDY/sample.csv           Every drawn image with its stratum and weight.
//   STUDY/settled.csv          Answers that were known before, if there were any.
//
// Design: Wright 1983 (strata of equal total size measure); Sarndal, Swensson and Wretman 1992.
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

namespace assay::few_labels {

/// The goal for which the sample is optimized.
enum class Purpose { both, accuracies, differences };
constexpr auto words_of(Purpose) {
    return std::array<std::pair<Purpose, std::string_view>, 3>{{
        {Purpose::both, "both"},
        {Purpose::accuracies, "accuracies"},
        {Purpose::differences, "differences"},
    }};
}

/// What annotators said to the question whether an image has a label.
enum class KnownOutcome { no, yes, unclear };
constexpr auto words_of(KnownOutcome) {
    return std::array<std::pair<KnownOutcome, std::string_view>, 3>{{
        {KnownOutcome::no, "no"},
        {KnownOutcome::yes, "yes"},
        {KnownOutcome::unclear, "unclear"},
    }};
}
/// An answer from before the study.
struct KnownAnswer {
    std::string image, label;  ///< ids
    KnownOutcome outcome = KnownOutcome::no;
};

struct DrawOptions {
    /// RUNS folders, data sets below them, or stores; empty from the second round on.
    std::vector<std::filesystem::path> stores;
    std::uint64_t draw = 0;
    Purpose purpose = Purpose::both;
    std::uint64_t seed = 0;
    int threads = 0;
    /// Answers that are known, when the study begins. Images for which they cover every predicted
    /// label are a stratum of their own that is known throughout: they are not drawn, and count
    /// themselves. That is valid for any choice of them that does not depend on the draw.
    std::vector<KnownAnswer> known;
    std::string known_source;  ///< of these answers, for messages
};
}  // namespace assay::few_labels

namespace assay {
template <>
inline constexpr auto description<few_labels::DrawOptions> = describe<few_labels::DrawOptions>({
    field<&few_labels::DrawOptions::draw>(
        {.help = "Images to label, in all rounds together; a larger number later adds to them",
         .min = 4,
         .max = 1e9,
         .value = "N"}),
    field<&few_labels::DrawOptions::purpose>(
        {.help = "Results that must be precise. differences: for a gate between two similar "
                 "versions; accuracies are then imprecise",
         .name = "for"}),
    field<&few_labels::DrawOptions::seed>({.help = "Of the random order of the images"}),
    field<&few_labels::DrawOptions::threads>({.help = "Threads; they change no result",
                                              .min = 0,
                                              .max = 4096,
                                              .empty = "one per core",
                                              .also = "-j"}),
});
}  // namespace assay

namespace assay::few_labels {

struct DrawnStratum {
    std::uint32_t stratum = 0;
    bool contested = false;  ///< classifiers predict different labels
    std::uint64_t images = 0, drawn = 0;
    double weight = 0;  ///< number of images that a drawn one represents
};
struct DrawnSample {
    std::filesystem::path study;
    std::string dataset;
    std::vector<std::string> classifiers;
    std::uint64_t images = 0;    ///< number of images in the pool
    std::uint64_t left_out = 0;  ///< images without a finite confidence from every classifier
    std::uint64_t drawn = 0, added = 0;
    std::uint64_t settled = 0;    ///< images that are known without being drawn
    std::uint64_t spared = 0;     ///< questions of this round that known answers replace
    std::uint64_t questions = 0;  ///< of this round
    std::filesystem::path questions_file;
    std::filesystem::path images_folder;  ///< empty if it is not known
    std::vector<DrawnStratum> strata;
    std::vector<std::string> warnings;
};

/// Returns true if a folder contains a study.
bool is_study(const std::filesystem::path& folder);

/// Begins a study, or draws more images for it; the images that were already drawn stay. With the
/// same numbers it changes nothing. Cost: four passes over the stores; memory does not grow with
/// the pool beyond 40 MB. Throws usage for fewer labels than before, fewer than two for each
/// stratum, or more labels than images. Throws usage, too, for other stores or settings than the
/// study's, and for known answers to a study that has begun. Throws bad_input for stores of other
/// images or classes, incomplete, or without confidences, for known answers about other images or
/// classes, and for a damaged study.
DrawnSample draw_sample(const std::filesystem::path& study, const DrawOptions& options,
                        const ProgressCallback& progress = {});
/// `assay.estimate_sample/1`.
Report report_of(const DrawnSample& sample);

struct JoinOptions {
    std::vector<std::filesystem::path> stores;  ///< as in DrawOptions
    int threads = 0;
};
}  // namespace assay::few_labels

namespace assay {
template <>
inline constexpr auto description<few_labels::JoinOptions> = describe<few_labels::JoinOptions>({
    field<&few_labels::JoinOptions::threads>({.help = "Threads; they change no result",
                                              .min = 0,
                                              .max = 4096,
                                              .empty = "one per core",
                                              .also = "-j"}),
});
}  // namespace assay

namespace assay::few_labels {

/// Adds classifiers to a study that has begun, and writes the questions about their labels of the
/// drawn and settled images (STUDY/questions-added-1.csv, ...). The sample and the results of the
/// others stay as they are. The probabilities of the sample do not depend on answers, so the same
/// labels are valid for the new classifiers. Repeating the last call changes nothing. Cost: four
/// passes over the stores. Throws usage if the study began with all of them, or has another
/// classifier with the same name. Throws bad_input as draw_sample() does, and for new predictions
/// that do not cover the pool.
DrawnSample join_study(const std::filesystem::path& study, const JoinOptions& options,
                       const ProgressCallback& progress = {});

struct EstimateOptions {
    /// Votes in the format that `assay labels aggregate` reads.
    std::vector<std::filesystem::path> answers;
    /// Labels of images in the format that `assay score --labels` reads.
    std::vector<std::filesystem::path> labels;
    /// Questions with known answers, to correct for annotators' errors. "" corrects nothing.
    std::filesystem::path gold;
    std::string by;
    bool per_class = false;
    double stop_at = 0;
    std::uint64_t peek = 0;
    bool simultaneous = false;
    double level = 0.95;
    int threads = 0;
};
}  // namespace assay::few_labels

namespace assay {
template <>
inline constexpr auto description<few_labels::EstimateOptions> =
    describe<few_labels::EstimateOptions>({
        field<&few_labels::EstimateOptions::answers>(
            {.help = "Annotators' answers to the questions: votes in any layout that `assay labels "
                     "aggregate` reads",
             .value = "VOTES"}),
        field<&few_labels::EstimateOptions::labels>(
            {.help = "Labels of the drawn images, one or several each, as `assay score --labels` "
                     "reads them",
             .value = "LABELS"}),
        field<&few_labels::EstimateOptions::gold>(
            {.help = "Questions with known answers that annotators settled, too: csv with image, "
                     "label, answer (yes, no). Also show accuracies corrected for annotators' "
                     "errors",
             .value = "FILE"}),
        field<&few_labels::EstimateOptions::by>(
            {.help = "Also each group of this attribute of the data set", .value = "ATTR"}),
        field<&few_labels::EstimateOptions::per_class>(
            {.help = "Also precision by predicted class, and recall by true class if answers name "
                     "classes. csv: a row per class and classifier"}),
        field<&few_labels::EstimateOptions::stop_at>(
            {.help = "Wanted half of the widest interval (0.03: 3 points); says how many more "
                     "labels it takes",
             .min = 0,
             .max = 0.5,
             .empty = "no limit"}),
        field<&few_labels::EstimateOptions::peek>(
            {.help =
                 "Wider intervals that stay valid if you stop as soon as a difference is clear; "
                 "N is the number of labels that you plan",
             .value = "N"}),
        field<&few_labels::EstimateOptions::simultaneous>(
            {.help = "All printed intervals hold together at the level (Bonferroni)"}),
        field<&few_labels::EstimateOptions::level>(
            {.help = "Of the intervals", .min = 0.5, .max = 0.9999}),
        field<&few_labels::EstimateOptions::threads>({.help = "Threads; they change no result",
                                                      .min = 0,
                                                      .max = 4096,
                                                      .empty = "one per core",
                                                      .also = "-j"}),
    });
}  // namespace assay

namespace assay::few_labels {

struct EstimatedStratum {
    std::uint32_t stratum = 0;
    bool contested = false;
    std::uint64_t images = 0, drawn = 0;
    std::uint64_t labels = 0;  ///< used
    std::uint64_t unjudged = 0;
};
struct EstimatedClassifier {
    std::string classifier;
    Estimate accuracy;
    std::optional<Estimate> corrected;  ///< accuracy without annotators' errors; with options.gold
    /// Mean confidence on the pool minus accuracy.
    Estimate overconfidence;
    double factor = 1;  ///< factor by which the regression changes the variance
    std::uint64_t labels = 0;
    /// Number of labels that a simple random sample would need for an interval of this width.
    std::optional<std::uint64_t> random_sample;
};
struct EstimatedPair {
    std::string first, second;
    Estimate difference;                ///< difference of the accuracies over all images
    std::optional<Estimate> corrected;  ///< with options.gold
    double disagreement = 0;            ///< proportion of images with different labels
    std::uint64_t labels = 0;           ///< of these images
};
struct EstimatedGroup {
    std::string group, classifier;
    std::uint64_t images = 0;  ///< without the proportion that people could not judge
    std::uint64_t labels = 0;
    Estimate accuracy;
    std::optional<Estimate> corrected;  ///< with options.gold
};
struct EstimatedClass {
    std::string cls;  ///< id of a class that a labelled image has, or that is predicted for one
    std::string name;
    std::string classifier;
    /// Labelled images of the class; nothing if the class of some labelled images is unknown.
    std::optional<std::uint64_t> labels;
    Estimate recall;                     ///< the proportion of its images that are correct
    std::uint64_t predicted_labels = 0;  ///< labelled images of which the class is predicted
    /// Images of the pool of which the class is predicted, without the proportion that people could
    /// not judge; only with a precision.
    std::optional<std::uint64_t> predicted;
    Estimate precision;                 ///< the proportion of these images that are correct
    std::optional<Estimate> corrected;  ///< precision, with options.gold
};
struct PoolEstimate {
    std::filesystem::path study;
    std::string dataset;
    std::uint64_t images = 0, left_out = 0;
    std::uint64_t drawn = 0;
    std::size_t founders = 0;           ///< classifiers that the study began with
    std::uint64_t labels = 0;           ///< drawn images that are used
    std::uint64_t settled = 0;          ///< images whose answers were known before, all used
    std::uint64_t behind_gap = 0;       ///< answered images that follow an unanswered one in the
                                        ///< random order
    std::uint64_t unjudged = 0;         ///< images that nobody can judge
    std::uint64_t answers_ignored = 0;  ///< answers about images that were not drawn, or about
                                        ///< other labels
    /// At how many numbers of labels results were shown without --peek and --stop-at.
    std::uint64_t looks = 0;
    double level = 0.95;
    double quantile = 1.96;
    std::string by;
    std::vector<EstimatedStratum> strata;
    std::vector<EstimatedClassifier> classifiers;
    std::vector<EstimatedPair> pairs;
    std::vector<EstimatedGroup> groups;
    std::vector<EstimatedClass> classes;  ///< with options.per_class
    /// The probabilities that annotators say yes, or no, where it is right; with options.gold.
    std::optional<Estimate> sensitivity, specificity;
    std::string best;                       ///< "": no answers
    std::vector<std::string> not_resolved;  ///< classifiers not distinguished from the best
    std::optional<double> half_width;       ///< the largest half width among those that stop_at
                                            ///< covers
    std::optional<std::uint64_t> labels_needed;
    bool precise_enough = false;
    std::vector<std::string> notes, warnings;
};

/// Records the look in the study. If answers about the labels of classifiers that joined are
/// missing, these classifiers alone use fewer images. Cost: five passes over the stores; ten if
/// classifiers joined. Throws as draw_sample() does. Throws bad_input for answers or gold that
/// cannot be read, and for fewer than 30 settled gold questions of either kind. Throws usage if
/// neither answers nor labels are named, for gold without answers or with labels, if the data set
/// lacks the attribute.
PoolEstimate estimate_pool(const std::filesystem::path& study, const EstimateOptions& options,
                           const ProgressCallback& progress = {});
/// `assay.estimate/1`. The csv has a row per classifier, or with per_class per class and
/// classifier.
Report report_of(const PoolEstimate& result);

}  // namespace assay::few_labels
