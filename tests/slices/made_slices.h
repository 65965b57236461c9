// Simulated predictions for the tests of slices.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "../evaluate/saved_scores.h"
#include "assay/slices/slices.h"

namespace assay::slices {

/// `rows` images of four classes with random groups (a, b, c) and shapes (x, y). `accuracy` gives
/// the probability that image i is correct.
template <class Accuracy>
Made world(std::size_t rows, std::uint64_t seed, const Accuracy& accuracy) {
    Made made;
    made.classes = 4;
    RandomStream random(seed, "slices");
    for (std::size_t i = 0; i < rows; ++i) {
        made.group.emplace_back(1, static_cast<char>('a' + random.below(3)));
        made.shape.emplace_back(1, static_cast<char>('x' + random.below(2)));
        const auto label = static_cast<std::int32_t>(random.below(4));
        const bool hit = random.uniform() < accuracy(made, i);
        const std::int32_t predicted =
            hit ? label : (label + 1 + static_cast<std::int32_t>(random.below(3))) % 4;
        made.labels.push_back({label});
        for (std::int32_t c = 0; c < 4; ++c)
            made.scores.push_back(c == predicted ? 1 + static_cast<float>(random.uniform()) : 0.F);
    }
    return made;
}

inline SliceOptions options_of(const Scratch& folder) {
    SliceOptions options;
    options.stores = {folder / "runs"};
    return options;
}

inline std::set<std::string> names_of(const SlicedModel& model) {
    std::set<std::string> names;
    for (const FoundSlice& one : model.found) names.insert(one.name);
    return names;
}

inline double low_group(const Made& made, std::size_t i) {
    return made.group[i] == "b" ? 0.6 : 0.9;
}

}  // namespace assay::slices
