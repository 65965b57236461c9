#include "few_labels/used_sample.h"

namespace assay::few_labels {

UsedSample used_sample(const Sample& sample, const Judgements& said, const Strata& strata) {
    UsedSample out;
    out.strata.resize(strata.size());
    out.unjudged.assign(strata.size(), 0);
    std::vector<bool> gap(strata.size(), false);
    for (std::size_t i = 0; i < sample.images.size(); ++i) {
        const std::uint32_t h = sample.images[i].stratum;
        const Judgement::State state = said.of[i].state;
        if (state == Judgement::State::open) {
            gap[h] = true;
        } else if (gap[h]) {
            ++out.behind_gap;
        } else if (state == Judgement::State::unjudged) {
            ++out.unjudged[h];
            ++out.all_unjudged;
        } else {
            out.images.push_back(i);
            ++out.strata[h].labels;
        }
    }
    for (std::size_t h = 0; h < strata.size(); ++h) {
        StratumSample& one = out.strata[h];
        const double seen = one.labels + static_cast<double>(out.unjudged[h]);
        one.judged = seen > 0 ? one.labels / seen : 1;
        one.images = static_cast<double>(strata.images()[h]) * one.judged;
    }
    return out;
}

}  // namespace assay::few_labels
