#include "assay/toml.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"

namespace assay {
namespace {

using nlohmann::json;

json to_json(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        json out = json::object();
        for (const auto& [key, value] : *table) out[std::string(key.str())] = to_json(value);
        return out;
    }
    if (const auto* array = node.as_array()) {
        json out = json::array();
        for (const auto& value : *array) out.push_back(to_json(value));
        return out;
    }
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_integer()) return value->get();
    if (const auto* value = node.as_floating_point()) return value->get();
    if (const auto* value = node.as_boolean()) return value->get();
    throw Error(ErrorCode::bad_input, fmt::format("line {} holds a date or time; no setting takes one",
                                                  static_cast<unsigned>(node.source().begin.line)));
}

}  // namespace

json parse_toml(std::string_view text) {
    try {
        return to_json(toml::parse(text));
    } catch (const toml::parse_error& error) {
        const auto at = error.source().begin;
        throw Error(ErrorCode::bad_input,
                    fmt::format("not valid TOML: {} (line {}, column {})", error.description(),
                                static_cast<unsigned>(at.line), static_cast<unsigned>(at.column)));
    }
}

}  // namespace assay
