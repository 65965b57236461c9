// Lists of seeds as people write them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// "1-5", "7", "1,2,9", in that order. Throws usage: no number, backwards, a seed twice, more than
/// 1000. (parse_number_list sorts, and its numbers are small.)
std::vector<std::uint64_t> parse_seeds(std::string_view text);

}  // namespace assay
