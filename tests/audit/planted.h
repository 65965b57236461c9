// Simulated scores of labels, some of which are wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../evaluate/saved_scores.h"
#include "assay/audit/audit.h"
#include "scratch.h"

namespace assay::audit {

inline constexpr std::size_t images = 400, classes = 5;
/// Every fortieth label is wrong, which is 10 of 400.
inline bool is_planted(std::size_t row) {
    return row % 40 == 7;
}
inline std::int32_t wrong_class(std::int32_t truth) {
    return (truth + 2) % static_cast<std::int32_t>(classes);
}

inline Made planted(std::uint64_t seed, double skill) {
    Made made = made_up(images, classes, seed, skill);
    for (std::size_t i = 0; i < images; ++i)
        if (is_planted(i)) made.labels[i][0] = wrong_class(made.labels[i][0]);
    return made;
}

inline AuditOptions options_of(const Scratch& folder) {
    AuditOptions options;
    options.stores = {folder / "runs"};
    return options;
}

}  // namespace assay::audit
