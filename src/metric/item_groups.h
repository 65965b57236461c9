// Which group each item of a data set is resampled with.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

/// The group (group_places(), below group_count) of every item of a data set of so many. Memory: a
/// byte per item.
std::vector<std::uint8_t> groups_of_items(std::uint64_t items);

}  // namespace assay
