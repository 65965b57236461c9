#include "evaluate/eval/hash_order.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "core/hash.h"

namespace assay::evaluate {

std::uint64_t hash_of_id(std::string_view id) {
    const std::string text = hash_text(id);  // "xxh128:" and 32 digits
    const char* const begin = text.data() + text.find(':') + 1;
    std::uint64_t hash = 0;
    std::from_chars(begin, begin + 16, hash, 16);
    return hash;
}

std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    const auto add = [&](std::uint32_t item) {
        keyed.emplace_back(hash_of_id(dataset.ids[item]), item);
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
