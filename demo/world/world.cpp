#include "demo/world/world.h"

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "demo/world/sets.h"

namespace assay {

using namespace world;

namespace {

constexpr std::array<std::string_view, 3> size_names = {"tiny", "small", "full"};

nlohmann::json branch(std::string_view kind) {
    nlohmann::json children = nlohmann::json::array();
    for (const KindRow& row : kinds()) {
        if (row.parent == kind) children.push_back(branch(row.name));
    }
    for (const ClassRow& row : classes()) {
        if (row.kind == kind) children.push_back({{"class", row.id}});
    }
    return {{"name", kind}, {"children", children}};
}

}  // namespace

WorldSize world_size_named(std::string_view name) {
    for (std::size_t i = 0; i < size_names.size(); ++i) {
        if (size_names[i] == name) return static_cast<WorldSize>(i);
    }
    throw Error(ErrorCode::usage,
                "unknown world size `" + std::string(name) + "`" +
                    suggest(name, std::vector<std::string>(size_names.begin(), size_names.end())));
}

std::string_view name_of(WorldSize size) {
    return size_names.at(static_cast<std::size_t>(size));
}

std::vector<std::string> world_sets() {
    std::vector<std::string> names;
    for (const SetRow& row : set_rows()) names.emplace_back(row.name);
    return names;
}

std::size_t world_set_size(std::string_view set, WorldSize size) {
    return count_of(set_row(set), size);
}

ClassList world_classes() {
    std::vector<std::string> ids;
    for (const ClassRow& row : classes()) ids.emplace_back(row.id);
    return ClassList(std::move(ids));
}

nlohmann::json world_hierarchy() {
    return branch(kinds().front().name);
}

}  // namespace assay
