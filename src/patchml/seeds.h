// Lists of seeds in the user's notation.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// Reads "1-5", "7" or "1,2,9", in the given order. Throws usage for no number, a descending range,
/// a repeated seed, more than 1000. (parse_number_list sorts, and only accepts small numbers.)
std::vector<std::uint64_t> parse_seeds(std::string_view text);

}  // namespace assay
