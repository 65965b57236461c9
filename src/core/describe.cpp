#include "assay/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/json_text.h"
#include "core/paths.h"

namespace assay {

namespace detail {

using nlohmann::json;

void put(json& out, bool value) {
    out = value;
}
void put(json& out, std::int64_t value) {
    out = value;
}
void put(json& out, std::uint64_t value) {
    out = value;
}
void put(json& out, double value) {
    out = value;
}
void put(json& out, std::string_view value) {
    out = value;
}
bool take(const json& value, bool& out) {
    if (!value.is_boolean()) return false;
    out = value.get<bool>();
    return true;
}
bool take(const json& value, std::int64_t& out) {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>()))
        return false;
    out = value.get<std::int64_t>();
    return true;
}
bool take(const json& value, std::uint64_t& out) {
    if (!value.is_number_integer()) return false;
    if (!value.is_number_unsigned() && value.get<std::int64_t>() < 0) return false;
    out = value.get<std::uint64_t>();
    return true;
}
bool take(const json& value, double& out) {
    if (!value.is_number()) return false;
    out = value.get<double>();
    return true;
}
bool take(const json& value, std::string& out) {
    if (!value.is_string()) return false;
    out = value.get<std::string>();
    return true;
}
void put_list(json& out) {
    out = json::array();
}
json& append(json& list) {
    return list.emplace_back();
}
std::ptrdiff_t size_of(const json& list) {
    return list.is_array() ? static_cast<std::ptrdiff_t>(list.size()) : -1;
}
const json& entry_of(const json& list, std::size_t i) {
    return list[i];
}

}  // namespace detail

