#include "containers/parquet/schema.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {
namespace {

using Field = ThriftReader::Field;

constexpr std::size_t deepest_schema = 32;

/// The field ConvertedType. Older writers only set this field.
Meaning converted_meaning(std::int32_t type) {
    switch (type) {
        case 0:   // UTF8
        case 4:   // ENUM
        case 19:  // JSON
            return Meaning::text;
        case 5:
            return Meaning::decimal;
        case 6:
            return Meaning::date;
        case 7:
        case 8:
            return Meaning::time;
        case 9:
        case 10:
            return Meaning::timestamp;
        case 11:
        case 12:
        case 13:
        case 14:
            return Meaning::unsigned_integer;
        case 15:
        case 16:
        case 17:
        case 18:
            return Meaning::none;
        default:
            return Meaning::other;
    }
}

/// LogicalType is a union. The number of the union's only field identifies the type.
Meaning logical_meaning(ThriftReader& in) {
    Meaning meaning = Meaning::none;
    in.structure([&](const Field& outer) {
        switch (outer.id) {
            case 1:   // STRING
            case 4:   // ENUM
            case 12:  // JSON
                meaning = Meaning::text;
                break;
            case 5:
                meaning = Meaning::decimal;
                break;
            case 6:
                meaning = Meaning::date;
                break;
            case 7:
                meaning = Meaning::time;
                break;
            case 8:
                meaning = Meaning::timestamp;
                break;
            case 10:
                in.expect(outer, ThriftReader::Type::structure);
                in.structure([&](const Field& field) {
                    if (field.id == 2 && !in.boolean(field)) meaning = Meaning::unsigned_integer;
                });
                break;
            case 11:  // UNKNOWN: only nulls
                break;
            case 15:
                meaning = Meaning::float16;
                break;
            default:
                meaning = Meaning::other;
        }
    });
    return meaning;
}

}  // namespace

SchemaElement read_element(ThriftReader& in) {
    SchemaElement element;
    in.structure([&](const Field& field) {
        switch (field.id) {
            case 1:
                element.type = in.integer32(field);
                break;
            case 3:
                element.repetition = in.integer32(field);
                break;
            case 4:
                element.name = in.text(field);
                break;
            case 2:
                element.length = in.integer32(field);
                break;
            case 5:
                element.children = in.integer32(field);
                break;
            case 6:
                element.meaning = converted_meaning(in.integer32(field));
                break;
            case 7:
                element.scale = in.integer32(field);
                break;
            case 10:  // comes after the converted type and is more precise
                in.expect(field, ThriftReader::Type::structure);
                element.meaning = logical_meaning(in);
                break;
            default:
                break;
        }
    });
    return element;
}

std::vector<Column> leaves_of(const std::vector<SchemaElement>& elements) {
    struct Parent {
        std::int32_t left;  ///< the number of children that still follow
        std::size_t path_size;
        int definition;
        bool repeated;
    };
    std::vector<Column> leaves;
    if (elements.empty() || elements.front().children <= 0) refuse("the schema has no columns");
    std::vector<Parent> parents = {{elements.front().children, 0, 0, false}};
    std::string path;
    for (std::size_t i = 1; i < elements.size(); ++i) {
        while (!parents.empty() && parents.back().left == 0) parents.pop_back();
        if (parents.empty()) refuse("the schema has elements that belong to no parent");
        Parent& parent = parents.back();
        --parent.left;
        const SchemaElement& element = elements[i];
        path.resize(parent.path_size);
        if (!path.empty()) path += '.';
        path += element.name;
        const int definition = parent.definition + (element.repetition != 0 ? 1 : 0);
        const bool repeated = parent.repeated || element.repetition == 2;
        if (element.children > 0) {
            if (parents.size() == deepest_schema)
                refuse(fmt::format("the schema nests deeper than {}", deepest_schema));
            parents.push_back({element.children, path.size(), definition, repeated});
        } else if (element.type) {
            const auto type = static_cast<Physical>(*element.type);
            constexpr std::int32_t longest = 1 << 20;
            if (type == Physical::fixed_bytes && (element.length < 1 || element.length > longest))
                refuse(
                    fmt::format("the values of column `{}` claim {} bytes each; 1 to {} are read",
                                shortened(path), element.length, longest));
            leaves.push_back({path, type, definition, repeated, leaves.size(), parents.size() > 1,
                              element.meaning, element.scale,
                              static_cast<std::uint32_t>(element.length)});
        } else {
            refuse(fmt::format("column `{}` has no type", shortened(path)));
        }
    }
    for (const Parent& parent : parents) {
        if (parent.left != 0) refuse("the schema ends before all of its columns");
    }
    return leaves;
}

}  // namespace assay::parquet
