#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "imagenet_table.h"

namespace assay {
namespace {

using Decision = ClassMap::Decision;

/// The 200 classes that `members` marks, in ImageNet's order: the order of the sorted folders, too.
ClassMap subset_map(std::string name, const std::vector<std::uint8_t>& members) {
    const ClassList& all = imagenet_classes();
    ClassMap map{.name = std::move(name),
                 .targets = {},
                 .target_of = std::vector<std::int32_t>(all.size(), -1),
                 .decision = Decision::restrict_};
    std::vector<std::string> ids, names;
    for (std::size_t c = 0; c < all.size(); ++c) {
        if (!members[c]) continue;
        map.target_of[c] = static_cast<std::int32_t>(ids.size());
        ids.push_back(all.id(c));
        names.push_back(all.name(c));
    }
    map.targets = ClassList(std::move(ids), std::move(names));
    return map;
}

ClassMap sixteen_map() {
    const auto& category = imagenet_table().sixteen;
    std::vector<std::string> ids(category.begin(), category.end());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::erase(ids, "");
    ClassMap map{.name = "16-class",
                 .targets = ClassList(ids),
                 .target_of = {},
                 .decision = Decision::mean_of_group};
    for (const std::string& id : category)
        map.target_of.push_back(id.empty() ? -1 : map.targets.find(id).value());
    return map;
}

/// Ids are the folders of the challenge's test sets, whose order is the class number.
ClassMap in9_map() {
    return {.name = "in9",
            .targets =
                ClassList({"00_dog", "01_bird", "02_wheeled vehicle", "03_reptile", "04_carnivore",
                           "05_insect", "06_musical instrument", "07_primate", "08_fish"},
                          {"dog", "bird", "vehicle", "reptile", "carnivore", "insect", "instrument",
                           "primate", "fish"}),
            .target_of = imagenet_table().in9,
            .decision = Decision::map_argmax};
}

struct BuiltIn {
    std::string_view name;
    ClassMap (*make)();
};
constexpr std::array<BuiltIn, 4> built_in = {{
    {"imagenet-a", [] { return subset_map("imagenet-a", imagenet_table().in_a); }},
    {"imagenet-r", [] { return subset_map("imagenet-r", imagenet_table().in_r); }},
    {"16-class", sixteen_map},
    {"in9", in9_map},
}};

/// A built-in map speaks of ImageNet's classes in the usual order; this makes it speak of the
/// model's.
ClassMap for_model(ClassMap map, const ClassList& model) {
    const ClassList& imagenet = imagenet_classes();
    if (model.ids() == imagenet.ids()) return map;
    if (model.size() == imagenet.size() && is_numbered(model)) return map;
    std::vector<std::int32_t> target_of;
    std::vector<std::uint8_t> reached(map.targets.size(), 0);
    for (std::size_t c = 0; c < model.size(); ++c) {
        const auto known = is_wnid(model.id(c)) ? imagenet.find(model.id(c)) : std::nullopt;
        if (!known) {
            refuse(
                fmt::format("class map `{}` needs ImageNet's 1000 classes (WordNet ids in any "
                            "order, or numbers); the model has {} "
                            "classes, and class {} is `{}`",
                            map.name, model.size(), c, shortened(model.id(c))));
        }
        const std::int32_t target = map.target_of[static_cast<std::size_t>(*known)];
        target_of.push_back(target);
        if (target >= 0) reached[static_cast<std::size_t>(target)] = 1;
    }
    const auto missing = std::find(reached.begin(), reached.end(), 0) - reached.begin();
    if (static_cast<std::size_t>(missing) < reached.size()) {
        refuse(fmt::format("class map `{}`: no class of the model answers for `{}`", map.name,
                           map.targets.id(static_cast<std::size_t>(missing))));
    }
    map.target_of = std::move(target_of);
    return map;
}

Decision decision_named(const std::string& name) {
    if (name == "restrict") return Decision::restrict_;
    if (name == "mean_of_group") return Decision::mean_of_group;
    if (name == "map_argmax") return Decision::map_argmax;
    refuse(fmt::format("unknown decision `{}`{}", shortened(name),
                       suggest(name, {"restrict", "mean_of_group", "map_argmax"})));
}

const nlohmann::json& member(const nlohmann::json& root, const char* key) {
    if (!root.is_object()) refuse("a class map must be a JSON object");
    const auto found = root.find(key);
    if (found == root.end()) refuse(fmt::format("the class map has no \"{}\"", key));
    return *found;
}

ClassMap read_class_map(const std::filesystem::path& path, const ClassList& model) {
    constexpr std::uint64_t max_file = std::uint64_t{64} << 20;
    const nlohmann::json root = parse_json(read_text(path, max_file), 3);
    ClassMap map;
    map.name = path.stem().string();
    std::vector<std::string> ids;
    if (!member(root, "classes").is_array()) refuse("\"classes\" must be an array of names");
    for (const auto& value : member(root, "classes")) {
        if (!value.is_string()) refuse("\"classes\" must be an array of names");
        ids.push_back(value.get<std::string>());
    }
    map.targets = ClassList(std::move(ids));
    if (!member(root, "decision").is_string()) refuse("\"decision\" must be a text");
    map.decision = decision_named(member(root, "decision").get<std::string>());
    for (const auto& [key, value] : root.items()) {
        if (key == "name" && value.is_string()) {
            map.name = value.get<std::string>();
        } else if (key != "classes" && key != "decision" && key != "target_of") {
            refuse(fmt::format("unknown key `{}`{}", shortened(key),
                               suggest(key, {"classes", "decision", "name", "target_of"})));
        }
    }
    const auto& targets = member(root, "target_of");
    if (!targets.is_array() || targets.size() != model.size()) {
        refuse(fmt::format(
            "\"target_of\" must be an array of one number a class of the model ({} classes){}",
            model.size(), targets.is_array() ? fmt::format("; it has {}", targets.size()) : ""));
    }
    for (const auto& value : targets) {
        const bool too_large =
            value.is_number_unsigned() && value.get<std::uint64_t>() >= map.targets.size();
        if (!value.is_number_integer() || too_large || value.get<std::int64_t>() < -1) {
            refuse(fmt::format("\"target_of\" of class {} is {}; allowed are -1..{}",
                               map.target_of.size(), shortened(value.dump(-1, ' ', true)),
                               static_cast<std::int64_t>(map.targets.size()) - 1));
        }
        map.target_of.push_back(static_cast<std::int32_t>(value.get<std::int64_t>()));
    }
    return map;
}

}  // namespace

std::vector<std::string> class_map_names() {
    std::vector<std::string> names;
    for (const BuiltIn& entry : built_in) names.emplace_back(entry.name);
    return names;
}

ClassMap class_map_named(std::string_view name_or_path, const ClassList& model_classes) {
    for (const BuiltIn& entry : built_in) {
        if (entry.name == name_or_path) return for_model(entry.make(), model_classes);
    }
    const std::filesystem::path path(name_or_path);
    if (path.extension() != ".json" && !std::filesystem::exists(path)) {
        throw Error(ErrorCode::usage,
                    fmt::format("unknown class map `{}`{}; a path of a JSON file is allowed, too",
                                shortened(name_or_path), suggest(name_or_path, class_map_names())));
    }
    return with_note(fmt::format("reading the class map {}", path.string()),
                     [&] { return read_class_map(path, model_classes); });
}

}  // namespace assay
