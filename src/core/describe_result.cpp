#include "assay/describe_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/list_columns.h"
#include "core/result_columns.h"

namespace assay {

using nlohmann::json;

namespace {

/// Turns [1, 2] with the keys "first" and "second" into {"first": 1, "second": 2}.
json with_keys(json list, std::span<const std::string_view> keys) {
    if (list.size() != keys.size()) {
        throw Error(ErrorCode::internal,
                    fmt::format("a list of {} has {} keys", list.size(), keys.size()));
    }
    json out = json::object();
    for (std::size_t i = 0; i < keys.size(); ++i) out[std::string(keys[i])] = std::move(list[i]);
    return out;
}

json value_of(const Part& part, const void* object) {
    json value;
    part.get(object, value);
    const PartFacts& facts = part.facts;
    if (value.is_null()) return value;
    if (!facts.inner_keys.empty()) {
        for (json& entry : value) entry = with_keys(std::move(entry), facts.inner_keys);
    }
    return facts.keys.empty() ? value : with_keys(std::move(value), facts.keys);
}

bool says_nothing(const Part& part, const json& value) {
    if (value.is_null()) return true;
    if (part.shape.nullable) return false;
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    if (value.is_structured()) return value.empty();
    return value.is_boolean() ? value == false : value == 0;
}

void put_parts(const ResultType& type, const void* object, json& out) {
    if (!out.is_object()) out = json::object();
    if (!type.facts.schema.empty()) out["schema"] = type.facts.schema;
    for (const Part& part : type.parts) {
        if (part.facts.only_csv) continue;
        json value = value_of(part, object);
        if (part.facts.omitted && says_nothing(part, value)) continue;
        if (part.facts.inlined) {
            if (!value.is_null()) out.update(value);
            continue;
        }
        json& place = part.facts.group.empty() ? out : out[std::string(part.facts.group)];
        place[std::string(part.name)] = std::move(value);
    }
}

/// Takes "interval" from "interval.low" and leaves "low". After the last name it leaves "".
std::string_view take_name(std::string_view& path) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    return name;
}

/// Finds the row that a path begins with. The remaining path leads to a place inside its value.
const Part* part_at(const ResultType& type, std::string_view& path) {
    std::string_view rest = path;
    const std::string_view name = take_name(rest);
    for (const Part& part : type.parts) {
        if (part.facts.inlined && part.shape.type != nullptr) {
            std::string_view inside = path;
            if (part_at(part.shape.type(), inside) != nullptr) return &part;
            continue;
        }
        std::string_view left = rest;
        if (part.facts.group.empty() ? part.name != name
                                     : part.facts.group != name || take_name(left) != part.name)
            continue;
        path = left;
        return &part;
    }
    return nullptr;
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

/// The shape of the value at a path, or nothing if no value can be there.
const ResultShape* shape_at(const ResultType& type, std::string_view path) {
    const Part* part = part_at(type, path);
    if (part == nullptr) return nullptr;
    const ResultShape* shape = &part->shape;
    for (const auto keys : {part->facts.keys, part->facts.inner_keys}) {
        if (keys.empty() || path.empty()) continue;
        if (shape->entry == nullptr || !contains(keys, take_name(path))) return nullptr;
        shape = shape->entry;
    }
    if (path.empty()) return shape;
    if (shape->type != nullptr) return shape_at(shape->type(), path);
    if (shape->kind == ResultShape::Kind::json) return shape;
    return shape->kind == ResultShape::Kind::map && path.find('.') == std::string_view::npos
               ? shape->entry
               : nullptr;
}

std::vector<ResultColumn> columns_in(const ResultType& type) {
    std::vector<ResultColumn> out;
    for (std::string_view left = type.facts.columns; !left.empty();) {
        const std::size_t comma = std::min(left.find(','), left.size());
        std::string_view entry = left.substr(0, comma);
        left.remove_prefix(std::min(comma + 1, left.size()));
        const bool every_part = entry.ends_with('*');
        if (every_part) entry.remove_suffix(1);
        const std::size_t equal = entry.find('=');
        ResultColumn column{
            .column = entry.substr(0, equal),
            .path = equal == std::string_view::npos ? entry : entry.substr(equal + 1),
            .every_part = every_part};
        column.inside = column.path;
        column.part = part_at(type, column.inside);
        out.push_back(column);
    }
    return out;
}

/// The shape of the values in a column, or nothing if no value can be there.
const ResultShape* shape_of(const ResultType& type, const ResultColumn& column) {
    if (!column.is_of_list()) return shape_at(type, column.path);
    const Part* part = column.part;
    if (part == nullptr || part->shape.kind != ResultShape::Kind::list) return nullptr;
    const ResultShape* entry = part->shape.entry;
    const auto inside = [&](std::string_view field) {
        return field.empty()            ? entry
               : entry->type != nullptr ? shape_at(entry->type(), field)
                                        : nullptr;
    };
    return inside(column.field()) == nullptr ? nullptr : inside(column.inside);
}

/// Collects a type and all types that it contains.
void collect(const ResultType& type, std::vector<ResultType>& out) {
    const auto same = [&](const ResultType& other) {
        return other.parts.data() == type.parts.data();
    };
    if (std::ranges::any_of(out, same)) return;
    out.push_back(type);
    for (const Part& part : type.parts) {
        if (part.facts.only_csv || !part.facts.script.empty()) continue;
        for (const ResultShape* shape = &part.shape; shape != nullptr; shape = shape->entry) {
            if (shape->type != nullptr) collect(shape->type(), out);
        }
    }
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Interval interval_of(const json& made) {
    return {made.at("low"), made.at("high"), made.at("level"), made.at("method")};
}

/// Makes an estimate from its JSON.
Estimate estimate_of(const json& made) {
    Estimate out;
    if (!made.at("value").is_null()) out.value = made.at("value").get<double>();
    out.undefined = made.value("undefined", "");
    for (const Unit unit : {Unit::proportion, Unit::nats, Unit::rank}) {
        if (made.value("unit", "") == name_of(unit)) out.unit = unit;
    }
    out.n = made.at("n");
    if (made.contains("interval")) out.interval = interval_of(made.at("interval"));
    if (made.contains("standard_error")) out.standard_error = made.at("standard_error");
    out.note = made.value("note", "");
    return out;
}

Cell cell_of(const json& value) {
    if (value.is_null()) return {};
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned() || (value.is_number_integer() && value >= 0))
        return Count{value.get<std::uint64_t>()};
    if (value.is_number()) return Number{value.get<double>()};
    if (value.is_object() && value.contains("value") && value.contains("n"))
        return estimate_of(value);
    std::string text;  // "bins=15 edges=left_closed", "a b"
    for (const auto& [key, entry] : value.items()) {
        if (!text.empty()) text += ' ';
        text += (value.is_object() ? key + "=" : "") + text_of(entry);
    }
    return text;
}

const json* value_at(const json& value, std::string_view path) {
    const json* at = &value;
    while (!path.empty()) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(std::string(take_name(path)));
        if (found == at->end()) return nullptr;
        at = &*found;
    }
    return at;
}

/// Makes "subgroup2_v1" from "subgroup{labels}_v1".
std::string column_of_entry(const ResultColumn& column, const json& entry, std::size_t place) {
    const std::string_view name = column.column;
    const json* field = column.field().empty() ? nullptr : value_at(entry, column.field());
    return fmt::format("{}{}{}", name.substr(0, name.find('{')),
                       field == nullptr ? std::to_string(place) : text_of(*field),
                       name.substr(name.find('}') + 1));
}

/// Calls visit(column, its value or nullptr, the entry of a list or nullptr, its place). Without an
/// object, the values are null and columns of lists are skipped.
template <class Visit>
void each_column(std::span<const ResultColumn> columns, const void* object, Visit&& visit) {
    // Columns of the same description row are adjacent, so its value is computed
    // once.
    const Part* last = nullptr;
    json value;
    for (std::size_t c = 0, end = 0; c < columns.size(); c = end) {
        const Part* part = columns[c].part;
        if (part != nullptr && part != last && object != nullptr) value = value_of(*part, object);
        last = part;
        end = c + 1;
        if (!columns[c].is_of_list()) {
            visit(columns[c], value_at(value, columns[c].inside), nullptr, 0);
            continue;
        }
        while (end < columns.size() && columns[end].is_of_list() && columns[end].part == part)
            ++end;
        for (std::size_t i = 0; i < value.size(); ++i) {
            for (const ResultColumn& column : columns.subspan(c, end - c))
                visit(column, value_at(value[i], column.inside), &value[i], i + 1);
        }
    }
}

}  // namespace

