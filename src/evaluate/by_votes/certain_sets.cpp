#include "evaluate/by_votes/certain_sets.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"

namespace assay {

CertainSets::CertainSets(const VotedImages& images, std::size_t model,
                         std::span<const int> subgroups)
    : subgroups_(subgroups), groups_(subgroups.size()), squares_(subgroups.size()) {
    for (std::size_t i = 0; i < images.rows.size(); ++i)
        add(images.thresholded[i], images.best_of(i, model));
}

Estimate CertainSets::value(true_sets::Metric metric, double level) const {
    if (metric == true_sets::Metric::real_metric)
        return wilson_proportion(hits_, labelled_, level, "no image has a valid label");
    Estimate out;
    out.unit = Unit::proportion;
    std::vector<MeanAgreement> means;
    for (std::size_t s = 0; s < groups_.size(); ++s) {
        MeanAgreement mean = groups_[s];
        out.n += mean.n;
        if (mean.n == 0) {
            out.undefined = fmt::format("no image has {} label{}", subgroups_[s],
                                        subgroups_[s] == 1 ? "" : "s");
            return out;
        }
        const auto n = static_cast<double>(mean.n);
        mean.mean /= n;
        if (mean.n > 1)
            mean.variance = std::max(0.0, squares_[s] - n * mean.mean * mean.mean) / (n - 1);
        mean.yes_or_no = subgroups_[s] == 1;
        means.push_back(mean);
    }
    const std::vector<double> weights(means.size(), 1 / static_cast<double>(means.size()));
    out.value = 0;
    for (const MeanAgreement& mean : means) *out.value += mean.mean * weights.front();
    out.interval = weighted_sum_interval(means, weights, level);
    return out;
}

void CertainSets::add(std::span<const std::int32_t> set, std::span<const std::int32_t> best) {
    if (set.empty()) return;
    std::vector<double> pieces(true_sets::piece_count(subgroups_));
    true_sets::add_pieces(set, best, subgroups_, pieces);
    ++labelled_;
    hits_ += pieces[0] > 0 ? 1 : 0;
    for (std::size_t s = 0; s < groups_.size(); ++s) {
        if (pieces[3 + 2 * s] == 0) continue;
        ++groups_[s].n;
        groups_[s].mean += pieces[2 + 2 * s];
        squares_[s] += pieces[2 + 2 * s] * pieces[2 + 2 * s];
    }
}

}  // namespace assay
