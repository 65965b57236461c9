#include "state.h"

#include <algorithm>
#include <cmath>

#include "assay/metric/metric.h"

namespace assay {
namespace {
constexpr double jaccard_scale = 1099511627776.0;  // 2^40: eight million images fit into 63 bits
}

LabelStrata::LabelStrata(std::uint32_t pooled_above, std::vector<std::uint32_t> subgroups)
    : pooled_above_(pooled_above), subgroups_(std::move(subgroups)) {
    for (const std::uint32_t g : subgroups_) {
        if (g > pooled_above_) larger_.push_back(g);
    }
}

std::size_t LabelStrata::of(std::size_t labels) const {
    if (labels <= pooled_above_) return labels;
    const auto found = std::lower_bound(larger_.begin(), larger_.end(), labels);
    const auto place = static_cast<std::size_t>(found - larger_.begin());
    return pooled_above_ + 1 +
           (found != larger_.end() && *found == labels ? place : larger_.size());
}

std::int64_t agreement_units(std::uint32_t hits, std::uint32_t labels, SetAgreement kind) {
    if (kind != SetAgreement::jaccard || labels == 0) return hits;
    return std::llround(jaccard_scale * hits / (2.0 * labels - hits));
}

double mean_agreement(std::int64_t units, std::int64_t n, std::uint32_t labels,
                      std::uint32_t classes, SetAgreement kind) {
    const double mean = static_cast<double>(units) / static_cast<double>(n), g = labels;
    switch (kind) {
        case SetAgreement::jaccard:
            return mean / jaccard_scale;
        case SetAgreement::hamming:
            return 1 - 2 * (g - mean) / classes;
        case SetAgreement::recall:
            break;
    }
    return mean / g;
}

GapState empty_gap_state(const LabelStrata& strata) {
    return GapState(group_count * gap_state_size(strata), 0);
}

void add_image(GapState& state, const LabelStrata& strata, const GapFacts& facts,
               SetAgreement kind) {
    std::int64_t* const at =
        state.data() + facts.group * gap_state_size(strata) + facts.stratum * gap_slots;
    ++at[slot_scored];
    at[slot_single] += facts.single ? 1 : 0;
    at[slot_top1] += facts.top1 ? 1 : 0;
    at[slot_real] += facts.real ? 1 : 0;
    if (facts.hits_known) {
        at[slot_agreement] += agreement_units(facts.hits, facts.labels, kind);
    } else {
        ++at[slot_unknown];
    }
}

}  // namespace assay