namespace {

using nlohmann::json;

/// Keeps 64-bit integers exact.
using Exact = long double;

Exact exact(const json& number) {
    if (number.is_number_unsigned()) return static_cast<Exact>(number.get<std::uint64_t>());
    if (number.is_number_integer()) return static_cast<Exact>(number.get<std::int64_t>());
    return static_cast<Exact>(number.get<double>());
}

std::string bound_text(double bound) {
    return std::abs(bound) < 1e15 ? fmt::format("{}", bound) : fmt::format("{:.0f}", bound);
}

std::string lowest_of(const Field& field) {
    if (std::isfinite(field.facts.min)) return bound_text(field.facts.min);
    return field.shape.kind == FieldKind::whole ? std::to_string(field.shape.lowest) : "";
}

std::string highest_of(const Field& field) {
    if (std::isfinite(field.facts.max)) return bound_text(field.facts.max);
    return field.shape.kind == FieldKind::whole ? std::to_string(field.shape.highest) : "";
}

bool is_number(const Field& field) {
    return field.shape.kind == FieldKind::whole || field.shape.kind == FieldKind::number;
}

/// True if the value is 0 or "" and the row gives these a meaning.
bool is_empty_value(const Field& field, const json& value) {
    if (field.facts.empty.empty()) return false;
    if (value.is_number()) return !field.shape.list && exact(value) == 0;
    return value.is_string() && value.get_ref<const std::string&>().empty();
}

bool in_range(const Field& field, const json& value) {
    if (!is_number(field)) return true;
    if (!value.is_number()) return false;
    const Exact number = exact(value);
    return std::isfinite(number) && number >= static_cast<Exact>(field.facts.min) &&
           number <= static_cast<Exact>(field.facts.max);
}

/// Shows texts in quotes and numbers without.
std::string shown(const json& value) {
    if (value.is_string()) return "`" + shortened(value.get<std::string>(), 80) + "`";
    if (value.is_number_float() && !std::isfinite(value.get<double>()))
        return fmt::format("{}", value.get<double>());
    return shown_json(value);
}

/// The same check for typed text.
std::string typed(const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    const bool is_number = problem != std::errc::invalid_argument && stop == end;
    return is_number ? text : shown(json(text));
}

/// Adds the word that the user probably meant.
std::string fault_text(const Field& field, const std::string& met) {
    std::string out = fmt::format("is {}; allowed: {}", met, allowed_of(field));
    if (field.shape.kind == FieldKind::word) {
        const std::string_view word = std::string_view(met).substr(met.starts_with('`') ? 1 : 0);
        const std::string near = nearest_name(word.substr(0, word.find('`')),
                                              {field.shape.words.begin(), field.shape.words.end()});
        if (!near.empty()) out += "; did you mean `" + near + "`?";
    }
    return out;
}

/// Checks one value, or one entry of a list. `out` gets the value in the form that the member
/// takes.
std::string check_value(const Field& field, const json& value, const std::filesystem::path* folder,
                        json& out) {
    out = value;
    const auto refused = [&] { return fault_text(field, shown(value)); };
    if (is_number(field)) {
        if (field.shape.kind == FieldKind::whole && !value.is_number_integer()) return refused();
        if (!in_range(field, value)) return refused();
        if (field.facts.times != 1) {
            // The range keeps the product below 2^63.
            if (value.is_number_unsigned()) {
                out = value.get<std::uint64_t>() * static_cast<std::uint64_t>(field.facts.times);
            } else {
                out = value.get<std::int64_t>() * field.facts.times;
            }
        }
        return {};
    }
    if (field.shape.kind == FieldKind::flag) return value.is_boolean() ? std::string() : refused();
    if (!field.shape.allowed.empty()) return {};  // the Kind of this field accepts more than texts
    if (!value.is_string()) return refused();
    if (field.shape.kind == FieldKind::path && folder != nullptr && value != "")
        out = path_from(*folder, value.get<std::string>()).string();
    return {};
}

std::optional<json> whole_from(const std::string& text) {
    const char* const end = text.data() + text.size();
    std::uint64_t large = 0;
    if (const auto [stop, problem] = std::from_chars(text.data(), end, large);
        problem == std::errc() && stop == end)
        return json(large);
    std::int64_t number = 0;
    if (const auto [stop, problem] = std::from_chars(text.data(), end, number);
        problem == std::errc() && stop == end)
        return json(number);
    return {};
}

/// Typed text as JSON would hold it, or nothing if no such value exists.
std::optional<json> json_from(const Field& field, const std::string& text) {
    const char* const end = text.data() + text.size();
    switch (field.shape.kind) {
        case FieldKind::flag:
            if (text != "true" && text != "false") return {};
            return json(text == "true");
        case FieldKind::whole: {
            const std::string_view digits =
                text.starts_with('-') ? std::string_view(text).substr(1) : std::string_view(text);
            // some programs read 010 as 8
            if (digits.size() > 1 && digits.front() == '0') return {};
            return whole_from(text);
        }
        case FieldKind::number: {
            // keeps the spelling that the user typed
            if (const auto whole = whole_from(text)) return whole;
            double number = 0;
            const auto [stop, problem] = std::from_chars(text.data(), end, number);
            if (problem != std::errc() || stop != end || !std::isfinite(number)) return {};
            return json(number);
        }
        case FieldKind::text:
        case FieldKind::path:
        case FieldKind::word:
            return json(text);
    }
    return {};
}

}  // namespace

std::string Field::option() const {
    std::string out(facts.option.empty() ? name : facts.option);
    std::ranges::replace(out, '_', '-');
    return out;
}

bool Field::is_in(std::initializer_list<std::string_view> without) const {
    return std::ranges::find(without, facts.part) == without.end();
}

Field as_typed(Field field) {
    field.facts.min *= field.facts.typed;
    field.facts.max *= field.facts.typed;
    return field;
}

std::string allowed_of(const ValueShape& shape) {
    return allowed_of(Field{{}, {}, {}, shape, nullptr, nullptr, nullptr, nullptr});
}

std::string range_of(const Field& field) {
    const auto [low, high] = std::pair(field.facts.min, field.facts.max);
    if (std::isfinite(high))
        return std::isfinite(low) ? bound_text(low) + " to " + bound_text(high)
                                  : "at most " + bound_text(high);
    return std::isfinite(low) && low != 0 ? "at least " + bound_text(low) : "";
}

