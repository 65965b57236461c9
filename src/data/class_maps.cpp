#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/imagenet_names.h"
#include "data/imagenet_table.h"

namespace assay {
namespace {

using Decision = ClassMap::Decision;

/// The classes with this letter, in ImageNet's order, which is also the order of the sorted
/// folders. "" selects all.
ClassMap subset_map(std::string name, std::string_view letter) {
    const ClassList& all = imagenet_classes();
    ClassMap map{.name = std::move(name),
                 .targets = {},
                 .target_of = std::vector<std::int32_t>(all.size(), -1),
                 .decision = Decision::restrict_};
    std::vector<std::string> ids, names;
    for (std::size_t c = 0; c < all.size(); ++c) {
        if (imagenet_table().subsets[c].find(letter) == std::string::npos) continue;
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

/// The ids are the folders of the challenge's test sets. Their order is the class number.
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
constexpr BuiltIn built_in[] = {
    {"imagenet-a", [] { return subset_map("imagenet-a", "A"); }},
    {"imagenet-r", [] { return subset_map("imagenet-r", "R"); }},
    {"imagenet-100", [] { return subset_map("imagenet-100", "H"); }},
    {"imagenette", [] { return subset_map("imagenette", "N"); }},
    {"imagewoof", [] { return subset_map("imagewoof", "W"); }},
    {"imagenet-1k", [] { return subset_map("imagenet-1k", ""); }},
    {"16-class", sixteen_map},
    {"in9", in9_map},
};

/// `missing` are the ImageNet classes that the map needs and the model lacks.
[[noreturn]] void refuse_missing(const ClassMap& map, const ClassList& model,
                                 const std::vector<std::size_t>& missing) {
    const ClassList& imagenet = imagenet_classes();
    const std::size_t first = missing.front();
    const std::string one = fmt::format("`{}` ({})", imagenet.id(first), imagenet.name(first));
    const auto asked = static_cast<std::size_t>(
        std::count_if(map.target_of.begin(), map.target_of.end(), [](auto t) { return t >= 0; }));
    // ImageNet-12k and -21k lack a few of the 1000.
    if (missing.size() <= 16 && missing.size() < asked) {
        std::string list;
        for (const std::size_t i : missing)
            list += fmt::format("{}{}", list.empty() ? "" : ", ", imagenet.id(i));
        refuse(
            fmt::format("class map `{}` needs {} of ImageNet's classes, but {} of them {} among "
                        "the model's {}: {} ({}). To use the others, pass a file that lists their "
                        "ids, one per line, as --class-map",
                        map.name, asked, missing.size(), missing.size() == 1 ? "is not" : "are not",
                        model.size(), list, imagenet.name(first)));
    }
    refuse(fmt::format(
        "class map `{}` needs ImageNet's classes: WordNet ids or names in any order, among any "
        "others, or 1000 numbers. The model has {} classes, but none of them is {}{}",
        map.name, model.size(), one, is_numbered(model) ? published_list(model.size()) : ""));
}

/// A built-in map refers to ImageNet's classes in the usual order. This converts it to the model's
/// order.
ClassMap for_model(ClassMap map, const ClassList& model) {
    const ClassList& imagenet = imagenet_classes();
    if (model.ids() == imagenet.ids()) return map;
    if (model.size() == imagenet.size() && is_numbered(model)) return map;
    std::vector<std::int32_t> target_of(model.size(), -1);
    std::vector<std::uint8_t> met(imagenet.size(), 0);
    for (std::size_t c = 0; c < model.size(); ++c) {
        auto known = imagenet_meaning(model.id(c));
        if (!known && !is_wnid(model.id(c))) known = imagenet_meaning(model.name(c));
        if (!known) continue;  // the head has more classes than ImageNet
        const auto i = static_cast<std::size_t>(*known);
        if (met[i]++ != 0) {
            refuse(fmt::format("class map `{}`: two classes of the model are ImageNet's `{}` ({})",
                               map.name, imagenet.id(i), imagenet.name(i)));
        }
        target_of[c] = map.target_of[i];
    }
    // An incomplete group, or a class without an output, would change the map's meaning.
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < met.size(); ++i) {
        if (met[i] == 0 && map.target_of[i] >= 0) missing.push_back(i);
    }
    if (!missing.empty()) refuse_missing(map, model, missing);
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

/// True if the file is a class map in JSON: an object with our keys.
bool says_decision(const nlohmann::json& root) {
    return root.is_object() && (root.contains("decision") || root.contains("target_of"));
}

/// For a plain list of classes, the arg-max is only over the listed classes.
ClassMap from_list(const std::filesystem::path& path, const ClassList& model) {
    ClassMap map{.name = path.stem().string(),
                 .targets = read_class_list(path),
                 .target_of = std::vector<std::int32_t>(model.size(), -1),
                 .decision = Decision::restrict_};
    const ClassAliases aliases(model);
    for (std::size_t t = 0; t < map.targets.size(); ++t) {
        const std::string &id = map.targets.id(t), &name = map.targets.name(t);
        // If the ids are only numbers of the entries, only the names are meaningful.
        const bool numbered = is_numbered(map.targets) && map.targets.names() != map.targets.ids();
        auto c = numbered ? std::nullopt : find_class(model, aliases, id);
        if (!c) c = find_class(model, aliases, name);
        if (!c) {
            refuse(
                fmt::format("entry {} `{}` is not one of the model's {} classes, or is ambiguous{}",
                            t + 1, shortened(name), model.size(),
                            suggest(name, is_wnid(name) ? model.ids() : model.names())));
        }
        std::int32_t& target = map.target_of[static_cast<std::size_t>(*c)];
        if (target >= 0) {
            refuse(fmt::format("entries {} `{}` and {} `{}` are the same class `{}` of the model",
                               target + 1,
                               shortened(map.targets.name(static_cast<std::size_t>(target))), t + 1,
                               shortened(name), model.id(static_cast<std::size_t>(*c))));
        }
        target = static_cast<std::int32_t>(t);
    }
    return map;
}

ClassMap read_class_map(const std::filesystem::path& path, const ClassList& model) {
    constexpr std::uint64_t max_file = std::uint64_t{64} << 20;
    if (lower_extension(path.string()) != ".json") return from_list(path, model);
    const nlohmann::json root = parse_json(read_text(path, max_file), 16);
    if (!says_decision(root)) return from_list(path, model);
    ClassMap map;
    map.name = path.stem().string();
    const JsonReader fields(root, {.whole = "the class map"});
    fields.only({"classes", "decision", "name", "target_of"});
    if (fields.has("name")) map.name = fields["name"].text();
    map.targets = ClassList(fields["classes"].texts());
    map.decision = decision_named(fields["decision"].text());
    const std::vector<JsonReader> targets = fields["target_of"].entries();
    if (targets.size() != model.size()) {
        fields["target_of"].refuse(
            fmt::format("{} numbers for {} classes of the model; each class needs one",
                        targets.size(), model.size()));
    }
    const auto last = static_cast<std::int64_t>(map.targets.size()) - 1;
    for (const JsonReader& target : targets)
        map.target_of.push_back(static_cast<std::int32_t>(target.integer(-1, last)));
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
    if (!path.has_extension() && !is_there(path)) {
        throw Error(ErrorCode::usage,
                    fmt::format("unknown class map `{}`{}; you can also pass the path of a JSON "
                                "file or of a list of classes",
                                shortened(name_or_path), suggest(name_or_path, class_map_names())));
    }
    return with_note(fmt::format("reading the class map {}", path.string()),
                     [&] { return read_class_map(path, model_classes); });
}

}  // namespace assay
