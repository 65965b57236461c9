// A JSON object (or a table of an assay.toml) whose keys are taken one by one, so that none is read
// and ignored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay {

/// A value of exactly this type: no fraction for a whole number, nothing out of its range, no truth
/// value for a number. Throws nlohmann::json::exception, or std::out_of_range.
template <class T>
struct StrictJson {
    static T of(const nlohmann::json& value) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (value.is_number_unsigned()) {
                const auto number = value.get<std::uint64_t>();
                if (!std::in_range<T>(number)) throw std::out_of_range("number");
                return static_cast<T>(number);
            }
            if (!value.is_number_integer()) throw std::out_of_range("type");
            const auto number = value.get<std::int64_t>();
            if (!std::in_range<T>(number)) throw std::out_of_range("number");
            return static_cast<T>(number);
        } else {
            if (std::is_floating_point_v<T> && !value.is_number()) throw std::out_of_range("type");
            return value.get<T>();
        }
    }
};
template <class T>
struct StrictJson<std::vector<T>> {
    static std::vector<T> of(const nlohmann::json& value) {
        if (!value.is_array()) throw std::out_of_range("type");
        std::vector<T> list;
        for (const nlohmann::json& entry : value) list.push_back(StrictJson<T>::of(entry));
        return list;
    }
};

/// What is left at the end is an error. A key may be written with - or _.
class Keys {
public:
    /// `where`: what it is, for messages; "": the file itself. `folder`: what paths in it are
    /// relative to.
    Keys(const nlohmann::json& table, std::string where, std::filesystem::path folder = {})
        : table_(table), where_(std::move(where)), folder_(std::move(folder)) {
        if (!table_.is_object()) refuse(table_name() + " must be a table");
    }

    bool has(const std::string& key) const { return table_.contains(written(key)); }
    template <class T>
    T take(const std::string& key, T fallback) {
        known_.push_back(key);
        const auto found = table_.find(written(key));
        if (found == table_.end()) return fallback;
        const auto wrong = [&] {
            refuse(place(found.key()) + " has the value " + shown_json(*found) +
                   ", which is of the wrong type");
        };
        T value{};
        try {
            value = StrictJson<T>::of(*found);
        } catch (const nlohmann::json::exception&) {
            wrong();
        } catch (const std::out_of_range&) {
            wrong();
        }
        table_.erase(found);
        return value;
    }
    /// The fields of the description that are there. Throws bad_input with what set_field() or
    /// fault_of() finds wrong, and two fields that exclude each other.
    template <Described S>
    void take(S& object) {
        take_fields(&object, description<S>);
        if constexpr (HasRules<S>) {
            if (const std::string fault = fault_of(object); !fault.empty())
                refuse(table_name() + ": " + fault);
        }
    }
    /// One value, or a list of them.
    template <class T>
    std::vector<T> take_list(const std::string& key) {
        const auto found = table_.find(written(key));
        if (found != table_.end() && !found->is_array()) return {take<T>(key, {})};
        return take<std::vector<T>>(key, {});
    }
    /// Relative to the file's folder; "" when absent.
    std::filesystem::path take_path(const std::string& key) {
        const auto text = take<std::string>(key, "");
        return text.empty() ? std::filesystem::path() : path_from(folder_, text);
    }
    const nlohmann::json& rest() const { return table_; }
    void nothing_left() const {
        for (const auto& [key, value] : table_.items())
            refuse(table_name() + " has an unknown key `" + key + "`" + suggest(key, known_));
    }

private:
    std::string table_name() const { return where_.empty() ? "the file" : where_; }
    std::string place(const std::string& key) const {
        return where_.empty() ? key : where_ + "." + key;
    }
    /// As the table spells the key. Throws bad_input: both spellings are there.
    std::string written(const std::string& key) const {
        std::string dashes = key, lines = key;
        std::ranges::replace(dashes, '_', '-');
        std::ranges::replace(lines, '-', '_');
        if (dashes == lines) return key;
        const bool with_dashes = table_.contains(dashes);
        if (with_dashes && table_.contains(lines))
            refuse(place(dashes) + " and " + lines + " are the same key; keep one");
        return with_dashes ? dashes : lines;
    }
    void take_fields(void* object, std::span<const Field> fields) {
        std::vector<std::string_view> set;
        for (const Field& field : fields) {
            known_.emplace_back(field.name);
            const auto found = table_.find(written(known_.back()));
            if (found == table_.end()) continue;
            if (const std::string fault = set_field(field, object, *found, &folder_);
                !fault.empty())
                refuse(place(found.key()) + " " + fault);
            if (*found != 0 && *found != "") set.push_back(field.name);
            table_.erase(found);
        }
        for (const Field& field : fields) {
            const auto is_set = [&](std::string_view name) {
                return std::ranges::find(set, name) != set.end();
            };
            if (is_set(field.name) && is_set(field.facts.excludes))
                refuse(table_name() + ": " + std::string(field.name) + " excludes " +
                       std::string(field.facts.excludes));
        }
    }

    nlohmann::json table_;
    std::string where_;
    std::filesystem::path folder_;
    std::vector<std::string> known_;
};

}  // namespace assay