namespace detail {

void put_fields(ResultType (*type)(), const void* object, json& out) {
    put_parts(type(), object, out);
}
void put_json(json& out, const json& value) {
    out = value;
}
void put_null(json& out) {
    out = nullptr;
}
void put_map(json& out) {
    out = json::object();
}
json& entry_of(json& map, const std::string& key) {
    return map[key];
}

}  // namespace detail

json json_of_result(const ResultType& type, const void* object) {
    json out;
    put_parts(type, object, out);
    return out;
}

ResultColumns::ResultColumns(const ResultType& type) : columns_(columns_in(type)) {}

void ResultColumns::add_cells(std::vector<Cell>& cells, const void* object) const {
    each_column(columns_, object,
                [&](const ResultColumn&, const json* value, const json*, std::size_t) {
                    cells.push_back(value == nullptr ? Cell() : cell_of(*value));
                });
}

void add_columns(Table& table, const ResultType& type, const void* object) {
    using Kind = ResultShape::Kind;
    each_column(
        columns_in(type), object,
        [&](const ResultColumn& column, const json*, const json* entry, std::size_t place) {
            const ResultShape* shape = shape_of(type, column);
            if (shape == nullptr) {
                throw Error(ErrorCode::internal,
                            fmt::format("{}: no value is at {}", type.facts.name, column.path));
            }
            const bool text =
                shape->kind == Kind::text || shape->kind == Kind::map || shape->kind == Kind::list;
            table.columns.push_back(
                {.name = entry == nullptr ? std::string(column.column)
                                          : column_of_entry(column, *entry, place),
                 .numbers = !text,
                 .show = column.every_part ? Column::Show::every_part : Column::Show::value});
        });
}

