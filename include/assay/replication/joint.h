// Splits one accuracy drop into two causes: numbers of valid labels, and selection rates.
//
// `gap` reweighs the replication by numbers of labels, `adjust` by selection rates. The two answers
// cannot be added, because images with more labels are also selected less surely. Here both are in
// one sum, over strata g of numbers of labels. A stratum's share of set c's images is pi_c(g), its
// density of selection rates is p_r(s|g), and its accuracy on set 2 is f_g:
//
//     A(c, r) = sum_g pi_c(g) integral f_g(s) p_r(s | g) ds
//     drop = [A1 - A(1,1)] + labels + selection
//
//     labels    = mean of A(1,2) - A(2,2) (labels first) and A(1,1) - A(2,1) (labels last)
//     selection = mean of A(2,1) - A(2,2) (selection first) and A(1,1) - A(1,2) (selection last)
//
// Labels and selection are the means over both orders (Shapley 1953). The first part is the
// remainder, a drop at equal numbers of labels and equal rates. A second version uses p(s) p(g | s)
// instead of p(g) p(s | g): its labels part is only their effect at equal rates. The data cannot
// decide between the versions, so both are given; neither is causal. Densities and curves are those
// of penalised_likelihood.h by stratum; A(c, 2) uses the observed accuracies of set 2, so that the
// parts add up. docs/selection-bias.md says how the intervals were tested.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/replication/adjust.h"
#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

/// Parts of a drop; proportions. total = remainder + labels + selection.
struct DropParts {
    Estimate total, remainder, labels, selection;
    Estimate labels_first, labels_last, selection_first, selection_last;
    /// By the second version: labels at equal rates, and everything related to the rates.
    Estimate labels_given_rates, selection_of_rates;
};
inline constexpr std::size_t drop_parts = 10;
/// The parts in the order of DropParts.
inline constexpr std::array<Estimate DropParts::*, drop_parts> drop_members = {
    &DropParts::total,
    &DropParts::remainder,
    &DropParts::labels,
    &DropParts::selection,
    &DropParts::labels_first,
    &DropParts::labels_last,
    &DropParts::selection_first,
    &DropParts::selection_last,
    &DropParts::labels_given_rates,
    &DropParts::selection_of_rates};
ResultType result_type(ResultOf<DropParts>);

/// Images with this number of valid labels. Rates are mean readings; accuracies, means over models.
struct LabelStratum {
    std::string labels;  ///< "1", "2", "4 and more"
    std::size_t first_images = 0, second_images = 0;
    double first_accuracy = 0, second_accuracy = 0;
    double first_rate = 0, second_rate = 0;
    double above = 0;  ///< share of set 1's density above the 99th percentile of set 2's
};
ResultType result_type(ResultOf<LabelStratum>);

struct JointReport {
    std::string undefined;  ///< why there is no decomposition (then all else is empty), or ""
    std::vector<DropParts> classifiers;
    DropParts mean;
    std::vector<LabelStratum> strata;
    std::vector<std::string> warnings;
};
/// The JSON of a report whose classifiers have these names.
struct NamedJointReport {
    const JointReport* joint;
    const std::vector<std::string>* names;
};
ResultType result_type(ResultOf<NamedJointReport>);

/// The default of `pool_above`.
inline constexpr std::uint32_t usual_pool_above = 3;
/// The sets of `study` must have numbers of labels; images without a number are excluded. Numbers
/// above `pool_above` are one stratum. Images without a valid label are a stratum if both sets have
/// enough of them, else they are excluded. The result is undefined if a stratum has fewer than 75
/// images in either set. It is also undefined if, in either set, its readings are all 0 or all n,
/// or a classifier has no hit or no miss. With one stratum, `labels` is 0 and the other parts are
/// those of `adjust` by "pl". Cost: that of `adjust` by "pl" for each stratum, and 10 additions for
/// each image and classifier.
JointReport joint_decomposition(const Study& study, const AdjustOptions& options,
                                std::uint32_t pool_above);

/// The parts of the mean as two sentences; "" if they are undefined.
std::string drop_sentence(const JointReport& report);

}  // namespace assay::replication
