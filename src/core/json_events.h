// JSON as a stream of events, for files too large for a tree of their values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// A part's key ("" of a list's), the part, and its number from 0.
using JsonPartVisit =
    std::function<void(const std::string& key, nlohmann::json&& part, std::uint64_t number)>;
/// The same for the elements of a list or the members of an object, which the text is, or which
/// `member` of the object that it is holds; where that is not there, none.
void read_json_parts(std::string_view text, std::string_view member, int max_depth,
                     std::uint64_t max_values, const JsonPartVisit& visit);

/// What a text is before any of it is kept: its type, and of an object its first members' names
/// and types. Damage behind the last of these is not seen.
struct JsonOutline {
    nlohmann::json::value_t type = nlohmann::json::value_t::null;
    std::vector<std::pair<std::string, nlohmann::json::value_t>> members;

    bool has(std::string_view name, nlohmann::json::value_t of_type) const {
        return std::ranges::any_of(
            members, [&](const auto& m) { return m.first == name && m.second == of_type; });
    }
};
JsonOutline json_outline(std::string_view text, int max_depth, std::size_t most_members = 64);

}  // namespace assay
