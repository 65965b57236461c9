// The published layouts of the data sets for the roles.
#include <fmt/format.h>

#include <functional>

#include "assay/quality/role.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/attributes.h"
#include "quality/cues.h"
#include "quality/imagenet_map.h"

namespace assay::quality {
namespace {

namespace fs = std::filesystem;

/// The classes of the classifier that map to each target of the map.
std::vector<std::vector<std::int32_t>> members_of(const ClassMap& map) {
    std::vector<std::vector<std::int32_t>> members(map.targets.size());
    for (std::size_t c = 0; c < map.target_of.size(); ++c) {
        if (map.target_of[c] >= 0)
            members[static_cast<std::size_t>(map.target_of[c])].push_back(
                static_cast<std::int32_t>(c));
    }
    return members;
}

/// The fifth field of "0001_ske_dnn_0_airplane_00_airplane-0001-sketch-0.png"; "" if there is none.
std::string_view category_in_name(std::string_view id) {
    std::string_view rest = without_extension(base_name(id));
    for (int field = 0; field < 4; ++field) {
        const std::size_t at = rest.find('_');
        if (at == std::string_view::npos) return {};
        rest.remove_prefix(at + 1);
    }
    return rest.substr(0, rest.find('_'));
}

/// The prefix that sorts IN-9's folders: "02_" for "02_wheeled vehicle". "" for other names.
std::string_view place_in(std::string_view text) {
    const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
    return text.size() > 3 && digit(0) && digit(1) && text[2] == '_' ? text.substr(0, 3)
                                                                     : std::string_view();
}

/// Searches by id or name. Unlike ClassList::find(), it never searches by number: file names
/// contain many numbers that do not mean a class.
std::optional<std::int32_t> target_called(const ClassMap& map, std::string_view text) {
    const auto found = map.targets.find(text);
    if (!found) return std::nullopt;
    const auto c = static_cast<std::size_t>(*found);
    return map.targets.id(c) == text || map.targets.name(c) == text ? found : std::nullopt;
}

/// The target that the folders or the name of an image give; no value if they do not give one.
struct ToldTarget {
    std::optional<std::int32_t> target;
    std::string contradiction;  ///< set if folders of IN-9 give two targets
};

/// For IN-9, the target whose id begins with the folder's number, unless the folder's name is that
/// of another target.
ToldTarget target_at_place(const ClassMap& map, std::string_view folder) {
    const std::string_view place = place_in(folder);
    if (place.empty()) return {};
    const std::string_view rest = folder.substr(place.size());
    std::optional<std::int32_t> found;
    std::optional<std::size_t> other;
    for (std::size_t c = 0; c < map.targets.size(); ++c) {
        const std::string_view id = map.targets.id(c), own = place_in(id);
        if (own == place) {
            found = static_cast<std::int32_t>(c);
        } else if (!own.empty() && (map.targets.name(c) == rest || id.substr(own.size()) == rest)) {
            other = c;
        }
    }
    if (!found || !other) return {found, ""};
    return {
        std::nullopt,
        fmt::format("the folder `{}` matches both `{}` and `{}`: rename it to one of them", folder,
                    map.targets.id(static_cast<std::size_t>(*found)), map.targets.id(*other))};
}

/// Checks the folders from the innermost one, then the name. Whole names have priority in any
/// folder.
ToldTarget target_of_image(const ClassMap& map, std::string_view id) {
    const auto in_folders = [&](const auto& target_of) -> ToldTarget {
        for (std::string_view folder = id; folder.find('/') != std::string_view::npos;) {
            folder = folder.substr(0, folder.rfind('/'));
            ToldTarget told = target_of(base_name(folder));
            if (told.target || !told.contradiction.empty()) return told;
        }
        return {};
    };
    ToldTarget told = in_folders([&](std::string_view name) {
        return ToldTarget{target_called(map, name), ""};
    });
    if (told.target) return told;
    told = in_folders([&](std::string_view name) { return target_at_place(map, name); });
    if (told.target || !told.contradiction.empty()) return told;
    return {target_called(map, category_in_name(id)), ""};
}

/// The folder with the images: model-vs-human has `dnn/session-1` below a set's folder, IN-9 has
/// `val`.
fs::path inner_folder(const fs::path& path) {
    for (const char* inner : {"dnn/session-1", "session-1", "val"}) {
        if (is_folder(path / inner)) return path / inner;
    }
    return path;
}

/// True if folders or names give the map's targets for more than half of the images. Does not
/// throw, because the layout is not known yet.
bool is_published_layout(const ClassMap& map, const Dataset& flat) {
    if (flat.size() == 0) return false;
    std::size_t known = 0;
    for (std::size_t i = 0; i < flat.size(); ++i)
        known += target_of_image(map, flat.ids[i]).target ? 1 : 0;
    return 2 * known > flat.size();
}

void add_attribute(Dataset& dataset, std::string_view name,
                   const std::function<std::string(std::string_view id)>& value) {
    if (find_attribute(dataset, name) != nullptr) return;
    Dataset::Attribute& attribute = dataset.attributes.emplace_back();
    attribute.name = name;
    for (std::size_t i = 0; i < dataset.size(); ++i) attribute.values.append(value(dataset.ids[i]));
}

/// Adds the attributes that the names of the images give.
void add_names(Role role, Dataset& dataset) {
    if (role == Role::mixed_same || role == Role::mixed_rand) {
        const bool with_folder = foregrounds_need_folders(dataset.ids);
        add_attribute(dataset, "foreground",
                      [&](std::string_view id) { return foreground_of(id, with_folder); });
    }
    if (role != Role::cue_conflict) return;
    add_attribute(dataset, "shape", [](std::string_view id) {
        return std::string(without_digits(cue_images_of(id).shape));
    });
    add_attribute(dataset, "texture", [](std::string_view id) {
        return std::string(without_digits(cue_images_of(id).texture));
    });
    add_attribute(dataset, "shape_image",
                  [](std::string_view id) { return std::string(cue_images_of(id).shape); });
    add_attribute(dataset, "texture_image",
                  [](std::string_view id) { return std::string(cue_images_of(id).texture); });
}

/// Labels every image of a target with all of the classifier's classes that map to it.
void label_by_targets(const ClassMap& map, const ClassList& classes, const fs::path& folder,
                      Dataset& dataset) {
    const auto members = members_of(map);
    LabelSets labels;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const ToldTarget told = target_of_image(map, dataset.ids[i]);
        if (!told.contradiction.empty())
            refuse(fmt::format("{}: {}", dataset.path_of(i).string(), told.contradiction));
        if (!told.target) {
            refuse(
                fmt::format("{}: neither its folder nor its name contains one of the {} classes of "
                            "`{}` ({}, ...)",
                            (folder / std::string(dataset.ids[i])).string(), map.targets.size(),
                            map.name, map.targets.id(0)));
        }
        labels.append(members[static_cast<std::size_t>(*told.target)]);
    }
    dataset.labels = std::move(labels);
    dataset.classes = classes;
}

}  // namespace

