// Metrics of label sets, with the sets of the votes taken as certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "evaluate/by_votes/voted_images.h"
#include "metric/agreement.h"

namespace assay {

/// ReaL and ASMA on sets of labels that are taken as certain: counts for ReaL, agreements by number
/// of labels for ASMA. Keeps a reference to `subgroups`.
class CertainSets {
public:
    CertainSets(const VotedImages& images, std::size_t model, std::span<const int> subgroups);
    /// `level`: of the interval. Undefined if no image has a label, or none a number of labels.
    Estimate value(true_sets::Metric metric, double level) const;

private:
    void add(std::span<const std::int32_t> set, std::span<const std::int32_t> best);

    std::span<const int> subgroups_;
    std::uint64_t hits_ = 0, labelled_ = 0;
    std::vector<MeanAgreement> groups_;
    std::vector<double> squares_;
};

}  // namespace assay
