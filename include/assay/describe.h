// Fields described once. A table under each struct gives the name, the allowed values and one
// sentence of help for each setting. Command-line options, keys of assay.toml, JSON and the docs
// are generated from that table (docs/architecture.md, "Adding one more").
//
//     struct CropOptions {
//         int side = 224;
//     };
//     template <>
//     inline constexpr auto description<CropOptions> = describe<CropOptions>({
//         field<&CropOptions::side>({.help = "Side of the crop", .min = 1, .unit = "pixels"}),
//     });
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

/// The facts of a table row about a field, in addition to the member's own name, type and default.
struct Facts {
    /// One sentence of help. Help and docs append the range, the default and the unit.
    std::string_view help = {};
    /// The allowed range including both ends, which must be within the range of the type. Whole
    /// numbers up to 2^53 are exact.
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    /// The meaning of 0 or "": "one per core". If the range excludes 0, then 0 and "" are read as
    /// the default.
    std::string_view empty = {};
    std::string_view unit = {};
    /// The member holds the written value times this factor. Users write MiB, and the member holds
    /// bytes.
    std::int64_t times = 1;
    /// The kind of value in help and completion: "N", "FILE" (src/cli/values.cpp). "" chooses by
    /// the type.
    std::string_view value = {};
    /// The name in files and JSON. "" uses the member's name.
    std::string_view name = {};
    /// The long option, without dashes. "" uses the name with - in place of _.
    std::string_view option = {};
    /// More names of the option: "-j,--workers".
    std::string_view also = {};
    /// The name of the field that cannot be set together with this one.
    std::string_view excludes = {};
    /// The separator of the values of a list in one argument. With "", one argument is one value.
    std::string_view separator = ",";
    /// The meaning of the option without a value. With "", the option needs a value.
    std::string_view alone = {};
    /// The factor between the value and what users type: 100 for percentage points.
    double typed = 1;
    /// The group that the field belongs to. An interface may omit whole groups: a loop over batches
    /// has no "gates".
    std::string_view part = {};
};

enum class FieldKind { flag, whole, number, text, path, word };

struct ValueShape {
    FieldKind kind = FieldKind::text;
    bool list = false;
    /// The range of a whole number's type.
    std::int64_t lowest = 0;
    std::uint64_t highest = 0;
    /// Every word that the type allows.
    std::span<const std::string_view> words = {};
    /// The allowed texts, for messages: "full, f16, label". "" allows any text.
    std::string_view allowed = {};
};

/// A row of a description.
struct Field {
    Facts facts;
    std::string_view member;  ///< "max_pixels"
    std::string_view name;    ///< the name in files and JSON
    ValueShape shape;
    void (*get)(const void* object, nlohmann::json& out);
    /// Returns false if the value does not have the member's type.
    bool (*set)(void* object, const nlohmann::json& value);
    void (*copy)(const void* from, void* to);
    const void* (*initial)();  ///< an object with the defaults

    /// The command line name, such as "max-pixels".
    std::string option() const;
    /// True if the field belongs to an interface that omits these groups.
    bool is_in(std::initializer_list<std::string_view> without) const;
};

namespace detail {

template <class Pointer>
struct MemberOf;
template <class S, class Value>
struct MemberOf<Value S::*> {
    using Struct = S;
    using Type = Value;
};

/// Returns "max_pixels" for &PredictOptions::max_pixels.
template <auto member>
constexpr std::string_view member_name() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("member = "));
    text = text.substr(0, text.find_first_of(";]"));
    return text.substr(text.rfind("::") + 2);
}

template <class S>
const void* initial_of() {
    static const S object{};
    return &object;
}

void put(nlohmann::json& out, bool value);
void put(nlohmann::json& out, std::int64_t value);
void put(nlohmann::json& out, std::uint64_t value);
void put(nlohmann::json& out, double value);
void put(nlohmann::json& out, std::string_view value);
bool take(const nlohmann::json& value, bool& out);
bool take(const nlohmann::json& value, std::int64_t& out);
bool take(const nlohmann::json& value, std::uint64_t& out);
bool take(const nlohmann::json& value, double& out);
bool take(const nlohmann::json& value, std::string& out);
void put_list(nlohmann::json& out);
nlohmann::json& append(nlohmann::json& list);
/// -1 if the value is no list.
std::ptrdiff_t size_of(const nlohmann::json& list);
const nlohmann::json& entry_of(const nlohmann::json& list, std::size_t i);

}  // namespace detail

