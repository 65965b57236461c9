#include "cli/plan_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "core/json_keys.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* quality_table = "[quality]";

/// "mixed_same" is "mixed-same".
json with_dashes(const json& table) {
    if (!table.is_object())
        refuse(fmt::format("{} must be one table, not {}", quality_table, shown_json(table)));
    json out = json::object();
    for (const auto& [key, value] : table.items()) {
        std::string name = key;
        std::ranges::replace(name, '_', '-');
        if (out.contains(name)) refuse(fmt::format("{}.{} stands twice", quality_table, name));
        out[name] = value;
    }
    return out;
}

/// What a key may hold.
void one_of(const std::string& key, const std::string& value,
            const std::vector<std::string>& allowed) {
    if (std::ranges::find(allowed, value) != allowed.end()) return;
    std::string names;
    for (const std::string& name : allowed)
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
    refuse(fmt::format("{}.{} is `{}`{}; allowed: {}", quality_table, key, value,
                       suggest(value, allowed), names));
}

/// "8/255" or a number.
double read_eps(const json& value) {
    if (value.is_string()) return parse_eps(value.get<std::string>());
    if (!value.is_number())
        refuse(fmt::format("{}.attack-eps has the value {}, which is of the wrong type: \"8/255\"",
                           quality_table, shown_json(value)));
    return parse_eps(value.dump());
}

/// "paper", "none", or names.
void read_corruptions(const json& value, Plan::Quality& quality) {
    std::vector<std::string> names;
    for (const json& item : value.is_array() ? value : json::array({value})) {
        if (!item.is_string())
            refuse(fmt::format("{}.corruptions has the value {}, which is of the wrong type",
                               quality_table, shown_json(item)));
        names.push_back(item.get<std::string>());
    }
    quality.corrupt = names != std::vector<std::string>{"none"};
    if (quality.corrupt) quality.corruptions.corruptions = names;
}

/// The data set that a role's value names: one of the file, else a path.
std::size_t find_data(const std::string& role, const std::string& value, const fs::path& folder,
                      std::vector<Plan::Data>& data) {
    const fs::path path = path_from(folder, value);
    const auto same = [](const fs::path& a, const fs::path& b) {
        return a == b || (a / "") == b || a == (b / "");
    };
    std::vector<std::string> names;
    for (std::size_t d = 0; d < data.size(); ++d) {
        if (data[d].for_quality) continue;
        names.push_back(data[d].flags.name);
        if (names.back() == value) return d;
    }
    for (std::size_t d = 0; d < data.size(); ++d) {
        if (same(data[d].flags.folders.at(0), path)) return d;
    }
    if (!is_there(path)) {
        refuse(fmt::format("{}.{}: `{}` is no data set of the file, and there is no {}{}",
                           quality_table, role, value, path.string(), suggest(value, names)));
    }
    Plan::Data added;
    added.flags.folders = {path};
    added.for_quality = true;
    data.push_back(std::move(added));
    return data.size() - 1;
}

/// What only a role names is called as the role is: whatever other roles there are, its predictions
/// are found again.
void name_added(std::vector<Plan::Data>& data) {
    for (Plan::Data& d : data) {
        if (!d.for_quality) continue;
        d.flags.name = quality::facts_of(d.role.value()).name;
        for (const Plan::Data& other : data) {
            if (&other == &d || other.flags.name != d.flags.name) continue;
            refuse(fmt::format(
                "two data sets are called `{}` ({} and {}): give one a [[data]] "
                "table with another `name`",
                d.flags.name, other.flags.folders.at(0).string(), d.flags.folders.at(0).string()));
        }
    }
}

void read_roles(Keys& keys, const fs::path& folder, std::vector<Plan::Data>& data) {
    for (const quality::RoleFacts& facts : quality::role_facts()) {
        const std::string role(facts.name);
        const auto value = keys.take<std::string>(role, "");
        if (value.empty()) continue;
        Plan::Data& found = data[find_data(role, value, folder, data)];
        if (found.role) {
            refuse(fmt::format("{}.{}: {} plays the role {} already", quality_table, role,
                               found.flags.folders.at(0).string(),
                               quality::facts_of(*found.role).name));
        }
        found.role = facts.role;
    }
    const bool clean =
        std::ranges::any_of(data, [](const Plan::Data& d) { return d.role == quality::Role::val; });
    if (!clean) {
        refuse(fmt::format("{} needs `val`, the clean images: a data set's name or a path",
                           quality_table));
    }
    name_added(data);
}

}  // namespace

