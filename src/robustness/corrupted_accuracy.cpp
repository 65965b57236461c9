#include "assay/robustness/corrupted_accuracy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "data/dataset_name.h"
#include "robustness/clean_images.h"
#include "robustness/version_means.h"
#include "store/data_groups.h"
#include "store/outcomes.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using robustness::CleanImages;
using robustness::CorruptionRatio;
using robustness::EachRatio;
using robustness::HasVersion;
using robustness::ModelVersions;
using robustness::Outcomes;

/// A store that is not open.
struct ClosedStore {
    fs::path folder;
    StoreSpec spec;
    VersionOf version;
    std::string settings;  ///< of the corruptions, where they are known, as JSON
    bool clean = false;
    bool complete = true;
    std::string writing;  ///< writer_warning()
    bool attacked = false;
    std::string part = {};  ///< part_in() of the images that the version was made of
};

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

/// What all versions of one measurement have in common, of what predict --corrupt did to the
/// images.
std::string common_settings(const std::string& corruption) {
    if (corruption.empty()) return {};
    auto settings = nlohmann::json::parse(corruption);
    for (const char* own : {"corruption", "severity", "frost", "definition"}) settings.erase(own);
    return settings.dump();
}

/// Those that predict --corrupt made a version of, by the name that it gives ("val" of
/// "val_fog_3"); "": not known.
std::string made_of(const std::string& name, const VersionOf& version) {
    const std::string end = fmt::format("_{}_{}", version.corruption->name, version.severity);
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : std::string();
}

/// "-sample50" of "fog_3-sample50": which part of the images; "": all of them.
std::string part_in(std::string_view name) {
    return std::string(name.substr(name_of_whole(name).size()));
}

/// "plugin.stripes.stripes@0123456789ab" of a version that a plug-in made; "" of others.
std::string definition_in(const std::string& corruption) {
    return corruption.empty() ? "" : nlohmann::json::parse(corruption).value("definition", "");
}

/// A version that a plug-in made is of the library that is given now.
void check_definition(const Corruption& corruption, const std::string& recorded,
                      const fs::path& folder) {
    const std::string made = definition_in(recorded);
    if (made.empty() || made == corruption.definition) return;
    refuse(
        fmt::format("{} was made by `{}`, and the plug-in has `{}`: give the library that made "
                    "it, or predict again into another folder",
                    folder.string(), made, corruption.definition));
}

/// Of the stores of models that have a clean one: a data set is read once for it, whatever its
/// models are. Versions of other images do not count, nor do those that `counts` leaves out; those
/// of a part of the clean images do. Returns what else to know.
std::vector<std::string> find_versions(std::vector<ClosedStore>& stores,
                                       const std::vector<std::string>& models,
                                       const std::string& clean, const HasVersion& counts) {
    struct Version {
        VersionOf which;
        std::string settings, part;
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
            if (which.corruption == nullptr) {
                if (const std::string made = definition_in(corruption); !made.empty())
                    warnings.push_back(
                        fmt::format("`{}` does not count: it was made by `{}`, which --plugin FILE "
                                    "adds",
                                    one.spec.dataset_name, made));
                continue;
            }
            check_definition(*which.corruption, corruption, one.folder);
            const std::string own =
                corruption.empty() ? std::string() : made_of(one.spec.dataset_name, which);
            at->second.settings = common_settings(corruption);
            at->second.part = part_in(own.empty() ? one.spec.dataset_name : own);
            if ((!own.empty() && own != clean && name_of_whole(own) != clean) ||
                (counts && !counts(*which.corruption, which.severity)))
                which = {};
        }
        one.version = at->second.which;
        one.settings = at->second.settings;
        one.part = at->second.part;
    }
    return warnings;
}

/// The stores of one model.
struct StoresOfModel {
    const ClosedStore* clean = nullptr;
    std::vector<const ClosedStore*> versions;  ///< in the order of the table, by severity
};

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
    // Versions of the same part as the clean images go before those of another.
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

/// What makes the stores of one model less than one measurement. Gives the hashes of the model's
/// files: more than one, where they are of several.
std::set<std::string> look_for_differences(const std::string& model, const StoresOfModel& own,
                                           CorruptedAccuracyResult& result) {
    std::set<std::string> files, steps, settings;
    const auto look = [&](const ClosedStore& store) {
        if (!store.complete) {
            result.partial = true;
            result.warnings.push_back(store.folder.string() + " is not complete");
        }
        if (!store.writing.empty()) result.warnings.push_back(store.writing);
        if (const std::string& file = store::model_file_of(store.spec); !file.empty())
            files.insert(file);
    };
    look(*own.clean);
    for (const ClosedStore* store : own.versions) {
        look(*store);
        if (!store->spec.preprocess_hash.empty()) steps.insert(store->spec.preprocess_hash);
        if (!store->settings.empty()) settings.insert(store->settings);
    }
    if (files.size() > 1) {
        result.warnings.push_back(
            fmt::format("`{}` is not the same file on every data set: its figures are of different "
                        "models",
                        model));
    }
    if (settings.size() > 1) {
        result.warnings.push_back(
            fmt::format("{}: the images were corrupted in {} ways ({}): their mean is of different "
                        "measurements",
                        model, settings.size(), fmt::join(settings, ", ")));
    }
    if (steps.size() > 1) {
        result.warnings.push_back(
            fmt::format("{}: the corrupted data sets were preprocessed in {} ways: their mean is "
                        "of different measurements",
                        model, steps.size()));
    } else if (std::ranges::any_of(own.versions, [&](const ClosedStore* store) {
                   return !store::same_preprocessing(store->spec, own.clean->spec);
               })) {
        result.notes.push_back(
            fmt::format("{}: the corrupted images were preprocessed in another way than the clean "
                        "ones",
                        model));
    }
    return files;
}

