// Made-up pictures and answers, added to counts the way the engine does.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/metric.h"
#include "rank/gap_state.h"

namespace assay {

struct MadePicture {
    std::uint32_t labels = 1;
    std::uint32_t hits = 0;
    bool top1 = false, real = false, single = true, known = true;
};

/// Picture i goes to group i mod group_count.
inline GapState state_of(const LabelStrata& strata, const std::vector<MadePicture>& pictures,
                         SetAgreement kind = SetAgreement::recall) {
    GapState state = empty_gap_state(strata);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const MadePicture& p = pictures[i];
        GapFacts facts;
        facts.group = static_cast<std::uint32_t>(i % group_count);
        facts.labels = p.labels;
        facts.stratum = strata.of(p.labels);
        facts.hits = p.hits;
        facts.hits_known = p.known;
        facts.single = p.single;
        facts.top1 = p.single && p.top1;
        facts.real = p.real;
        add_picture(state, strata, facts, kind);
    }
    return state;
}

inline void repeat(std::vector<MadePicture>& list, std::size_t times, MadePicture picture) {
    list.insert(list.end(), times, picture);
}

}  // namespace assay