Plan::Quality read_quality(const json& table, const fs::path& folder,
                           std::vector<Plan::Data>& data) {
    Keys keys(with_dashes(table), quality_table, folder);
    Plan::Quality quality;
    read_roles(keys, folder, data);

    if (const json value = keys.take<json>("corruptions", nullptr); !value.is_null())
        read_corruptions(value, quality);
    CorruptionSettings& corruptions = quality.corruptions;
    quality.corrupt_limit = keys.take_count<std::size_t>("corruption-limit", 0);
    corruptions.seed = keys.take_count<std::uint64_t>("corruption-seed", corruptions.seed);
    corruptions.window.resize =
        keys.take_count<int>("corruption-resize", corruptions.window.resize);
    corruptions.window.crop = keys.take_count<int>("corruption-crop", corruptions.window.crop);
    if (const int jpeg = keys.take_count<int>("corruption-jpeg", 0); jpeg != 0)
        corruptions.jpeg_quality = jpeg;
    corruptions.frost = keys.take_path("frost");
    if (!corruptions.frost.empty() && !is_there(corruptions.frost))
        refuse(fmt::format("{}.frost: there is no {}", quality_table, corruptions.frost.string()));
    const auto transform = keys.take<std::string>("corrupted-transform", "model");
    one_of("corrupted-transform", transform, {"model", "crop"});
    quality.transform = corrupted_transform_named(transform);
    if (quality.corrupt) {
        with_note(fmt::format("reading the corruptions of {}", quality_table), [&] {
            check(corruptions);
            chosen_corruptions(corruptions.corruptions, !corruptions.frost.empty());
        });
    }

    const auto attacks = keys.take<std::string>("attacks", "paper");
    one_of("attacks", attacks, {"paper", "none"});
    quality.attack = attacks == "paper";
    quality.attack_limit = keys.take_count<std::size_t>("attack-limit", 0);
    if (const json eps = keys.take<json>("attack-eps", nullptr); !eps.is_null()) {
        quality.eps = with_note(fmt::format("reading {}.attack-eps", quality_table),
                                [&] { return read_eps(eps); });
    }
    const auto space = keys.take<std::string>("attack-space", "pixels");
    one_of("attack-space", space, {"pixels", "normalised-clamped"});
    quality.space = space == "pixels" ? AttackSpace::pixels : AttackSpace::normalised_clamped;

    quality.check = keys.take<bool>("checks", true);
    quality.own_class_sketch = keys.take<bool>("own-class-sketch", false);
    quality.level = keys.take<double>("level", quality.level);
    if (!(quality.level >= .5 && quality.level <= .9999)) {
        refuse(fmt::format("{}.level is {}; allowed: 0.5 to 0.9999", quality_table, quality.level));
    }
    keys.nothing_left();
    return quality;
}

json Plan::Quality::resolved() const {
    return {{"corruptions", corrupt ? json(corruptions.corruptions) : json("none")},
            {"corruption-limit", corrupt_limit},
            {"corruption-seed", corruptions.seed},
            {"corruption-resize", corruptions.window.resize},
            {"corruption-crop", corruptions.window.crop},
            {"corruption-jpeg", corruptions.jpeg_quality.value_or(0)},
            {"frost", corruptions.frost.string()},
            {"corrupted-transform", transform == CorruptedTransform::own ? "model" : "crop"},
            {"attacks", attack ? "paper" : "none"},
            {"attack-limit", attack_limit},
            {"attack-eps", eps_text(eps)},
            {"attack-space", space == AttackSpace::pixels ? "pixels" : "normalised-clamped"},
            {"checks", check},
            {"own-class-sketch", own_class_sketch},
            {"level", level}};
}

}  // namespace assay::cli