/// Writes and reads a type: `to`, `from` and `shape`. This file covers bool, numbers, texts, paths,
/// lists of these, and enums with words. Any other type needs a specialisation next to it.
template <class T>
struct Kind;

/// The words that users type for the values of an enum. Declare an overload next to the enum that
/// returns an array of pairs of value and word.
template <class E>
concept HasWords = std::is_enum_v<E> && requires(E value) {
    words_of(value);
};

template <>
struct Kind<bool> {
    static constexpr ValueShape shape = {.kind = FieldKind::flag};
    static void to(bool value, nlohmann::json& out) { detail::put(out, value); }
    static bool from(const nlohmann::json& value, bool& out) { return detail::take(value, out); }
};
template <class T>
requires std::is_integral_v<T>
struct Kind<T> {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    static constexpr ValueShape shape = {.kind = FieldKind::whole,
                                         .lowest = std::numeric_limits<T>::lowest(),
                                         .highest = std::numeric_limits<T>::max()};
    static void to(T value, nlohmann::json& out) { detail::put(out, Wide{value}); }
    static bool from(const nlohmann::json& value, T& out) {
        Wide wide = 0;
        if (!detail::take(value, wide) || !std::in_range<T>(wide)) return false;
        out = static_cast<T>(wide);
        return true;
    }
};
template <>
struct Kind<double> {
    static constexpr ValueShape shape = {.kind = FieldKind::number};
    static void to(double value, nlohmann::json& out) { detail::put(out, value); }
    static bool from(const nlohmann::json& value, double& out) { return detail::take(value, out); }
};
template <>
struct Kind<std::string> {
    static constexpr ValueShape shape = {.kind = FieldKind::text};
    static void to(const std::string& value, nlohmann::json& out) { detail::put(out, value); }
    static bool from(const nlohmann::json& value, std::string& out) {
        return detail::take(value, out);
    }
};
template <>
struct Kind<std::filesystem::path> {
    static constexpr ValueShape shape = {.kind = FieldKind::path};
    static void to(const std::filesystem::path& value, nlohmann::json& out) {
        detail::put(out, value.string());
    }
    static bool from(const nlohmann::json& value, std::filesystem::path& out) {
        std::string text;
        if (!detail::take(value, text)) return false;
        out = text;
        return true;
    }
};
template <HasWords E>
struct Kind<E> {
    static constexpr auto table = words_of(E{});
    static constexpr auto words = [] {
        std::array<std::string_view, table.size()> out;
        for (std::size_t i = 0; i < table.size(); ++i) out[i] = table[i].second;
        return out;
    }();
    static constexpr ValueShape shape = {.kind = FieldKind::word, .words = words};
    static void to(E value, nlohmann::json& out) {
        for (const auto& row : table) {
            if (row.first == value) detail::put(out, row.second);
        }
    }
    static bool from(const nlohmann::json& value, E& out) {
        std::string text;
        if (!detail::take(value, text)) return false;
        for (const auto& row : table) {
            if (row.second != text) continue;
            out = row.first;
            return true;
        }
        return false;
    }
};
template <class T>
struct Kind<std::vector<T>> {
    static constexpr ValueShape shape = [] {
        ValueShape out = Kind<T>::shape;
        out.list = true;
        return out;
    }();
    static void to(const std::vector<T>& value, nlohmann::json& out) {
        detail::put_list(out);
        for (const T& entry : value) Kind<T>::to(entry, detail::append(out));
    }
    static bool from(const nlohmann::json& value, std::vector<T>& out) {
        const std::ptrdiff_t size = detail::size_of(value);
        std::vector<T> read(size < 0 ? 0 : static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (!Kind<T>::from(detail::entry_of(value, i), read[i])) return false;
        }
        if (size >= 0) out = std::move(read);
        return size >= 0;
    }
};

