// The fields of a JSON object from the network: those that are allowed and no others, each of its
// type. Every fault is a 400 that names the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace assay::serve {

/// 1 to 64 letters, digits, - and _.
bool is_token(std::string_view text);

class JsonFields {
public:
    /// `place` names the object in messages; "" is the request itself. Throws Refusal: no object,
    /// a field that is not among `allowed`.
    JsonFields(const nlohmann::json& value, std::string place,
               std::initializer_list<std::string_view> allowed);

    bool has(std::string_view name) const;
    // They throw Refusal: not there, another type, out of range.
    std::string text(std::string_view name, std::size_t most_bytes) const;
    std::string token(std::string_view name) const;
    bool flag(std::string_view name) const;
    std::uint64_t number(std::string_view name, std::uint64_t most) const;
    const nlohmann::json& list(std::string_view name, std::size_t most) const;

    [[noreturn]] void refuse_field(std::string_view name, std::string_view why) const;

private:
    const nlohmann::json& field(std::string_view name) const;

    const nlohmann::json& value_;
    std::string place_;
};

}  // namespace assay::serve
