// Stores a study's settings as rows of name and value. The last row of a name counts.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assay/describe.h"
#include "core/database.h"

namespace assay {

/// Facts::empty gives the meaning of "".
template <class T>
struct Kind<std::optional<T>> {
    static constexpr ValueShape shape = Kind<T>::shape;
    static void to(const std::optional<T>& value, nlohmann::json& out) {
        if (value) Kind<T>::to(*value, out);
    }
    static bool from(const nlohmann::json& value, std::optional<T>& out) {
        return Kind<T>::from(value, out.emplace());
    }
};

}  // namespace assay

namespace assay::study {

/// The last value of each setting, or with `first` the initial value.
std::map<std::string, std::string> read_settings(const Database& database, bool first = false);
/// The value of a required setting.
const std::string& setting_of(const std::map<std::string, std::string>& text,
                              const std::string& name, const std::string& file);
/// The values of described fields as texts: 0 and 1 for flags, the shortest exact text for numbers,
/// "" for unset fields.
std::map<std::string, std::string> settings_of_fields(const void* object,
                                                      std::span<const Field> fields);
/// Sets fields from such texts. Throws bad_input with file, setting, value and allowed values.
/// Throws usage if `file` is "" because a program set the values.
void take_settings(void* object, std::span<const Field> fields,
                   const std::map<std::string, std::string>& text, const std::string& file);
/// Throws the errors of take_settings().
void refuse_settings(const std::string& fault, const std::string& file);
/// Stores a new value with a decision. Throws bad_input if the value is not a text, or not a path
/// where a path is required.
void write_setting(Database& database, std::string_view name, std::string_view value,
                   std::string_view reason);

}  // namespace assay::study