void add_columns(Table& table, const ResultType& type) {
    add_columns(table, type, nullptr);
}

void add_cells(std::vector<Cell>& cells, const ResultType& type, const void* object) {
    ResultColumns(type).add_cells(cells, object);
}

std::vector<ResultType> types_in(std::span<const ResultType> types) {
    std::vector<ResultType> out;
    for (const ResultType& type : types) collect(type, out);
    std::ranges::stable_sort(out, {}, [](const ResultType& type) { return type.facts.name; });
    return out;
}

std::vector<std::string> faults_of(std::span<const ResultType> types) {
    std::vector<std::string> out;
    std::string_view last;
    for (const ResultType& type : types_in(types)) {
        if (type.facts.name == last) out.push_back(fmt::format("{}: two types of this name", last));
        last = type.facts.name;
        for (const ResultColumn& column : columns_in(type)) {
            if (shape_of(type, column) == nullptr)
                out.push_back(fmt::format("{}: column {} leads nowhere: {}", type.facts.name,
                                          column.column, column.path));
        }
        for (const Part& part : type.parts) {
            if (part.name.empty() && !part.facts.inlined)
                out.push_back(fmt::format("{}: a row without a name", type.facts.name));
            if (part.facts.inlined && part.shape.type == nullptr)
                out.push_back(
                    fmt::format("{}: {} has no fields of its own", type.facts.name, part.name));
            const auto same = [&](const Part& other) {
                return !part.name.empty() && other.name == part.name &&
                       other.facts.group == part.facts.group;
            };
            if (std::ranges::count_if(type.parts, same) > 1)
                out.push_back(fmt::format("{}: {} twice", type.facts.name, part.name));
        }
    }
    return out;
}

}  // namespace assay
