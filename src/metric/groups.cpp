#include <algorithm>
#include <numeric>
#include <utility>

#include "assay/metric/metric.h"
#include "core/random.h"

namespace assay {

std::vector<std::uint16_t> group_places(std::uint64_t stretch, std::uint64_t items) {
    const std::uint64_t first = stretch * group_stretch;
    const std::uint64_t left = items > first ? items - first : 0;
    const auto places = static_cast<std::size_t>(std::min<std::uint64_t>(
        group_stretch, (left + group_count - 1) / group_count * group_count));
    std::vector<std::uint16_t> order(places);
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    RandomStream random(0, "groups", stretch);
    for (std::size_t i = places; i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
    return order;
}

}  // namespace assay
