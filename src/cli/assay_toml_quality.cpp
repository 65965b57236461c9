#include "cli/assay_toml_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "core/json_keys.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* quality_table = "[quality]";

/// The data set for a role's value: a data set of the file, otherwise a path.
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
        refuse(fmt::format("{}.{}: `{}` is not a data set of the file, and there is no {}{}",
                           quality_table, role, value, path.string(), suggest(value, names)));
    }
    Plan::Data added;
    added.flags.folders = {path};
    added.for_quality = true;
    data.push_back(std::move(added));
    return data.size() - 1;
}

/// A data set that only a role names gets the role's name: its predictions are then found again,
/// whatever other roles exist.
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

CorruptionSettings QualitySettings::corruption_settings() const {
    CorruptionSettings out;
    out.corruptions = corruptions;
    out.seed = corruption_seed;
    out.window.resize = corruption_resize;
    out.window.crop = corruption_crop;
    if (corruption_jpeg != 0) out.jpeg_quality = corruption_jpeg;
    out.frost = frost;
    return out;
}

std::string fault_of(const QualitySettings& settings) {
    if (!settings.frost.empty() && !is_there(settings.frost))
        return "frost is " + settings.frost.string() + ", which does not exist";
    if (!settings.corrupts()) return {};
    try {
        check(settings.corruption_settings());
        if (!settings.frost.empty() &&
            std::ranges::none_of(chosen_corruptions(settings.corruptions, true),
                                 &Corruption::photographs))
            return "frost is given, but frost is not among the corruptions";
    } catch (const Error& error) {
        return error.message();
    }
    return {};
}

QualitySettings read_quality(const json& table, const fs::path& folder,
                             std::vector<Plan::Data>& data) {
    Keys keys(table, quality_table, folder);
    QualitySettings settings;
    read_roles(keys, folder, data);
    keys.take(settings);
    keys.nothing_left();
    return settings;
}

}  // namespace assay::cli

namespace assay {

void Kind<cli::Budget>::to(const cli::Budget& value, nlohmann::json& out) {
    out = eps_text(value.eps);
}

bool Kind<cli::Budget>::from(const nlohmann::json& value, cli::Budget& out) {
    if (!value.is_string() && !value.is_number()) return false;
    try {
        out.eps = parse_eps(value.is_string() ? value.get<std::string>() : value.dump());
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace assay
