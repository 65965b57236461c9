// Tests whether accuracy has changed from one pool of images to another, each with its own study.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/few_labels/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::few_labels {

struct DriftOptions {
    std::vector<std::filesystem::path> old_answers, old_labels, answers, labels;
    std::uint64_t pools = 1;
    std::uint64_t peek = 0;
    double level = 0.95;
    int threads = 0;
};
}  // namespace assay::few_labels

namespace assay {
template <>
inline constexpr auto description<few_labels::DriftOptions> = describe<few_labels::DriftOptions>({
    field<&few_labels::DriftOptions::old_answers>(
        {.help = "Votes about the old images, as `assay labels aggregate` reads them",
         .value = "VOTES"}),
    field<&few_labels::DriftOptions::old_labels>(
        {.help = "Labels of the old images, as `assay score --labels` reads them",
         .value = "LABELS"}),
    field<&few_labels::DriftOptions::answers>({.help = "Votes about the new images",
                                               .value = "VOTES"}),
    field<&few_labels::DriftOptions::labels>({.help = "Labels of the new images",
                                              .value = "LABELS"}),
    field<&few_labels::DriftOptions::pools>(
        {.help = "New pools that you plan to compare with this old one, one after the other",
         .min = 1,
         .max = 10000,
         .value = "N"}),
    field<&few_labels::DriftOptions::peek>(
        {.help = "Intervals that stay valid if you look while labels of the new pool come in; N is "
                 "the number of labels that you plan",
         .value = "N"}),
    field<&few_labels::DriftOptions::level>(
        {.help = "Probability of no false alarm, over all classifiers and pools",
         .min = 0.5,
         .max = 0.9999}),
    field<&few_labels::DriftOptions::threads>({.help = "Threads; they change no result",
                                               .min = 0,
                                               .max = 4096,
                                               .empty = "one per core",
                                               .also = "-j"}),
});
}  // namespace assay

namespace assay::few_labels {

struct ClassifierDrift {
    std::string classifier;
    Estimate before, now;  ///< accuracies on the two pools
    Estimate change;       ///< change of the accuracy on images like those of the pools
    bool alarm = false;    ///< true if the interval of the change excludes 0
};
/// A sign of drift that needs no label, but that also changes for many other reasons than accuracy.
struct DriftSign {
    std::string sign, classifier;  ///< "" means all classifiers
    double before = 0, now = 0;
    double p = 1;  ///< two-sided test of two means, with Holm's correction over the signs
};
struct PoolDrift {
    std::filesystem::path before, now;
    std::uint64_t pools = 1;
    double level = 0.95;
    double change_level = 0.95;  ///< level of each interval, so that classifiers and pools are
                                 ///< covered together
    std::vector<ClassifierDrift> classifiers;
    std::vector<DriftSign> signs;
    bool alarm = false;
    std::vector<std::string> notes, warnings;
};

/// Estimates the change for each classifier that is in both studies, by name. Its interval treats
/// both samples and both pools as independent and random. An interval that excludes 0 is an alarm.
/// Without answers about the new pool there are only signs. Cost: twice that of estimate_pool().
/// Throws as estimate_pool() does; usage if there are no answers about the old pool but some about
/// the new one, or no classifier in both.
PoolDrift estimate_drift(const std::filesystem::path& before, const std::filesystem::path& now,
                         const DriftOptions& options, const ProgressCallback& progress = {});
/// `assay.drift/1`. The csv has a row per classifier.
Report report_of(const PoolDrift& result);

}  // namespace assay::few_labels
