#include "serve/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "assay/error.h"
#include "core/text.h"
#include "serve/refusal.h"

namespace assay::serve {
namespace {

bool is_letter_or_digit(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return is_letter_or_digit(c) || c == '-' || c == '_';
    });
}

JsonFields::JsonFields(const nlohmann::json& value, std::string place,
                       std::initializer_list<std::string_view> allowed)
    : value_(value), place_(std::move(place)) {
    if (!value.is_object())
        throw Refusal(400, "bad_request",
                      fmt::format("{} is no JSON object",
                                  place_.empty() ? "the request" : "`" + place_ + "`"));
    for (const auto& entry : value.items()) {
        if (std::ranges::find(allowed, std::string_view(entry.key())) != allowed.end()) continue;
        const std::vector<std::string> names(allowed.begin(), allowed.end());
        throw Refusal(400, "bad_request",
                      fmt::format("unknown field `{}`{}", shortened(entry.key()),
                                  names.empty() ? "" : suggest(entry.key(), names)));
    }
}

bool JsonFields::has(std::string_view name) const {
    return value_.contains(name);
}

const nlohmann::json& JsonFields::field(std::string_view name) const {
    const auto found = value_.find(name);
    if (found == value_.end()) refuse_field(name, "it is missing");
    return *found;
}

std::string JsonFields::text(std::string_view name, std::size_t most_bytes) const {
    const nlohmann::json& value = field(name);
    if (!value.is_string()) refuse_field(name, "it is no text");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > most_bytes)
        refuse_field(name, fmt::format("it has more than {} bytes", most_bytes));
    return text;
}

std::string JsonFields::token(std::string_view name) const {
    std::string token = text(name, 64);
    if (!is_token(token)) refuse_field(name, "it is no token");
    return token;
}

bool JsonFields::flag(std::string_view name) const {
    const nlohmann::json& value = field(name);
    if (!value.is_boolean()) refuse_field(name, "it is neither true nor false");
    return value.get<bool>();
}

std::uint64_t JsonFields::number(std::string_view name, std::uint64_t most) const {
    const nlohmann::json& value = field(name);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
        refuse_field(name, fmt::format("it is a whole number from 0 to {}", most));
    return value.get<std::uint64_t>();
}

const nlohmann::json& JsonFields::list(std::string_view name, std::size_t most) const {
    const nlohmann::json& value = field(name);
    if (!value.is_array() || value.size() > most)
        refuse_field(name, fmt::format("it is a list of at most {}", most));
    return value;
}

void JsonFields::refuse_field(std::string_view name, std::string_view why) const {
    throw Refusal(400, "bad_request",
                  fmt::format("`{}{}{}`: {}", place_, place_.empty() ? "" : ".", name, why));
}

}  // namespace assay::serve
