// One drop, two causes: how many valid labels images have, and how often people select them.
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
// remainder: as many labels, the same rates, and still a drop. A second reading takes p(s) p(g | s)
// in place of p(g) p(s | g): it counts as labels only what they do at equal rates. Nothing in the
// data says which one to take, so both are given; neither is causal. Densities and curves are those
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
    /// By the second reading: labels at equal rates, and all that goes with the rates.
    Estimate labels_given_rates, selection_of_rates;
};
inline constexpr std::size_t drop_parts = 10;
/// In the order of DropParts.
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

/// Images with so many valid labels. Rates are mean readings, accuracies means over classifiers.
struct LabelStratum {
    std::string labels;  ///< "1", "2", "4 and more"
    std::size_t first_images = 0, second_images = 0;
    double first_accuracy = 0, second_accuracy = 0;
    double first_rate = 0, second_rate = 0;
    double above = 0;  ///< share of set 1's density above the 99th percentile of set 2's
};
ResultType result_type(ResultOf<LabelStratum>);

struct JointReport {
    std::string undefined;  ///< "", or why there is no decomposition: then all else is empty
    std::vector<DropParts> classifiers;
    DropParts mean;
    std::vector<LabelStratum> strata;
    std::vector<std::string> warnings;
};
/// Of a report whose classifiers have these names.
struct NamedJointReport {
    const JointReport* joint;
    const std::vector<std::string>* names;
};
ResultType result_type(ResultOf<NamedJointReport>);

/// `pool_above` if nobody gives it.
inline constexpr std::uint32_t usual_pool_above = 3;
/// `study`: its sets have numbers of labels; images without a count are left out. `pool_above`:
/// larger numbers of labels are one stratum. Images without a valid label are a stratum if both
/// sets have enough of them, else they are left out. The result is undefined if a stratum has fewer
/// than 75 images in either set. It is also undefined if, in either set, its readings are all 0 or
/// all n. The same holds if a classifier has no hit or no miss there. With one stratum labels are 0
/// and the other parts those of `adjust` by "pl". Cost: that of `adjust` by "pl" for each stratum,
/// and 10 additions for each image and classifier.
JointReport joint_decomposition(const Study& study, const AdjustOptions& options,
                                std::uint32_t pool_above);

/// The mean's parts as two sentences; "" where they are undefined.
std::string drop_sentence(const JointReport& report);

}  // namespace assay::replication
