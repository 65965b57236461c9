#include "assay/quality/role.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "quality/imagenet_map.h"

namespace assay::quality {
namespace {

constexpr std::array<RoleFacts, role_count> nine_roles{{
    {Role::val, "val", "", 50'000, "clean images of the classifier's classes"},
    {Role::r, "r", "imagenet-r", 30'000, "renditions: ImageNet-R"},
    {Role::sketch, "sketch", "16-class", 800, "sketches of model-vs-human"},
    {Role::stylized, "stylized", "16-class", 800, "Stylized-ImageNet as in model-vs-human"},
    {Role::edge, "edge", "16-class", 160, "edges"},
    {Role::silhouette, "silhouette", "16-class", 160, "filled outlines"},
    {Role::mixed_same, "mixed-same", "in9", 4'050, "IN-9 with a background of the same class"},
    {Role::mixed_rand, "mixed-rand", "in9", 4'050, "IN-9 with a background of a random class"},
    {Role::cue_conflict, "cue-conflict", "16-class", 1'280,
     "the shape of one class with the texture of another"},
}};

}  // namespace

std::optional<ClassMap> map_of_imagenet(std::string_view map, const ClassList& classes) {
    try {
        return class_map_named(map, classes);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

const std::array<RoleFacts, role_count>& role_facts() {
    return nine_roles;
}

Role role_named(std::string_view name) {
    std::vector<std::string> names;
    for (const RoleFacts& facts : nine_roles) {
        if (loose_name(facts.name) == loose_name(trimmed(name))) return facts.role;
        names.emplace_back(facts.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown role `{}`{}; the roles are {}", shortened(name),
                            suggest(name, names), fmt::join(names, ", ")));
}

std::optional<ClassMap> question_of(Role role, const Dataset& dataset,
                                    const ClassList& model_classes) {
    const RoleFacts& facts = facts_of(role);
    // Imports may have no class names: their labels are the classifier's class numbers.
    if (!dataset.classes.empty() && dataset.classes.size() != model_classes.size()) {
        refuse(fmt::format("the data set `{}` ({}) has {}; allowed: the classifier's own {}",
                           dataset.name, facts.name,
                           how_many(dataset.classes.size(), "class", "classes"),
                           model_classes.size()));
    }
    if (facts.class_map.empty()) return std::nullopt;
    return map_of_imagenet(facts.class_map, model_classes);
}

}  // namespace assay::quality
