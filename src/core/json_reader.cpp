#include "core/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "assay/error.h"
#include "core/json_text.h"
#include "core/text.h"

namespace assay {

JsonReader JsonReader::operator[](std::string_view name) const {
    const auto found = object().find(name);
    // The name comes from the text and may be long, and a list adds the place of each entry, so it
    // is shortened.
    const std::string shown = shortened(name);
    std::string place = place_.empty() ? shown : fmt::format("{}.{}", place_, shown);
    if (found == value_->end()) fail(fmt::format("`{}` is missing", place));
    return JsonReader(*found, source_, std::move(place));
}

std::optional<JsonReader> JsonReader::find(std::string_view name) const {
    const auto found = object().find(name);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return (*this)[name];
}

void JsonReader::only(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : object().items()) {
        if (std::ranges::find(names, std::string_view(key)) != names.end()) continue;
        const std::string near =
            names.size() == 0 ? "" : suggest(key, {names.begin(), names.end()});
        fail(fmt::format("{} has an unknown field `{}`{}", shown_place(), shortened(key), near));
    }
}

std::vector<JsonReader> JsonReader::entries(std::size_t most) const {
    if (list().size() > most) refuse_as(fmt::format("a list of at most {}", most));
    std::vector<JsonReader> entries;
    entries.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) entries.push_back(entry(i));
    return entries;
}

JsonReader JsonReader::entry(std::size_t place) const {
    return JsonReader(list().at(place), source_, fmt::format("{}[{}]", place_, place));
}

const std::string& JsonReader::text(std::size_t most_bytes) const {
    if (!value_->is_string()) refuse_as("a text");
    const auto& text = value_->get_ref<const std::string&>();
    if (text.size() > most_bytes) refuse_as(fmt::format("a text of at most {} bytes", most_bytes));
    return text;
}

const std::string& JsonReader::name() const {
    const std::string& name = text();
    if (name.empty()) refuse_as("a text that is not empty");
    return name;
}

std::vector<std::string> JsonReader::texts() const {
    std::vector<std::string> texts;
    for (const JsonReader& entry : entries()) texts.push_back(entry.text());
    return texts;
}

double JsonReader::number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse_as("a number");
    return value_->get<double>();
}

std::uint64_t JsonReader::whole(std::uint64_t low, std::uint64_t high) const {
    std::uint64_t number = 0;
    if (!detail::take(*value_, number) || number < low || number > high)
        refuse_as(fmt::format("a whole number from {} to {}", low, high));
    return number;
}

std::int64_t JsonReader::integer(std::int64_t low, std::int64_t high) const {
    std::int64_t number = 0;
    if (!detail::take(*value_, number) || number < low || number > high)
        refuse_as(low == INT64_MIN && high == INT64_MAX
                      ? "a whole number"
                      : fmt::format("a whole number from {} to {}", low, high));
    return number;
}

bool JsonReader::truth() const {
    if (!value_->is_boolean()) refuse_as("true, false");
    return value_->get<bool>();
}

const nlohmann::json& JsonReader::object() const {
    if (!value_->is_object()) refuse_as("an object");
    return *value_;
}

const nlohmann::json& JsonReader::list() const {
    if (!value_->is_array()) refuse_as("a list");
    return *value_;
}

void JsonReader::refuse_as(std::string_view allowed) const {
    fail(fmt::format("{} is {}; allowed: {}", shown_place(), shown_json(*value_), allowed));
}

void JsonReader::refuse(std::string_view why) const {
    fail(fmt::format("{}: {}", shown_place(), why));
}

std::string JsonReader::shown_place() const {
    return place_.empty() ? std::string(source_.whole) : "`" + place_ + "`";
}

void JsonReader::fail(std::string message) const {
    source_.refuse(std::move(message));
    std::terminate();  // the event throws
}

}  // namespace assay
