// JSON from files that may be hostile: the one reader of it. Bounded depth and size, no key twice,
// errors of our own, and a request to stop is heard. For events instead of a tree: json_events.h.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay {

/// Numbers, texts, lists and objects together, each key counted with its value. A tree of them
/// takes at most about 1 GB; the largest exported programs have a tenth of that.
inline constexpr std::uint64_t most_json_values = std::uint64_t{8} << 20;

/// Parses a whole text. Throws bad_input: not JSON (with the place), nested deeper than `max_depth`
/// arrays and objects, a key that stands twice in one object, more than `max_values` values;
/// interrupted. Cost: time in proportion to the text.
nlohmann::json parse_json(std::string_view text, int max_depth,
                          std::uint64_t max_values = most_json_values);

}  // namespace assay
