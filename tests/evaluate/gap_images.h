// Simulated images and predictions, which are counted as in the engine.
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

/// Image i belongs to group i mod group_count.
inline GapState state_of(const GapScheme& scheme, const std::vector<MadeImage>& images) {
    GapState state = scheme.empty();
    for (std::size_t i = 0; i < images.size(); ++i) {
        const MadeImage& p = images[i];
        RowFacts facts;
        facts.group = static_cast<std::uint16_t>(i % group_count);
        facts.target = p.single ? 0 : -1;
        facts.rank = p.top1 ? 0 : 1;
        facts.valid = p.labels;
        facts.hits = p.known ? static_cast<std::int32_t>(p.hits) : -1;
        facts.in_set = p.real;
        scheme.add(state, facts);
    }
    return state;
}

inline void repeat(std::vector<MadeImage>& list, std::size_t times, MadeImage image) {
    list.insert(list.end(), times, image);
}

}  // namespace assay
