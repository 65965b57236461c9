#include "evaluate/inspect/near_pairs.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/parallel.h"

namespace assay::inspect {
namespace {

/// The bits of band `band` of `bands`.
std::uint64_t band_mask(int band, int bands) {
    const int begin = 64 * band / bands, end = 64 * (band + 1) / bands;
    return (UINT64_MAX >> (64 - (end - begin))) << begin;
}

}  // namespace

void for_each_near_pair(std::span<const std::uint64_t> hashes, int bits,
                        const std::function<void(std::uint32_t, std::uint32_t, int)>& visit) {
    const int bands = bits + 2;
    std::vector<std::uint64_t> masks;
    for (int b = 0; b < bands; ++b) masks.push_back(band_mask(b, bands));
    std::vector<std::uint32_t> order(hashes.size());
    for (std::size_t first = 0; first < masks.size(); ++first) {
        for (std::size_t second = first + 1; second < masks.size(); ++second) {
            const std::uint64_t key = masks[first] | masks[second];
            /// True if two earlier bands agree, so that the pair was already visited.
            const auto visited = [&](std::uint64_t differ) {
                std::size_t agreeing = 0;
                for (std::size_t b = 0; b < second; ++b) agreeing += (differ & masks[b]) == 0;
                return agreeing > 1;
            };
            std::iota(order.begin(), order.end(), std::uint32_t{0});
            std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                const std::uint64_t one = hashes[a] & key, other = hashes[b] & key;
                return one != other ? one < other : a < b;
            });
            for (std::size_t i = 0; i < order.size(); ++i) {
                throw_if_stopped();
                const std::uint64_t hash = hashes[order[i]];
                for (std::size_t j = i + 1; j < order.size(); ++j) {
                    const std::uint64_t differ = hash ^ hashes[order[j]];
                    if ((differ & key) != 0) break;
                    const int distance = std::popcount(differ);
                    if (distance <= bits && !visited(differ)) visit(order[i], order[j], distance);
                }
            }
        }
    }
}

}  // namespace assay::inspect
