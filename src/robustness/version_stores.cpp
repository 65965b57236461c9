#include "robustness/version_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "data/dataset_name.h"
#include "robustness/severity_stack.h"
#include "store/data_groups.h"
#include "store/same_data.h"

namespace assay {

VersionOf version_of(const std::filesystem::path& folder, std::string_view name) {
    const auto severity_in = [](std::string_view text) {
        return text.size() == 1 && text[0] >= '1' && text[0] <= '5' ? text[0] - '0' : 0;
    };
    const std::string own = folder.filename().string();
    const std::string parent = folder.parent_path().filename().string();
    VersionOf found;
    name = name_of_whole(name);
    for (const Corruption& c : corruptions()) {
        if (c.name == parent && severity_in(own) > 0) return {&c, severity_in(own)};
        if (name.size() < c.name.size() + 2) continue;
        const std::string_view end = name.substr(name.size() - c.name.size() - 2);
        const bool begins = end.size() == name.size() ||
                            std::string_view("_-. ").find(name[name.size() - end.size() - 1]) !=
                                std::string_view::npos;
        const bool parted =
            std::string_view("_-. ").find(end[c.name.size()]) != std::string_view::npos;
        if (begins && parted && end.starts_with(c.name) &&
            severity_in(end.substr(end.size() - 1)) > 0)
            found = {&c, severity_in(end.substr(end.size() - 1))};
    }
    return found;
}

namespace robustness {

namespace fs = std::filesystem;

namespace {

/// The settings of predict --corrupt that all versions of one measurement share.
std::string common_settings(const std::string& corruption) {
    if (corruption.empty()) return {};
    auto settings = nlohmann::json::parse(corruption);
    for (const char* own : {"corruption", "severity", "frost", "definition", "profile", "revision"})
        settings.erase(own);
    return settings.dump();
}

/// The data set of a version from predict --corrupt, from the version's name ("val" for
/// "val_fog_3"). "" if not known.
std::string made_of(const std::string& name, const VersionOf& version) {
    const std::string end = fmt::format("_{}_{}", version.corruption->name, version.severity);
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : std::string();
}

/// The part of the images: "-sample50" for "fog_3-sample50". "" for all images.
std::string part_in(std::string_view name) {
    return std::string(name.substr(name_of_whole(name).size()));
}

/// Returns "plugin.stripes.stripes@0123456789ab" for a plug-in's version, otherwise "".
std::string definition_in(const std::string& corruption) {
    return corruption.empty() ? "" : nlohmann::json::parse(corruption).value("definition", "");
}

/// Checks that a version from a plug-in was made by the given library.
void check_definition(const Corruption& corruption, const std::string& recorded,
                      const fs::path& folder) {
    const std::string made = definition_in(recorded);
    if (made.empty() || made == corruption.definition) return;
    refuse(
        fmt::format("{} was made by `{}`, and the plug-in has `{}`: give the library that made "
                    "it, or predict again into another folder",
                    folder.string(), made, corruption.definition));
}

/// The profile that a record names. Old records have the profile of ImageNet-C.
std::optional<CorruptionProfile> profile_in(const nlohmann::json& record) {
    if (!record.is_object()) return std::nullopt;
    const auto named = record.find("profile");
    if (named == record.end()) return CorruptionProfile::imagenet;
    return named->is_string() ? std::optional(corruption_profile_named(named->get<std::string>()))
                              : std::nullopt;
}

/// Images in memory use the record of the data set. Copies use the record of their folder.
std::optional<CorruptionProfile> profile_of(const std::string& corruption, const fs::path& root) {
    if (!corruption.empty()) return profile_in(nlohmann::json::parse(corruption));
    const fs::path made = root.parent_path().parent_path() / "corrupt.json";
    if (!is_there(made)) return std::nullopt;
    return with_note("reading " + made.string(), [&] {
        return profile_in(
            nlohmann::json::parse(read_text(made, std::uint64_t{16} << 20), nullptr, false));
    });
}

/// Replaces each store of all severities by one store per severity.
void part_stacks(std::vector<ClosedStore>& stores, const HasVersion& counts) {
    std::vector<ClosedStore> parted;
    for (ClosedStore& one : stores) {
        if (!one.stacked) {
            parted.push_back(std::move(one));
            continue;
        }
        for (int severity = 1; severity <= corruption_severities; ++severity) {
            if (counts && !counts(*one.version.corruption, severity)) continue;
            parted.push_back(one);
            parted.back().version.severity = severity;
        }
    }
    stores = std::move(parted);
}

}  // namespace

std::vector<ClosedStore> look_at(const CorruptedAccuracyOptions& options) {
    std::vector<ClosedStore> found;
    store::CalledData clean(options.clean);
    for (const fs::path& folder :
         find_stores(std::vector<fs::path>(options.paths.begin(), options.paths.end()))) {
        const PredictionStore store = PredictionStore::open(folder);
        const StoreSpec& spec = store.spec();
        found.push_back({folder,
                         spec,
                         {},
                         {},
                         clean.is_of(store),
                         store.complete(),
                         writer_warning(store),
                         derived_of(store).is_variant()});
    }
    return found;
}

std::vector<std::string> find_versions(std::vector<ClosedStore>& stores,
                                       const std::vector<std::string>& models,
                                       const std::string& clean, const HasVersion& counts) {
    struct Version {
        VersionOf which;
        std::string settings, part;
        std::optional<CorruptionProfile> profile = std::nullopt;
        bool stacked = false;
    };
    std::map<fs::path, Version> versions;
    std::vector<std::string> warnings;
    for (ClosedStore& one : stores) {
        if (one.clean ||
            std::find(models.begin(), models.end(), one.spec.model_name) == models.end())
            continue;
        const auto [at, fresh] = versions.emplace(one.folder.parent_path(), Version{});
        if (fresh) {
            const PredictionStore store = PredictionStore::open(one.folder);
            VersionOf& which = at->second.which;
            which = version_of(store.dataset().root, one.spec.dataset_name);
            const std::string corruption = store::corruption_of(store);
            const Corruption* stacked = which.corruption == nullptr && corruption.empty()
                                            ? corruption_called(one.spec.dataset_name)
                                            : nullptr;
            if (stacked != nullptr && is_severity_stack(store.dataset())) {
                at->second = {.which = {stacked, 0},
                              .settings = {},
                              .part = part_in(one.spec.dataset_name),
                              .profile = CorruptionProfile::cifar,
                              .stacked = true};
            } else if (which.corruption == nullptr) {
                if (const std::string made = definition_in(corruption); !made.empty())
                    warnings.push_back(
                        fmt::format("`{}` does not count: it was made by `{}`, which --plugin FILE "
                                    "adds",
                                    one.spec.dataset_name, made));
                continue;
            } else {
                check_definition(*which.corruption, corruption, one.folder);
                const std::string own =
                    corruption.empty() ? std::string() : made_of(one.spec.dataset_name, which);
                at->second.settings = common_settings(corruption);
                at->second.part = part_in(own.empty() ? one.spec.dataset_name : own);
                at->second.profile = profile_of(corruption, store.dataset().root);
                if ((!own.empty() && own != clean && name_of_whole(own) != clean) ||
                    (counts && !counts(*which.corruption, which.severity)))
                    which = {};
            }
        }
        one.version = at->second.which;
        one.settings = at->second.settings;
        one.part = at->second.part;
        one.profile = at->second.profile;
        one.stacked = at->second.stacked;
    }
    part_stacks(stores, counts);
    return warnings;
}

StoresOfModel stores_of(const std::string& model, const std::vector<ClosedStore>& stores) {
    StoresOfModel own;
    for (const ClosedStore& store : stores) {
        if (store.spec.model_name != model) continue;
        if (store.clean && own.clean != nullptr) {
            refuse(fmt::format("{} and {} are both predictions of `{}` on `{}`: name one of them",
                               own.clean->folder.string(), store.folder.string(), model,
                               store.spec.dataset_name));
        }
        if (store.clean) own.clean = &store;
        if (store.version.corruption != nullptr) own.versions.push_back(&store);
    }
    // Versions of the same part as the clean images come before those of another part.
    const std::string part = own.clean == nullptr ? "" : part_in(own.clean->spec.dataset_name);
    const auto of_part = [&](const ClosedStore* store) { return store->part == part; };
    if (std::ranges::any_of(own.versions, of_part))
        std::erase_if(own.versions, [&](const ClosedStore* store) { return !of_part(store); });
    const auto key = [](const ClosedStore* store) {
        return std::pair(store->version.corruption, store->version.severity);
    };
    std::sort(own.versions.begin(), own.versions.end(),
              [&](const auto* a, const auto* b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < own.versions.size(); ++i) {
        const ClosedStore &one = *own.versions[i - 1], &other = *own.versions[i];
        if (key(&one) == key(&other)) {
            refuse(
                fmt::format("{} and {} are both {} at severity {}; name the stores of one of them",
                            one.folder.string(), other.folder.string(),
                            one.version.corruption->name, one.version.severity));
        }
    }
    return own;
}

}  // namespace robustness
}  // namespace assay
