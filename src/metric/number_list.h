// Reads lists of small whole numbers in forms such as "1-5", "2,3,4,6,9", "1-3,7".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Returns the numbers, ascending and each once. Separators are ',' or blanks. Returns nullopt if
/// the text is empty, not a number, backwards ("5-1"), or outside [low, high].
std::optional<std::vector<int>> parse_number_list(std::string_view text, int low, int high);

/// Returns the shortest such text. Two neighbors are not a range: "1,2,4-6".
std::string number_list_text(std::span<const int> numbers);

}  // namespace assay
