// The only reader of JSON files that may be hostile. It limits depth and size, refuses repeated
// keys, throws Assay errors, and obeys stop requests. json_events.h reads events instead of a tree.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay {

/// The total number of numbers, texts, lists and objects. A key counts with its value. A tree of
/// that size takes at most about 1 GB. The largest exported programs have a tenth of it.
inline constexpr std::uint64_t most_json_values = std::uint64_t{8} << 20;

/// Parses a whole text. Throws bad_input: not JSON (with the place, see json_damage.h), nested
/// deeper than `max_depth` arrays and objects, a key that appears twice in one object, more than
/// `max_values` values; interrupted. Cost: linear in the text.
nlohmann::json parse_json(std::string_view text, int max_depth,
                          std::uint64_t max_values = most_json_values);

/// The same for one line of a larger text. Its messages give only the column, because the caller
/// knows the number of the line.
nlohmann::json parse_json_line(std::string_view line, int max_depth,
                               std::uint64_t max_values = most_json_values);

}  // namespace assay
