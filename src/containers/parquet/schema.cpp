#include "containers/parquet/schema.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {
namespace {

constexpr std::size_t deepest_schema = 32;

}  // namespace

SchemaElement read_element(ThriftReader& in) {
    SchemaElement element;
    in.structure([&](const ThriftReader::Field& field) {
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
            case 5:
                element.children = in.integer32(field);
                break;
            default:
                break;
        }
    });
    return element;
}

std::vector<Column> leaves_of(const std::vector<SchemaElement>& elements) {
    struct Parent {
        std::int32_t left;  ///< children that are still to come
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
            leaves.push_back(
                {path, static_cast<Physical>(*element.type), definition, repeated, leaves.size()});
        } else {
            refuse(fmt::format("column `{}` has no type", shortened(path)));
        }
    }
    for (const Parent& parent : parents) {
        if (parent.left != 0) refuse("the schema ends before all of its columns are there");
    }
    return leaves;
}

}  // namespace assay::parquet
