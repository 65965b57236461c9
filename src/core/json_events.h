// JSON as a stream of events, for files too large for a tree of their values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace assay {

/// Gives the text's events to `events`, under the limits of parse_json but without one on their
/// number: `events` keeps what it wants. Damaged text reaches events.parse_error(), which throws or
/// says false; the limits' own messages begin with `source` and a colon, when it is not empty.
void read_json_events(std::string_view text, int max_depth,
                      nlohmann::json_sax<nlohmann::json>& events, std::string_view source = {});

}  // namespace assay
