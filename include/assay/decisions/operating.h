// Operating points of a classifier of two classes, and the net benefit of a decision. A threshold
// is chosen on one half of the images and tested on the other, at a prevalence of your own.
//
// An image is called positive if the score of the positive class is at least the threshold. The
// score is the log-odds: the logit of the positive class minus that of the other one. So images
// whose probabilities round to 1 are told apart. In a store of probabilities it is the probability.
// A threshold is reported as a number of few digits that decides the same about all labelled images
// of the store.
//
// Intervals of what combines sensitivity and specificity join Clopper and Pearson's of the two
// (MOVER: Zou and Donner 2008). So they have a width even if either rate is 0 or 1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay::decisions {

struct OperatingOptions {
    std::vector<std::filesystem::path> stores;  ///< RUNS folders, data sets in them, or stores
    std::string positive;
    double specificity = 0, sensitivity = 0;
    double cost_false_positive = 0, cost_false_negative = 0;
    std::string threshold;
    std::filesystem::path costs;  ///< of cost_decisions()
    double prevalence = 0;
    double require = 0;
    std::vector<double> at = {0.05, 0.1, 0.2, 0.3, 0.5};
    double split = 0.5;
    std::uint64_t seed = 0;
    double level = 0.95;
    int threads = 0;
};
}  // namespace assay::decisions

namespace assay {
template <>
inline constexpr auto description<decisions::OperatingOptions> = describe<
    decisions::OperatingOptions>({
    field<&decisions::OperatingOptions::positive>(
        {.help = "The positive class, by id or name", .empty = "class 1", .value = "CLASS"}),
    field<&decisions::OperatingOptions::specificity>(
        {.help = "Choose the threshold of the highest sensitivity with at least this "
                 "specificity",
         .min = 0.0001,
         .max = 0.9999,
         .empty = "0.95, unless another rule is given",
         .excludes = "sensitivity"}),
    field<&decisions::OperatingOptions::sensitivity>(
        {.help = "Choose the threshold of the highest specificity with at least this "
                 "sensitivity",
         .min = 0.0001,
         .max = 0.9999,
         .empty = "not used"}),
    field<&decisions::OperatingOptions::cost_false_positive>(
        {.help = "Choose the threshold of the lowest cost per image: cost of a false positive",
         .min = 0,
         .max = 1e9,
         .empty = "not used"}),
    field<&decisions::OperatingOptions::cost_false_negative>(
        {.help = "The same: cost of a false negative", .min = 0, .max = 1e9, .empty = "not used"}),
    field<&decisions::OperatingOptions::threshold>(
        {.help = "Test this threshold on all images: a probability such as 0.7, or \"log-odds "
                 "21.34\", as `assay decide` prints it",
         .empty = "chosen by a rule",
         .value = "NUMBER"}),
    field<&decisions::OperatingOptions::costs>(
        {.help = "Decide among any number of classes by the lowest expected cost. FILE is a csv "
                 "with a row for each class and a column for each decision (a class, or "
                 "`abstain`)",
         .empty = "not used",
         .value = "FILE"}),
    field<&decisions::OperatingOptions::prevalence>(
        {.help = "Proportion of positives where the classifier is used: for predictive values, "
                 "costs and net benefit",
         .min = 0.000001,
         .max = 0.999999,
         .empty = "that of the images"}),
    field<&decisions::OperatingOptions::require>(
        {.help = "Status 1 if the sensitivity at --specificity (or the specificity at "
                 "--sensitivity) is below",
         .min = 0.0001,
         .max = 1,
         .empty = "no gate"}),
    field<&decisions::OperatingOptions::at>(
        {.help = "Threshold probabilities of the net benefit", .min = 0.0001, .max = 0.9999}),
    field<&decisions::OperatingOptions::split>(
        {.help = "Choose on this proportion of the images, by a hash of their ids, and test on "
                 "the others",
         .min = 0.01,
         .max = 0.99}),
    field<&decisions::OperatingOptions::seed>({.help = "Seed of the hash of the ids"}),
    field<&decisions::OperatingOptions::level>(
        {.help = "Confidence level of the intervals", .min = 0.5, .max = 0.9999}),
    field<&decisions::OperatingOptions::threads>({.help = "Threads; they change no result",
                                                  .min = 0,
                                                  .max = 4096,
                                                  .empty = "one per core",
                                                  .also = "-j"}),
});
}  // namespace assay

namespace assay::decisions {

struct OperatingPoint {
    std::string model, dataset, positive;
    std::string rule;  ///< "specificity >= 0.95", or "threshold 0.7"
    /// Of the probability. Empty if no probability decides so, because those of several images
    /// round to 0 or 1, or if log-odds were given.
    std::optional<double> threshold;
    /// The same threshold. Empty in a store of probabilities, or if a probability was given.
    std::optional<double> log_odds;
    std::uint64_t chosen_on = 0, positives = 0, negatives = 0;  ///< numbers of images and of tested
    double prevalence = 0;
    Estimate sensitivity, specificity;  ///< values on the tested images
    Estimate ppv, npv;                  ///< predictive values at the prevalence
    Estimate cost;                      ///< per image at the prevalence; undefined without costs
    std::optional<bool> passed;         ///< result of `require`
};
/// Net benefit per image: true positives less false positives times threshold / (1 - threshold)
/// (Vickers and Elkin 2006). With a prevalence of one's own, Bayes' rule first moves probabilities
/// from that of the images to it.
struct NetBenefit {
    std::string model, dataset;
    double threshold = 0.5;
    Estimate benefit;         ///< benefit on all images
    double all_positive = 0;  ///< benefit of calling every image positive; calling none has 0
    Estimate sensitivity, specificity;
};
struct OperatingResult {
    double level = 0.95;
    std::vector<OperatingPoint> points;
    std::vector<NetBenefit> benefits;
    std::uint64_t not_scored = 0;  ///< images without scores, which are skipped
    std::uint64_t refused = 0;     ///< stores that cannot be used; a warning says why
    std::vector<std::string> notes, warnings;
};

/// Cost: a pass over the rows and a sort. Throws usage for an option that cannot act. Throws
/// bad_input for stores that do not have two classes, lack probabilities, or are not complete.
/// Throws bad_input for a part without a positive or a negative image, an unknown class, labels
/// that are no class, or log-odds for a store of probabilities. Of several stores, those that
/// cannot be used are skipped with a warning; the error remains if none can be used. A store that
/// cannot be opened is not skipped: its error remains.
OperatingResult operating_points(const OperatingOptions& options,
                                 const ProgressCallback& progress = {});
/// Schema `assay.decide/1`. The csv has a row for each model.
Report report_of(const OperatingResult& result);

}  // namespace assay::decisions
