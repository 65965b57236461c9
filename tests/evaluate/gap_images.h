// Made-up images and answers, added to counts the way the engine does.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/metric/metric.h"
#include "evaluate/gap/state.h"

namespace assay {

struct MadeImage {
    std::uint32_t labels = 1;
    std::uint32_t hits = 0;
    bool top1 = false, real = false, single = true, known = true;
};

/// Image i goes to group i mod group_count.
inline GapState state_of(const LabelStrata& strata, const std::vector<MadeImage>& images,
                         SetAgreement kind = SetAgreement::recall) {
    GapState state = empty_gap_state(strata);
    for (std::size_t i = 0; i < images.size(); ++i) {
        const MadeImage& p = images[i];
        GapFacts facts;
        facts.group = static_cast<std::uint32_t>(i % group_count);
        facts.labels = p.labels;
        facts.stratum = strata.of(p.labels);
        facts.hits = p.hits;
        facts.hits_known = p.known;
        facts.single = p.single;
        facts.top1 = p.single && p.top1;
        facts.real = p.real;
        add_image(state, strata, facts, kind);
    }
    return state;
}

inline void repeat(std::vector<MadeImage>& list, std::size_t times, MadeImage image) {
    list.insert(list.end(), times, image);
}

}  // namespace assay
