// JSON as a stream of events, for files too large for a tree of their values.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay {

/// Gives the text's events to `events`, under the limits of parse_json but without one on their
/// number: `events` keeps what it wants. Damaged text reaches events.parse_error(), which throws or
/// says false; the limits' own messages begin with `source` and a colon, when it is not empty.
void read_json_events(std::string_view text, int max_depth,
                      nlohmann::json_sax<nlohmann::json>& events, std::string_view source = {});

/// Gives each element of the list that the text is, with its number from 0, to `visit`, and keeps
/// none: the memory is that of the largest. Under the limits of parse_json, `max_values` for each
/// element. Throws bad_input as parse_json does, and where the text is no list.
void read_json_elements(
    std::string_view text, int max_depth, std::uint64_t max_values, std::string_view source,
    const std::function<void(nlohmann::json&& element, std::uint64_t number)>& visit);

}  // namespace assay