std::string allowed_of(const Field& field) {
    std::string out;
    switch (field.shape.kind) {
        case FieldKind::flag:
            return "true, false";
        case FieldKind::whole:
            out = fmt::format("a whole number from {} to {}", lowest_of(field), highest_of(field));
            break;
        case FieldKind::number: {
            const std::string low = lowest_of(field), high = highest_of(field);
            out = "a number";
            if (!low.empty() && !high.empty()) {
                out += fmt::format(" from {} to {}", low, high);
            } else if (!low.empty()) {
                out += " of at least " + low;
            } else if (!high.empty()) {
                out += " of at most " + high;
            }
            break;
        }
        case FieldKind::text:
            out = field.shape.allowed.empty() ? "a text" : std::string(field.shape.allowed);
            break;
        case FieldKind::path:
            out = "a path";
            break;
        case FieldKind::word:
            for (const std::string_view word : field.shape.words)
                out += fmt::format("{}{}", out.empty() ? "" : ", ", word);
            break;
    }
    return field.shape.list ? "a list, each entry " + out : out;
}

std::string help_of(const Field& field) {
    std::string out(field.facts.help);
    if (!field.shape.allowed.empty()) out += fmt::format(": {}", field.shape.allowed);
    return out;
}

std::string set_field(const Field& field, void* object, const json& value,
                      const std::filesystem::path* folder) {
    if (is_empty_value(field, value) && (!is_number(field) || !in_range(field, value))) {
        field.copy(field.initial(), object);
        return {};
    }
    json out;
    if (!field.shape.list) {
        if (std::string fault = check_value(field, value, folder, out); !fault.empty())
            return fault;
    } else {
        out = json::array();
        for (const json& entry : value.is_array() ? value : json::array({value})) {
            if (std::string fault = check_value(field, entry, folder, out.emplace_back());
                !fault.empty())
                return fault;
        }
    }
    return field.set(object, out) ? std::string() : fault_text(field, shown(value));
}

std::string set_texts(const Field& field, void* object, std::span<const std::string> texts) {
    if (texts.size() == 1 && texts.front().empty() && !field.facts.alone.empty()) {
        const std::string alone(field.facts.alone);
        return set_texts(field, object, {&alone, 1});
    }
    json value = json::array();
    for (const std::string& text : texts) {
        const std::optional<json> read = json_from(field, text);
        if (!read) return fault_text(as_typed(field), typed(text));
        value.push_back(*read);
    }
    if (field.facts.typed == 1)
        return set_field(field, object, field.shape.list ? value : value.at(0));
    const json& number = value.at(0);
    if (!in_range(as_typed(field), number)) return fault_text(as_typed(field), shown(number));
    return set_field(field, object, number.get<double>() / field.facts.typed);
}

std::string fault_in_fields(const void* object, std::span<const Field> fields) {
    const json values = json_of_fields(object, fields);
    for (const Field& field : fields) {
        const json& value = values.at(std::string(field.name));
        for (const json& entry : field.shape.list ? value : json::array({value})) {
            if (!is_empty_value(field, entry) && !in_range(field, entry))
                return fmt::format("{} {}", field.name, fault_text(field, shown(entry)));
        }
    }
    return {};
}

json json_of_fields(const void* object, std::span<const Field> fields) {
    json out = json::object();
    for (const Field& field : fields) {
        json& value = out[std::string(field.name)];
        field.get(object, value);
        if (field.facts.times == 1) continue;
        if (value.is_number_unsigned()) {
            value = value.get<std::uint64_t>() / static_cast<std::uint64_t>(field.facts.times);
        } else {
            value = value.get<std::int64_t>() / field.facts.times;
        }
    }
    return out;
}

std::string toml_of_fields(const void* object, std::span<const Field> fields) {
    const json values = json_of_fields(object, fields);
    std::string out;
    for (const Field& field : fields) {
        const std::string line =
            fmt::format("{} = {}", field.name, json_line(values.at(std::string(field.name))));
        std::string about = help_of(field);
        if (!field.facts.empty.empty())
            about += fmt::format(" ({}: {})", is_number(field) ? "0" : "\"\"", field.facts.empty);
        if (const std::string range = range_of(field); !range.empty()) about += "; " + range;
        if (!field.facts.unit.empty()) about += fmt::format("; in {}", field.facts.unit);
        if (field.shape.kind == FieldKind::word) about += "; allowed: " + allowed_of(field);
        out += fmt::format("{:<21} # {}\n", line, about);
    }
    return out;
}

}  // namespace assay
