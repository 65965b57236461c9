// Parses JSON as a stream of events, for files that are too large for a tree of values.
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

/// The base of classes that receive events. The readers below refuse damaged text themselves.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
public:
    bool binary(binary_t&) override { return false; }  // JSON text has no binary values
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;  // never called
    }
};

/// Passes the text's events to `events`, which decides what it keeps. The limits and errors are
/// those of parse_json, except for the number of values. Messages about damage and limits begin
/// with `source` and a colon, if it is not empty.
void read_json_events(std::string_view text, int max_depth,
                      nlohmann::json_sax<nlohmann::json>& events, std::string_view source = {});

/// Passes each element of a JSON list and its number from 0 to `visit`, without keeping any. The
/// memory needed is that of the largest element. The limits are those of parse_json, with
/// `max_values` for each element. Throws bad_input as parse_json does, and if the text is no list.
void read_json_elements(
    std::string_view text, int max_depth, std::uint64_t max_values, std::string_view source,
    const std::function<void(nlohmann::json&& element, std::uint64_t number)>& visit);

/// Receives a part's key ("" in a list), the part, and its number from 0.
using JsonPartVisit =
    std::function<void(const std::string& key, nlohmann::json&& part, std::uint64_t number)>;
/// The same for the elements of a list or the members of an object, which is the whole text, or the
/// value of `member` in the outermost object. If that member is absent, visits nothing.
void read_json_parts(std::string_view text, std::string_view member, int max_depth,
                     std::uint64_t max_values, const JsonPartVisit& visit);

/// The outline of a text, which stores none of its values. It has the text's type, and for an
/// object the names and types of its first members. Damage after these members is not detected.
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
