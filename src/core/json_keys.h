// A JSON object, or a table of an assay.toml, whose keys are taken one by one. So no key is
// silently ignored.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "core/refuse.h"

namespace assay {

/// A key that was never taken is an error at the end. Keys may be spelled with - or _.
class Keys {
public:
    /// `where` names the object in messages; "" means the file itself. Paths are relative to
    /// `folder`.
    Keys(const nlohmann::json& table, std::string where, std::filesystem::path folder = {});

    bool has(const std::string& key) const { return table_.contains(written(key)); }
    /// Takes a value of exactly this type: a whole number accepts no fraction, and a number accepts
    /// no boolean.
    template <class T>
    T take(const std::string& key, T fallback) {
        const nlohmann::json::iterator found = find(key);
        if (found == table_.end()) return fallback;
        T value{};
        if (!Kind<T>::from(*found, value)) refuse_value(found.key(), *found, Kind<T>::shape);
        table_.erase(found);
        return value;
    }
    /// Takes a value of any type; null when absent.
    nlohmann::json take_any(const std::string& key);
    /// Takes the described fields that are present, except those of the groups in `without`. Throws
    /// bad_input with the faults that set_field() or fault_of() finds, and for two fields that
    /// exclude each other.
    template <Described S>
    void take(S& object, std::initializer_list<std::string_view> without = {}) {
        take_fields(&object, description<S>, without);
        if constexpr (HasRules<S>) {
            if (const std::string fault = fault_of(object); !fault.empty())
                refuse(table_name() + ": " + fault);
        }
    }
    /// Takes one value or a list of values.
    template <class T>
    std::vector<T> take_list(const std::string& key) {
        const auto found = table_.find(written(key));
        if (found != table_.end() && !found->is_array()) return {take<T>(key, {})};
        return take<std::vector<T>>(key, {});
    }
    /// Takes a path relative to the file's folder; "" when absent.
    std::filesystem::path take_path(const std::string& key);
    const nlohmann::json& rest() const { return table_; }
    void nothing_left() const;

private:
    std::string table_name() const { return where_.empty() ? "the file" : where_; }
    std::string place(const std::string& key) const {
        return where_.empty() ? key : where_ + "." + key;
    }
    nlohmann::json::iterator find(const std::string& key);
    [[noreturn]] void refuse_value(const std::string& key, const nlohmann::json& value,
                                   const ValueShape& shape) const;
    /// The key as the table spells it. Throws bad_input if both spellings are present.
    std::string written(const std::string& key) const;
    void take_fields(void* object, std::span<const Field> fields,
                     std::initializer_list<std::string_view> without);

    nlohmann::json table_;
    std::string where_;
    std::filesystem::path folder_;
    std::vector<std::string> known_;
};

}  // namespace assay
