// What votes decided, held against decisions that are known otherwise: published label sets, or
// what experts voted.
//
// Q questions. The reference says of a question whether its label fits, or nothing. "Accept" means
// that the label is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/annotation/aggregate.h"
#include "assay/annotation/votes.h"
#include "assay/data/label_sets.h"
#include "assay/estimate.h"
#include "assay/metric/measurement.h"

namespace assay {

struct ReferenceDecisions {
    std::vector<std::int8_t> of_question;  ///< Q: 1 accept, 0 reject, -1 nothing is said
    /// Items that the reference gives a label nobody was asked about: their set is never the same.
    std::vector<char> beyond;
};
/// A label of an item's set is accepted, every other rejected. `built` says what the questions are
/// about; questions about other items and classes, and about items that nobody annotated (whose
/// original labels stand in), have no reference.
ReferenceDecisions reference_of(const BuiltLabelSets& built, const LabelSets& sets);
/// Experts' votes: a label is accepted where their answers are worth more than half. Questions that
/// they were not asked have no reference. Which-class votes accept the class with the most votes,
/// and reject every other class of the image.
ReferenceDecisions reference_of(const BuiltLabelSets& built, const Votes& experts,
                                const Dataset& dataset, const ClassList& classes);

/// Over the questions that the reference speaks of, and the items with such a question.
struct LabelSetComparison {
    std::uint64_t both_accept = 0, only_first = 0, only_second = 0, both_reject = 0;
    Measurement agreement;       ///< accept or reject alike, Wilson
    Estimate precision;          ///< of the labels kept, those that the reference accepts; Wilson
    Estimate recall;             ///< of the labels that the reference accepts, those kept; Wilson
    std::uint64_t items = 0;     ///< annotated, and the reference speaks of one of its questions
    std::uint64_t same_set = 0;  ///< all of its questions decided alike, nothing beyond them
};
LabelSetComparison compare_label_sets(const BuiltLabelSets& built,
                                      const ReferenceDecisions& reference, double level = 0.95);
LabelSetComparison compare_label_sets(const BuiltLabelSets& built, const LabelSets& second,
                                      double level = 0.95);

/// The comparison that keeping every label with at least `threshold` gives.
struct ThresholdPoint {
    double threshold = 0;
    std::uint64_t kept = 0;         ///< questions
    std::uint64_t both_accept = 0;  ///< of these, accepted by the reference
    std::uint64_t alike = 0;        ///< decided alike, kept or not
    std::uint64_t same_set = 0;     ///< items
};
struct ThresholdCurve {
    std::uint64_t questions = 0;  ///< that the reference speaks of
    std::uint64_t accepted = 0;   ///< of these, by the reference
    std::uint64_t items = 0;
    std::vector<ThresholdPoint> points;  ///< one per distinct posterior, the highest first

    Estimate precision(const ThresholdPoint& point, double level) const;
    Estimate recall(const ThresholdPoint& point, double level) const;
    Estimate agreement(const ThresholdPoint& point, double level) const;
    Estimate same_sets(const ThresholdPoint& point, double level) const;
    /// What `threshold` gives: the lowest point that is not below it. nullptr: it keeps nothing.
    const ThresholdPoint* at(double threshold) const;
    /// The most questions decided alike; of equals the highest threshold. nullptr: no point.
    const ThresholdPoint* best_agreement() const;
    const ThresholdPoint* best_sets() const;  ///< the most items with the same set
};
/// `yes`: posteriors or proportions, Q. Questions that nobody answered are never kept, and none
/// that has 0 in `most` (KeepRule::most; empty: any may be). Cost: one sort of the questions.
ThresholdCurve threshold_curve(const Votes& votes, std::span<const double> yes,
                               const BuiltLabelSets& built, const ReferenceDecisions& reference,
                               std::span<const char> most = {});

}  // namespace assay
