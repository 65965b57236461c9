// Keys by which images are compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "data/name_hash.h"

namespace assay::audit {

/// One per image; unknown_key if it is not known.
using ImageKeys = std::vector<NameHash>;
inline constexpr NameHash unknown_key{0, 0};

/// Calls visit(first, other) for images with equal keys, with the first one of them in each call.
template <class Key, class Visit>
void for_equal_keys(const std::vector<Key>& keys, const Key& unknown, Visit&& visit) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < keys.size(); ++i)
        if (keys[i] != unknown) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(keys[a], a) < std::tie(keys[b], b);
    });
    for (std::size_t first = 0, i = 1; i < order.size(); ++i) {
        if (keys[order[i]] != keys[order[first]]) {
            first = i;
        } else {
            visit(order[first], order[i]);
        }
    }
}

}  // namespace assay::audit
