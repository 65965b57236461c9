#include <algorithm>
#include <numeric>
#include <utility>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "metric/item_groups.h"

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

std::vector<std::uint8_t> groups_of_items(std::uint64_t items) {
    std::vector<std::uint8_t> groups;
    groups.reserve(static_cast<std::size_t>(items));
    for (std::uint64_t stretch = 0; stretch * group_stretch < items; ++stretch) {
        const std::vector<std::uint16_t> places = group_places(stretch, items);
        for (std::size_t j = 0; j < group_stretch && groups.size() < items; ++j)
            groups.push_back(static_cast<std::uint8_t>(places[j] % group_count));
    }
    return groups;
}

}  // namespace assay
