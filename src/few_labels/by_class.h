// Recall and precision by class, from a sample and people's answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "few_labels/answers.h"
#include "few_labels/sample.h"
#include "few_labels/target.h"
#include "few_labels/targets.h"
#include "few_labels/used_sample.h"

namespace assay::few_labels {

/// A group or class with fewer labels has no interval.
inline constexpr std::uint64_t least_of_group = 10;

/// An estimate of a target, times `scale` plus `shift`, with its interval at `level`. Undefined if
/// it has no value.
Estimate as_estimate(const TargetEstimate& found, double level, double shift = 0, double scale = 1);
/// Undefined because of `labels`, which are fewer than least_of_group.
Estimate too_few(std::uint64_t labels);

/// The labelled images of each class, by number in the sample (settled images follow the drawn).
struct LabelledClasses {
    /// By true class. Empty if the class of some images is unknown, as with answers of yes and no.
    std::map<std::int32_t, std::vector<std::size_t>> by_truth;
    std::size_t unknown = 0;  ///< number of images whose class is unknown
    /// Number of images by predicted class, for each classifier.
    std::map<std::int32_t, std::vector<std::uint64_t>> by_prediction;

    /// The classes of which some classifier predicts least_of_group images.
    std::vector<std::int32_t> predicted() const;
    /// The number of classes with a recall, and with a precision of some classifier.
    std::size_t estimated() const;
};
/// `images`: judged images of the sample, by number in `said`. Cost: linear in them.
LabelledClasses labelled_classes(std::span<const std::size_t> images, const Sample& sample,
                                 const Judgements& said);

/// What the rows of a study share.
struct ClassInput {
    const Pool& pool;
    const Sample& sample;
    const Judgements& said;
    const UsedSample& used;
    std::size_t settled = 0;  ///< settled images that were judged
    double quantile = 1.96, level = 0.95;
};
/// A row for each class that a labelled image has or that a classifier predicts for one, and each
/// classifier. `of_target` estimates one of `targets`, and `correct` allows for annotators' errors,
/// if their rates are known.
std::vector<EstimatedClass> class_rows(
    const LabelledClasses& classes, const ClassInput& input, const Targets& targets,
    std::span<const Target> all, const std::function<TargetEstimate(const Target&)>& of_target,
    const std::function<std::optional<Estimate>(const TargetEstimate&)>& correct);

}  // namespace assay::few_labels
