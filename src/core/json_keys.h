// A JSON object (or a table of an assay.toml) whose keys are taken one by one, so that none is read
// and ignored.
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

/// What is left at the end is an error. A key may be written with - or _.
class Keys {
public:
    /// `where`: what it is, for messages; "": the file itself. `folder`: what paths in it are
    /// relative to.
    Keys(const nlohmann::json& table, std::string where, std::filesystem::path folder = {});

    bool has(const std::string& key) const { return table_.contains(written(key)); }
    /// A value of exactly this type: no fraction for a whole number, no truth value for a number.
    template <class T>
    T take(const std::string& key, T fallback) {
        const nlohmann::json::iterator found = find(key);
        if (found == table_.end()) return fallback;
        T value{};
        if (!Kind<T>::from(*found, value)) refuse_value(found.key(), *found, Kind<T>::shape);
        table_.erase(found);
        return value;
    }
    /// Whatever it is; null when absent.
    nlohmann::json take_any(const std::string& key);
    /// The fields of the description that are there, but for those of the parts `without`. Throws
    /// bad_input with what set_field() or fault_of() finds wrong, and two fields that exclude each
    /// other.
    template <Described S>
    void take(S& object, std::initializer_list<std::string_view> without = {}) {
        take_fields(&object, description<S>, without);
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
    /// As the table spells the key. Throws bad_input: both spellings are there.
    std::string written(const std::string& key) const;
    void take_fields(void* object, std::span<const Field> fields,
                     std::initializer_list<std::string_view> without);

    nlohmann::json table_;
    std::string where_;
    std::filesystem::path folder_;
    std::vector<std::string> known_;
};

}  // namespace assay
