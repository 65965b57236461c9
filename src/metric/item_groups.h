// Assigns the items of a data set to resampling groups.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

/// The group (group_places(), below group_count) of every item of a data set with this many items.
/// Memory: one byte per item.
std::vector<std::uint8_t> groups_of_items(std::uint64_t items);

}  // namespace assay
