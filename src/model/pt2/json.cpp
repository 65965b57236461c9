#include "model/pt2/json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::pt2 {
namespace {

using nlohmann::json;

constexpr int kDeepest = 128;

[[noreturn]] void wrong_kind(const json& value, const char* wanted, const std::string& where) {
    const std::string given =
        value.is_structured() || value.is_null()
            ? value.type_name()
            : shortened(value.dump(-1, ' ', true, json::error_handler_t::replace));
    refuse(fmt::format("{}: {} where {} is wanted", where, given, wanted));
}

/// Puts quotes around Python's words for numbers that JSON does not have; "" when there are none.
std::string with_quoted_words(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inside) {
            if (c == '\\') ++i;
            if (c == '"') inside = false;
            continue;
        }
        if (c == '"') inside = true;
        if (c != 'I' && c != 'N' && c != '-') continue;
        for (const std::string_view word : {"Infinity", "-Infinity", "NaN"}) {
            if (!text.substr(i).starts_with(word)) continue;
            out += text.substr(copied, i - copied);
            out += fmt::format("\"{}\"", word);
            i += word.size() - 1;
            copied = i + 1;
            break;
        }
    }
    if (copied > 0) out += text.substr(copied);
    return out;
}

}  // namespace

json parse_export_json(std::string_view text) {
    const std::string quoted = with_quoted_words(text);
    return parse_json(quoted.empty() ? text : quoted, kDeepest);
}

const json& field(const json& object, const std::string& key, const std::string& where) {
    if (!object.is_object()) wrong_kind(object, "an object", where);
    const auto found = object.find(key);
    if (found == object.end()) refuse(fmt::format("{}: `{}` is missing", where, shortened(key)));
    return *found;
}

const json& array_of(const json& value, const std::string& where) {
    if (!value.is_array()) wrong_kind(value, "a list", where);
    return value;
}

std::string text_of(const json& value, const std::string& where) {
    if (!value.is_string()) wrong_kind(value, "a text", where);
    return value.get<std::string>();
}

std::string text_in(const json& object, const std::string& key, const std::string& where) {
    return text_of(field(object, key, where), where);
}

std::int64_t integer_of(const json& value, const std::string& where) {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max());
    if (!fits) wrong_kind(value, "a whole number", where);
    return value.get<std::int64_t>();
}

double real_of(const json& value, const std::string& where) {
    if (value.is_number()) return value.get<double>();
    if (value == "Infinity") return std::numeric_limits<double>::infinity();
    if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (value == "NaN") return std::nan("");
    wrong_kind(value, "a number", where);
}

bool boolean_of(const json& value, const std::string& where) {
    if (!value.is_boolean()) wrong_kind(value, "true or false", where);
    return value.get<bool>();
}

}  // namespace assay::pt2