Dataset open_role(Role role, const fs::path& path, const DatasetOptions& options,
                  std::vector<std::string>* notes) {
    const RoleFacts& facts = facts_of(role);
    const bool grouped = facts.class_map == "16-class" || facts.class_map == "in9";
    const fs::path folder = grouped && is_folder(path) ? inner_folder(path) : path;
    if (grouped && is_folder(folder) && options.list.empty()) {
        const ClassList classes = options.classes.empty() ? imagenet_classes() : options.classes;
        if (const auto map = map_of_imagenet(facts.class_map, classes)) {
            DatasetOptions flat = options;
            flat.layout = DatasetOptions::Layout::flat;
            flat.classes = {};
            Dataset dataset = open_dataset(folder, flat);
            if (is_published_layout(*map, dataset)) {
                label_by_targets(*map, classes, folder, dataset);
                if (options.name.empty()) dataset.name = path.filename().string();
                add_names(role, dataset);
                if (notes != nullptr)
                    notes->push_back(fmt::format(
                        "{}: labels are the classifier's classes of each of the {} of `{}`",
                        dataset.name, map->targets.size(), map->name));
                return dataset;
            }
        }
    }
    Dataset dataset = open_dataset(folder, options, notes);
    if (folder != path && options.name.empty()) dataset.name = path.filename().string();
    add_names(role, dataset);
    return dataset;
}

}  // namespace assay::quality
