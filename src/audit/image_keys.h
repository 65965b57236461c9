// Keys by which images are compared, and sets of images that are joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "data/name_hash.h"

namespace assay::audit {

/// One per image; unknown_key if it is not known.
using ImageKeys = std::vector<NameHash>;
inline constexpr NameHash unknown_key{0, 0};

/// Images that are joined: the first one of each set stands for it.
class JoinedImages {
public:
    explicit JoinedImages(std::size_t images) : first_(images) {
        std::iota(first_.begin(), first_.end(), std::uint32_t{0});
    }
    std::uint32_t of(std::uint32_t i) {
        while (first_[i] != i) i = first_[i] = first_[first_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = of(a);
        b = of(b);
        first_[std::max(a, b)] = std::min(a, b);
    }
    std::size_t size() const { return first_.size(); }

private:
    std::vector<std::uint32_t> first_;
};

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
