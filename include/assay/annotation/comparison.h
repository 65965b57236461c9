// Compares the decisions from votes with a reference: published label sets or experts' votes.
//
// Q questions. For each question, the reference says whether its label fits, or it has no answer.
// "Accept" means that the label is kept.
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
    std::vector<std::int8_t> of_question;  ///< Q: 1 accept, 0 reject, -1 unknown
    /// Items with a reference label that no question was about. Their sets never count as
    /// equal.
    std::vector<char> beyond;
};
/// Accepts the labels in an item's set and rejects all others. `built` gives the questions'
/// meanings. Questions about other items and classes, and about items that nobody annotated (which
/// have their original labels), have no reference.
ReferenceDecisions reference_of(const BuiltLabelSets& built, const LabelSets& sets);
/// Experts' votes: a label is accepted if their answers are worth more than half. Questions that
/// they were not asked have no reference. Which-class votes accept the class with the most votes,
/// and reject every other class of the image.
ReferenceDecisions reference_of(const BuiltLabelSets& built, const Votes& experts,
                                const Dataset& dataset, const ClassList& classes);

/// Values over the questions with a reference, and over the items with such a question.
struct LabelSetComparison {
    std::uint64_t both_accept = 0, only_first = 0, only_second = 0, both_reject = 0;
    Measurement agreement;       ///< proportion of equal decisions (Wilson)
    Estimate precision;          ///< of the kept labels, the proportion that the reference accepts;
                                 ///< Wilson
    Estimate recall;             ///< of the labels that the reference accepts, the proportion kept;
                                 ///< Wilson
    std::uint64_t items = 0;     ///< annotated items with a reference for at least one question
    std::uint64_t same_set = 0;  ///< all of its questions decided the same, and no label beyond
                                 ///< them
};
LabelSetComparison compare_label_sets(const BuiltLabelSets& built,
                                      const ReferenceDecisions& reference, double level = 0.95);
LabelSetComparison compare_label_sets(const BuiltLabelSets& built, const LabelSets& second,
                                      double level = 0.95);

/// The comparison that results from keeping every label with at least `threshold`.
struct ThresholdPoint {
    double threshold = 0;
    std::uint64_t kept = 0;         ///< questions
    std::uint64_t both_accept = 0;  ///< kept questions that the reference accepts
    std::uint64_t alike = 0;        ///< equal decisions, kept or not
    std::uint64_t same_set = 0;     ///< items
};
struct ThresholdCurve {
    std::uint64_t questions = 0;  ///< questions with a reference
    std::uint64_t accepted = 0;   ///< questions that the reference accepts
    std::uint64_t items = 0;
    std::vector<ThresholdPoint> points;  ///< one per distinct posterior, in descending order

    Estimate precision(const ThresholdPoint& point, double level) const;
    Estimate recall(const ThresholdPoint& point, double level) const;
    Estimate agreement(const ThresholdPoint& point, double level) const;
    Estimate same_sets(const ThresholdPoint& point, double level) const;
    /// The point with the lowest threshold that is at least `threshold`. nullptr if no label is
    /// kept.
    const ThresholdPoint* at(double threshold) const;
    /// The point with the most equal decisions. If several have the most, the one with the highest
    /// threshold. nullptr without points.
    const ThresholdPoint* best_agreement() const;
    /// The point with the most items whose sets are the same.
    const ThresholdPoint* best_sets() const;
};
/// `yes` has Q posteriors or proportions. Questions without answers are never kept, nor are those
/// with 0 in `most` (KeepRule::most; empty allows all). Cost: one sort of the questions.
ThresholdCurve threshold_curve(const Votes& votes, std::span<const double> yes,
                               const BuiltLabelSets& built, const ReferenceDecisions& reference,
                               std::span<const char> most = {});

}  // namespace assay
