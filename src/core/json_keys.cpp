#include "core/json_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/json_text.h"
#include "core/paths.h"

namespace assay {

using nlohmann::json;

Keys::Keys(const json& table, std::string where, std::filesystem::path folder)
    : table_(table), where_(std::move(where)), folder_(std::move(folder)) {
    if (!table_.is_object()) refuse(table_name() + " must be a table");
}

json Keys::take_any(const std::string& key) {
    const json::iterator found = find(key);
    if (found == table_.end()) return nullptr;
    json value = std::move(*found);
    table_.erase(found);
    return value;
}

std::filesystem::path Keys::take_path(const std::string& key) {
    const auto text = take<std::string>(key, "");
    return text.empty() ? std::filesystem::path() : path_from(folder_, text);
}

void Keys::nothing_left() const {
    for (const auto& [key, value] : table_.items())
        refuse(table_name() + " has an unknown key `" + key + "`" + suggest(key, known_));
}

json::iterator Keys::find(const std::string& key) {
    known_.push_back(key);
    return table_.find(written(key));
}

void Keys::refuse_value(const std::string& key, const json& value, const ValueShape& shape) const {
    refuse(fmt::format("{} is {}; allowed: {}", place(key), shown_json(value), allowed_of(shape)));
}

std::string Keys::written(const std::string& key) const {
    std::string dashes = key, lines = key;
    std::ranges::replace(dashes, '_', '-');
    std::ranges::replace(lines, '-', '_');
    if (dashes == lines) return key;
    const bool with_dashes = table_.contains(dashes);
    if (with_dashes && table_.contains(lines))
        refuse(place(dashes) + " and " + lines + " are the same key; keep one");
    return with_dashes ? dashes : lines;
}

void Keys::take_fields(void* object, std::span<const Field> fields,
                       std::initializer_list<std::string_view> without) {
    std::vector<std::string_view> set;
    for (const Field& field : fields) {
        if (!field.is_in(without)) continue;
        const json::iterator found = find(std::string(field.name));
        if (found == table_.end()) continue;
        if (const std::string fault = set_field(field, object, *found, &folder_); !fault.empty())
            refuse(place(found.key()) + " " + fault);
        if (*found != 0 && *found != "") set.push_back(field.name);
        table_.erase(found);
    }
    for (const Field& field : fields) {
        const auto is_set = [&](std::string_view name) {
            return std::ranges::find(set, name) != set.end();
        };
        if (is_set(field.name) && is_set(field.facts.excludes))
            refuse(
                fmt::format("{}: {} excludes {}", table_name(), field.name, field.facts.excludes));
    }
}

}  // namespace assay
