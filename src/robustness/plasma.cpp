#include "robustness/plasma.h"

#include <algorithm>

namespace assay::robustness {

std::vector<float> plasma(int side, double decay, RandomStream& draws) {
    const auto n = static_cast<std::size_t>(side), mask = n - 1;
    std::vector<float> map(n * n);
    std::vector<std::uint32_t> bits;
    double wobble = 100;
    const auto value = [&](std::size_t y, std::size_t x) {
        return map[(y & mask) * n + (x & mask)];
    };
    for (std::size_t step = n; step >= 2; step /= 2, wobble /= decay) {
        const std::size_t half = step / 2, points = n / step;
        // A uniform draw from [-wobble, wobble), times wobble.
        const auto reach = static_cast<float>(wobble * wobble);
        const auto noise = [reach](std::uint32_t u) {
            return reach * (static_cast<float>(u >> 8U) * 0x1.0p-23F - 1);
        };
        bits.resize(3 * points * points);
        draws.fill(bits);
        auto next = bits.begin();
        for (std::size_t y = 0; y < n; y += step) {
            for (std::size_t x = 0; x < n; x += step) {
                map[(y + half) * n + x + half] = (value(y, x) + value(y + step, x) +
                                                  value(y, x + step) + value(y + step, x + step)) /
                                                     4 +
                                                 noise(*next++);
            }
        }
        for (std::size_t y = 0; y < n; y += step) {
            for (std::size_t x = 0; x < n; x += step) {
                map[y * n + x + half] = (value(y, x) + value(y, x + step) +
                                         value(y + half, x + half) + value(y - half, x + half)) /
                                            4 +
                                        noise(*next++);
                map[(y + half) * n + x] = (value(y, x) + value(y + step, x) +
                                           value(y + half, x + half) + value(y + half, x - half)) /
                                              4 +
                                          noise(*next++);
            }
        }
    }
    const auto [least, most] = std::minmax_element(map.begin(), map.end());
    const float low = *least, range = std::max(*most - low, 1e-30F);
    for (float& v : map) v = (v - low) / range;
    return map;
}

}  // namespace assay::robustness
