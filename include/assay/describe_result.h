// Results described once. One table of rows in the component's source lists what a result's JSON
// contains. JSON, csv columns, the pages' TypeScript types and docs/results.md are generated from
// that table (docs/architecture.md, "Adding one more").
//
//     ResultType result_type(ResultOf<GapLine>) {
//         static constexpr auto rows = describe_result<GapLine>(
//             {.name = "GapLine", .columns = "metric,slope=slope.value,low=slope.interval.low"},
//             {
//                 part<&GapLine::metric>({}),
//                 part<&GapLine::slope>({.help = "Change of the gap per point"}),
//                 part({.name = "models"}, [](const GapLine& line) { return line.points.size(); }),
//             });
//         return rows;
//     }
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/result_type.h"

namespace assay {

/// The JSON type of a value.
struct ResultShape {
    enum class Kind { flag, number, text, object, list, map, json };
    Kind kind = Kind::json;
    bool nullable = false;
    std::span<const std::string_view> words = {};  ///< every word that a text may be
    const ResultShape* entry = nullptr;            ///< entry type of lists and maps
    ResultType (*type)() = nullptr;                ///< type of objects
};

/// The information of a table row about a value, in addition to the member's own name and type.
struct PartFacts {
    /// One sentence without a full stop. "" if the name needs no explanation.
    std::string_view help = {};
    /// The name in JSON. "" uses the member's name.
    std::string_view name = {};
    /// The JSON object that contains the value, if no struct stands for that object: "counts".
    std::string_view group = {};
    /// Its TypeScript type. "" chooses by the C++ type.
    std::string_view script = {};
    /// Omits a value that says nothing: an optional without a value, or a value that is null, "",
    /// [], {}, false or 0.
    bool omitted = false;
    /// Omitted like that, but present in all results that the pages show, so the pages' type
    /// requires it.
    bool usual = false;
    /// The value's own fields replace it in the object. This is for the fields of a base class.
    bool inlined = false;
    /// The value is written to csv only, not to JSON.
    bool only_csv = false;
    /// Writes an array as an object with these keys, and each inner array as an object with the
    /// inner keys.
    std::span<const std::string_view> keys = {}, inner_keys = {};
};

/// A row of a description.
struct Part {
    PartFacts facts;
    std::string_view name;
    ResultShape shape;
    void (*get)(const void* object, nlohmann::json& out);
};

namespace detail {

void put_fields(ResultType (*type)(), const void* object, nlohmann::json& out);
void put_json(nlohmann::json& out, const nlohmann::json& value);
void put_null(nlohmann::json& out);
void put_map(nlohmann::json& out);
nlohmann::json& entry_of(nlohmann::json& map, const std::string& key);

template <class S>
ResultType type_of() {
    return result_type(ResultOf<S>{});
}

constexpr ResultShape shape_of(const ValueShape& shape) {
    switch (shape.kind) {
        case FieldKind::flag:
            return {.kind = ResultShape::Kind::flag};
        case FieldKind::whole:
        case FieldKind::number:
            return {.kind = ResultShape::Kind::number};
        case FieldKind::text:
        case FieldKind::path:
        case FieldKind::word:
            break;
    }
    return {.kind = ResultShape::Kind::text, .words = shape.words};
}

}  // namespace detail

/// An enum with a name_of() but without a words_of(): the described type then allows any text.
template <class E>
concept HasName = std::is_enum_v<E> && !HasWords<E> && requires(E value) {
    name_of(value);
};

/// Writes a type: `to` and `shape`. Numbers, texts, paths and enums with words are written in the
/// same way as settings.
template <class T>
struct ResultKind {
    static constexpr ResultShape shape = detail::shape_of(Kind<T>::shape);
    static void to(const T& value, nlohmann::json& out) { Kind<T>::to(value, out); }
};
template <>
struct ResultKind<float> {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::number};
    static void to(float value, nlohmann::json& out) { detail::put(out, double{value}); }
};
template <>
struct ResultKind<std::string_view> {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::text};
    static void to(std::string_view value, nlohmann::json& out) { detail::put(out, value); }
};
template <>
struct ResultKind<const char*> : ResultKind<std::string_view> {};
template <HasName E>
struct ResultKind<E> {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::text};
    static void to(E value, nlohmann::json& out) { detail::put(out, name_of(value)); }
};
template <>
struct ResultKind<nlohmann::json> {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::json};
    static void to(const nlohmann::json& value, nlohmann::json& out) {
        detail::put_json(out, value);
    }
};
template <IsResult S>
struct ResultKind<S> {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::object,
                                          .type = &detail::type_of<S>};
    static void to(const S& object, nlohmann::json& out) {
        detail::put_fields(&detail::type_of<S>, &object, out);
    }
};

namespace detail {

/// A type that may hold a value or nothing: std::optional, a pointer.
template <class Held, class T>
struct NullableKind {
    static constexpr ResultShape shape = [] {
        ResultShape out = ResultKind<T>::shape;
        out.nullable = true;
        return out;
    }();
    static void to(const Held& value, nlohmann::json& out) {
        value ? ResultKind<T>::to(*value, out) : put_null(out);
    }
};
template <class List, class T>
struct ListKind {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::list,
                                          .entry = &ResultKind<T>::shape};
    static void to(const List& list, nlohmann::json& out) {
        put_list(out);
        for (const T& entry : list) ResultKind<T>::to(entry, append(out));
    }
};
template <class Map, class T>
struct MapKind {
    static constexpr ResultShape shape = {.kind = ResultShape::Kind::map,
                                          .entry = &ResultKind<T>::shape};
    static void to(const Map& map, nlohmann::json& out) {
        put_map(out);
        for (const auto& entry : map)
            ResultKind<T>::to(entry.second, entry_of(out, std::string(entry.first)));
    }
};

}  // namespace detail