CorruptedModel measure_model(const std::string& model, const StoresOfModel& own,
                             const CorruptedAccuracyOptions& options,
                             CorruptedAccuracyResult& result, const EachRatio& each) {
    const int threads = resolve_threads(options.threads);
    const PredictionStore clean = PredictionStore::open(own.clean->folder);
    const CleanImages images(clean.dataset());
    CorruptedModel measured;
    measured.model = model;
    std::vector<Outcomes> outcomes;
    std::uint64_t relabelled = 0, ambiguous = 0;
    for (const ClosedStore* one : own.versions) {
        measured.versions.push_back(
            {one->version.corruption, one->version.severity, one->spec.dataset_name, Estimate{}});
        const PredictionStore store = PredictionStore::open(one->folder);  // closed before the next
        if (!one->settings.empty() && !store::saw_same_files(clean, store).value_or(true)) {
            refuse(
                fmt::format("{}: the images that were corrupted are others than {} saw under the "
                            "same ids: predict both on one data set",
                            one->folder.string(), own.clean->folder.string()));
        }
        CleanImages::ByImage own_outcomes =
            images.by_image(store.dataset(), outcomes_of(store, threads));
        outcomes.push_back(std::move(own_outcomes.outcomes));
        relabelled += own_outcomes.relabelled;
        ambiguous = std::max(ambiguous, own_outcomes.ambiguous);
    }
    ModelVersions versions(measured,
                           images.by_image(clean.dataset(), outcomes_of(clean, threads)).outcomes,
                           std::move(outcomes), options.level);
    versions.measure();
    if (each) each(measured, clean.spec(), versions.ratio());
    if (ambiguous > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} clean images have the name of another one with another extension, "
                        "so their corrupted images are ambiguous; not counted",
                        model, ambiguous));
    }
    if (relabelled > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} corrupted image{} another label than the clean one: not counted",
                        model, relabelled, relabelled == 1 ? " has" : "s have"));
    }
    if (measured.images < images.size()) {
        result.warnings.push_back(
            fmt::format("{}: {} of the {} clean images are in every data set, with a single "
                        "label and scores; the others do not count",
                        model, measured.images, images.size()));
    }
    return measured;
}

}  // namespace

VersionOf version_of(const fs::path& folder, std::string_view name) {
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

CorruptedAccuracyResult measure_corrupted(const CorruptedAccuracyOptions& options) {
    CorruptedAccuracyResult result = robustness::corrupted_models(options, {}, {}, {});
    if (result.models.empty()) throw Error(ErrorCode::usage, result.warnings.back());
    return result;
}

CorruptedAccuracyResult robustness::corrupted_models(const CorruptedAccuracyOptions& options,
                                                     const std::set<std::string>& chosen,
                                                     const EachRatio& each,
                                                     const HasVersion& counts) {
    for (const auto& file : options.plugins.plugin) load_corruptions(file);
    std::vector<ClosedStore> stores = look_at(options);
    CorruptedAccuracyResult result;
    result.clean = options.clean;
    std::vector<std::string> models, datasets;
    for (const ClosedStore& store : stores) {
        const bool measured =
            store.clean && (chosen.empty() || chosen.contains(store.spec.model_name));
        if (measured &&
            std::find(models.begin(), models.end(), store.spec.model_name) == models.end())
            models.push_back(store.spec.model_name);
        datasets.push_back(store.spec.dataset_name);
    }
    if (models.empty()) {
        throw Error(ErrorCode::usage, fmt::format("no data set is called `{}`{}", options.clean,
                                                  suggest(options.clean, datasets)));
    }
    const auto unknown = find_versions(stores, models, options.clean, counts);
    std::size_t attack_stores = 0;
    for (const std::string& model : models) {
        const StoresOfModel own = stores_of(model, stores);
        if (own.versions.empty() && own.clean->attacked) {
            ++attack_stores;
        } else if (own.versions.empty()) {
            if (!chosen.empty()) continue;  // the caller knows what to say
            result.warnings.push_back(fmt::format(
                "`{}` has no predictions on corrupted images. These are data sets "
                "whose folder is <corruption>/<severity>, or whose name ends like "
                "fog_3. Versions of `assay predict --corrupt` count only if they are of `{}`",
                model, options.clean));
        } else {
            const std::set<std::string> files = look_for_differences(model, own, result);
            EachRatio with_files;
            if (each) {
                with_files = [&](const auto& measured, const StoreSpec& clean,
                                 CorruptionRatio ratio) {
                    ratio.one_file = files.size() <= 1;
                    if (files.size() == 1) ratio.model_hash = *files.begin();
                    each(measured, clean, ratio);
                };
            }
            result.models.push_back(measure_model(model, own, options, result, with_files));
        }
    }
    result.warnings.insert(result.warnings.end(), unknown.begin(), unknown.end());
    if (attack_stores > 0) {
        result.notes.push_back(fmt::format(
            "{} of attacks or of calibrated scores (MODEL@...) {} skipped: no further models",
            attack_stores == 1 ? "a store" : fmt::format("{} stores", attack_stores),
            attack_stores == 1 ? "is" : "are"));
    }
    return result;
}

}  // namespace assay
