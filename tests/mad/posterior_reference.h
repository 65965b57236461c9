// A small competition made from splitmix64 alone, so that its reference numbers can be computed by
// any program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/posterior.h"

namespace assay::mad::reference_test {

inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}
inline std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t h = 0xCBF29CE484222325U;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    return h;
}

/// The first `k` images on which each pair of `m` classifiers differs, among `n` images. All pairs
/// use one order. With `by_pair`, each has its own order.
inline AnsweredPlaces small_reference(std::uint64_t seed, std::uint32_t m, std::uint64_t n,
                                      std::size_t k, bool by_pair) {
    const auto u = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return static_cast<double>(
                   mixed((a + 1) + (b + 1) * 1000003 + (c + 1) * 998244353 + seed * 7919)) /
               18446744073709551616.0;
    };
    const auto label = [&](std::uint32_t c, std::uint64_t i) -> int {
        if (u(c, i, 1) < .35 + .5 * u(i, 2, 2) + .06 * c) return 0;
        return 1 + static_cast<int>(3 * u(c, i, 3));
    };
    AnsweredPlaces out;
    for (std::uint32_t i = 0; i < m; ++i) {
        for (std::uint32_t j = i + 1; j < m; ++j) {
            const auto name = [](std::uint32_t c) { return "m" + std::to_string(c); };
            std::uint64_t key = mixed(seed);
            if (by_pair) key = mixed(key ^ (mixed(fnv1a(name(i))) + mixed(fnv1a(name(j)))));
            std::vector<std::uint64_t> images;
            for (std::uint64_t x = 0; x < n; ++x)
                if (label(i, x) != label(j, x)) images.push_back(x);
            std::sort(images.begin(), images.end(), [&](std::uint64_t a, std::uint64_t b) {
                return mixed(a ^ key) < mixed(b ^ key);
            });
            images.resize(std::min(images.size(), k));
            const auto pair = static_cast<std::uint32_t>(out.pairs.size());
            out.pairs.push_back({i, j, images.size()});
            for (const std::uint64_t x : images)
                out.places.push_back({.pair = pair,
                                      .image = x,
                                      .first = label(i, x) == 0,
                                      .second = label(j, x) == 0});
        }
    }
    return out;
}

}  // namespace assay::mad::reference_test