template <class T>
struct ResultKind<std::optional<T>> : detail::NullableKind<std::optional<T>, T> {};
template <class T>
struct ResultKind<T*> : detail::NullableKind<T*, std::remove_const_t<T>> {};
template <class T>
struct ResultKind<std::reference_wrapper<const T>> {
    static constexpr ResultShape shape = ResultKind<T>::shape;
    static void to(const T& value, nlohmann::json& out) { ResultKind<T>::to(value, out); }
};
template <class T>
struct ResultKind<std::vector<T>> : detail::ListKind<std::vector<T>, T> {};
template <class T>
struct ResultKind<std::span<const T>> : detail::ListKind<std::span<const T>, T> {};
template <class T, std::size_t n>
struct ResultKind<std::array<T, n>> : detail::ListKind<std::array<T, n>, T> {};
template <class T, class Less>
struct ResultKind<std::map<std::string, T, Less>>
    : detail::MapKind<std::map<std::string, T, Less>, T> {};
template <class T>
struct ResultKind<std::vector<std::pair<std::string, T>>>
    : detail::MapKind<std::vector<std::pair<std::string, T>>, T> {};

/// A row that only the description of S accepts.
template <class S>
struct PartOf {
    Part part;
};

namespace detail {

template <class Function>
struct ReadOf;
template <class F, class S, class Value>
struct ReadOf<Value (F::*)(const S&) const> {
    using Struct = S;
    using Type = std::remove_cvref_t<Value>;
};
template <class S, class Value>
struct MemberOf<Value (S::*)() const> {
    using Struct = S;
    using Type = std::remove_cvref_t<Value>;
};

template <auto first, auto... rest, class Object>
constexpr decltype(auto) reach(const Object& object) {
    if constexpr (std::is_pointer_v<Object>) {
        return reach<first, rest...>(*object);
    } else if constexpr (sizeof...(rest) == 0) {
        return std::invoke(first, object);
    } else {
        static_assert(std::is_member_object_pointer_v<decltype(first)>, "what it returns is gone");
        return reach<rest...>(std::invoke(first, object));
    }
}
template <auto first, auto... rest>
constexpr std::string_view last_name() {
    if constexpr (sizeof...(rest) == 0) {
        return member_name<first>();
    } else {
        return last_name<rest...>();
    }
}

template <class Struct, class Value, class Read>
constexpr PartOf<Struct> part_of(const PartFacts& facts, std::string_view name, Read) {
    return {{facts, name, ResultKind<Value>::shape, [](const void* object, nlohmann::json& out) {
                 ResultKind<Value>::to(Read{}(*static_cast<const Struct*>(object)), out);
             }}};
}

}  // namespace detail

/// A data member, a member function, or a member of a member: <&Gate::text> or <&GateResult::gate,
/// &Gate::text>. Pointers along the way are followed.
template <auto first, auto... rest>
constexpr auto part(const PartFacts& facts) {
    using Struct = typename detail::MemberOf<decltype(first)>::Struct;
    constexpr auto read = [](const Struct& object) -> decltype(auto) {
        return detail::reach<first, rest...>(object);
    };
    using Value = std::remove_cvref_t<std::invoke_result_t<decltype(read), const Struct&>>;
    return detail::part_of<Struct, Value>(
        facts, facts.name.empty() ? detail::last_name<first, rest...>() : facts.name, read);
}
/// A value that a lambda without captures computes from the struct. `facts` must give its name.
template <class Read>
constexpr auto part(const PartFacts& facts, Read read) {
    using Of = detail::ReadOf<decltype(&Read::operator())>;
    return detail::part_of<typename Of::Struct, typename Of::Type>(facts, facts.name, read);
}

template <std::size_t n>
struct ResultRows {
    ResultFacts facts;
    std::array<Part, n> parts;
    /// A reference is safe because the rows are static.
    constexpr operator ResultType() const { return {facts, parts}; }
};

/// The rows of S. A row of another struct does not compile.
template <class S, std::size_t n>
constexpr ResultRows<n> describe_result(const ResultFacts& facts, const PartOf<S> (&rows)[n]) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return ResultRows<n>{facts, {rows[i].part...}};
    }
    (std::make_index_sequence<n>{});
}

/// The types and every type that they contain, sorted by name, each listed once.
std::vector<ResultType> types_in(std::span<const ResultType> types);
ResultType result_type(ResultOf<Interval>);
ResultType result_type(ResultOf<Estimate>);

/// TypeScript interfaces of the types and of every type that they contain, sorted by name.
std::string type_script_of(std::span<const ResultType> types);
/// Markdown tables of the fields: first the types sorted by schema, then the types that they
/// contain sorted by name.
std::string markdown_of(std::span<const ResultType> types);
/// Faults in a description, one line each: two types with the same name, a column that leads
/// nowhere, a repeated name.
std::vector<std::string> faults_of(std::span<const ResultType> types);

}  // namespace assay
