#include "evaluate/eval/hash_order.h"

#include <algorithm>
#include <utility>

#include "data/name_hash.h"

namespace assay::evaluate {

std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    const auto add = [&](std::uint32_t item) {
        keyed.emplace_back(name_hash(dataset.ids[item]).first, item);
    };
    for (std::uint32_t item = 0; item < dataset.labels.size(); ++item) {
        if (!dataset.labels[item].empty()) add(item);
    }
    if (keyed.empty()) {
        for (std::uint32_t item = 0; item < dataset.size(); ++item) add(item);
    }
    std::ranges::sort(keyed);
    std::vector<std::uint32_t> items;
    items.reserve(keyed.size());
    for (const auto& [hash, item] : keyed) items.push_back(item);
    return items;
}

}  // namespace assay::evaluate
