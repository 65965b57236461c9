// Reads values from untrusted JSON text. Each value is checked before it is used, and an error
// names the place, the value and what is allowed.
//
//     const nlohmann::json made = parse_json(text, 64);
//     const JsonReader result(made, {"the result", refuse});
//     for (const JsonReader& model : result["models"].entries())
//         names.push_back(model["name"].text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "core/refuse.h"

namespace assay {

/// The name of the text in messages, and the function that refuses it.
struct JsonSource {
    std::string_view whole = "the text";                   ///< for messages: "the request"
    void (*refuse)(std::string message) = &assay::refuse;  ///< throws
};

/// A value and its place in the text: "models[3].score". The value must outlive its reader.
class JsonReader {
public:
    explicit JsonReader(nlohmann::json&& value, const JsonSource& source = {},
                        std::string place = {}) = delete;
    explicit JsonReader(const nlohmann::json& value, const JsonSource& source = {},
                        std::string place = {})
        : value_(&value), source_(source), place_(std::move(place)) {}

    /// Throws, like the functions below, if the value is no object or has no member of that name.
    JsonReader operator[](std::string_view name) const;
    bool has(std::string_view name) const { return object().contains(name); }
    /// Returns nothing if the member is absent or null.
    std::optional<JsonReader> find(std::string_view name) const;
    /// Requires an object that only has these fields. For a misspelled field the error
    /// suggests the nearest name.
    void only(std::initializer_list<std::string_view> names) const;
    /// The entries of a list.
    std::vector<JsonReader> entries(std::size_t most = SIZE_MAX) const;

    /// One entry of a list. The list must have it.
    JsonReader entry(std::size_t place) const;

    const std::string& text(std::size_t most_bytes = SIZE_MAX) const;
    /// A text that is not empty.
    const std::string& name() const;
    std::vector<std::string> texts() const;
    /// Finite.
    double number() const;
    std::uint64_t whole(std::uint64_t low = 0, std::uint64_t high = UINT64_MAX) const;
    std::int64_t integer(std::int64_t low = INT64_MIN, std::int64_t high = INT64_MAX) const;
    bool truth() const;
    const nlohmann::json& object() const;
    const nlohmann::json& list() const;

    const nlohmann::json& json() const { return *value_; }
    const std::string& place() const { return place_; }
    /// Refuses a value: "`models[3].score` is "high"; allowed: a number".
    [[noreturn]] void refuse_as(std::string_view allowed) const;
    /// Refuses a value: "`models[3].score`: there is another".
    [[noreturn]] void refuse(std::string_view why) const;

private:
    std::string shown_place() const;
    [[noreturn]] void fail(std::string message) const;

    const nlohmann::json* value_;
    JsonSource source_;
    std::string place_;
};

}  // namespace assay