/// A row that only the description of S accepts.
template <class S>
struct FieldOf {
    Field field;
};

template <auto member>
constexpr auto field(const Facts& facts) {
    using Struct = typename detail::MemberOf<decltype(member)>::Struct;
    using Value = typename detail::MemberOf<decltype(member)>::Type;
    return FieldOf<Struct>{
        {facts, detail::member_name<member>(),
         facts.name.empty() ? detail::member_name<member>() : facts.name, Kind<Value>::shape,
         [](const void* object, nlohmann::json& out) {
             Kind<Value>::to(static_cast<const Struct*>(object)->*member, out);
         },
         [](void* object, const nlohmann::json& value) {
             return Kind<Value>::from(value, static_cast<Struct*>(object)->*member);
         },
         [](const void* from, void* to) {
             static_cast<Struct*>(to)->*member = static_cast<const Struct*>(from)->*member;
         },
         &detail::initial_of<Struct>}};
}

/// The rows of S. A row of another struct does not compile.
template <class S, std::size_t n>
constexpr std::array<Field, n> describe(const FieldOf<S> (&rows)[n]) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::array<Field, n>{rows[i].field...};
    }
    (std::make_index_sequence<n>{});
}

/// The table of a struct: specialised under it.
template <class S>
inline constexpr std::nullptr_t description = nullptr;

template <class S>
concept Described = !std::is_null_pointer_v<std::remove_cv_t<decltype(description<S>)>>;

/// The row of one member. A member without a row does not compile.
template <auto member>
constexpr std::span<const Field> row_of() {
    using Struct = typename detail::MemberOf<decltype(member)>::Struct;
    constexpr std::size_t row = [] {
        std::size_t i = 0;
        while (description<Struct>[i].member != detail::member_name<member>()) ++i;
        return i;
    }();
    return std::span<const Field>(description<Struct>).subspan(row, 1);
}

/// A struct with a description may have rules that involve several fields. Declare an overload
/// `std::string fault_of(const S&)` next to it, which returns "" if nothing is wrong.
template <class S>
concept HasRules = requires(const S& object) {
    { fault_of(object) } -> std::same_as<std::string>;
};

/// Sets a field from JSON or TOML. Returns "" or what is wrong, in words that continue the field's
/// name: "is 300000000; allowed: a whole number from 1 to 178956970". All sources of values share
/// this check of type, range and words. A relative path is relative to `folder`. Without a folder
/// the path is unchanged.
std::string set_field(const Field& field, void* object, const nlohmann::json& value,
                      const std::filesystem::path* folder = nullptr);
/// The same for typed text. For a list, pass all its entries.
std::string set_texts(const Field& field, void* object, std::span<const std::string> texts);

/// Returns text such as "a whole number from 1 to 178956970".
std::string allowed_of(const Field& field);
/// The allowed values of any value with this shape.
std::string allowed_of(const ValueShape& shape);
/// The field in the unit that users type, with its range in that unit.
Field as_typed(Field field);
/// Returns "1 to 178956970", "at least 1", or "" if the row gives no range.
std::string range_of(const Field& field);
/// The help sentence, followed by the allowed values of a text.
std::string help_of(const Field& field);

/// Returns {"max_pixels": 178956970, ...} in the order of the keys.
nlohmann::json json_of_fields(const void* object, std::span<const Field> fields);
/// Lines of an assay.toml with the object's values and an explanation of each, for the docs.
std::string toml_of_fields(const void* object, std::span<const Field> fields);

/// Describes a value that a program set outside its range: "width is 5; allowed: a number from 20
/// to 1000". Returns "" if there is none.
std::string fault_in_fields(const void* object, std::span<const Field> fields);

template <Described S>
auto json_of(const S& object) {
    return json_of_fields(&object, description<S>);
}

template <Described S>
std::string fault_in(const S& object) {
    return fault_in_fields(&object, description<S>);
}

}  // namespace assay
