// Metrics of label sets that treat the sets from votes as certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "evaluate/by_votes/voted_images.h"
#include "metric/agreement.h"

namespace assay {

/// ReaL and ASMA on label sets that are treated as certain: counts for ReaL, agreements by number
/// of labels for ASMA. Keeps a reference to `subgroups`.
class CertainSets {
public:
    CertainSets(const VotedImages& images, std::size_t model, std::span<const int> subgroups);
    /// `level` is the interval's. Undefined if no image has a label, or a subgroup has no image.
    Estimate value(true_sets::Metric metric, double level) const;

private:
    void add(std::span<const std::int32_t> set, std::span<const std::int32_t> best);

    std::span<const int> subgroups_;
    std::uint64_t hits_ = 0, labelled_ = 0;
    std::vector<MeanAgreement> groups_;
    std::vector<double> squares_;
};

}  // namespace assay
