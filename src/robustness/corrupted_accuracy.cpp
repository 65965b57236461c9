#include "assay/robustness/corrupted_accuracy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "data/dataset_name.h"
#include "robustness/clean_images.h"
#include "robustness/severity_stack.h"
#include "robustness/version_means.h"
#include "robustness/version_stores.h"
#include "store/data_groups.h"
#include "store/outcomes.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using robustness::CleanImages;
using robustness::ClosedStore;
using robustness::CorruptionRatio;
using robustness::EachRatio;
using robustness::HasVersion;
using robustness::ModelVersions;
using robustness::Outcomes;
using robustness::StoresOfModel;

/// Finds differences that make the stores of one model inconsistent. Returns the hashes of the
/// model's files: more than one if the stores are from several files.
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
        result.warnings.push_back(fmt::format(
            "`{}` is not the same file on every data set, so its results mix different models",
            model));
    }
    if (settings.size() > 1) {
        result.warnings.push_back(
            fmt::format("{}: the images were corrupted in {} ways ({}), so the mean mixes "
                        "different measurements",
                        model, settings.size(), fmt::join(settings, ", ")));
    }
    if (steps.size() > 1) {
        result.warnings.push_back(
            fmt::format("{}: the corrupted data sets were preprocessed in {} ways, so the mean "
                        "mixes different measurements",
                        model, steps.size()));
    } else if (std::ranges::any_of(own.versions, [&](const ClosedStore* store) {
                   return !store::same_preprocessing(store->spec, own.clean->spec);
               })) {
        result.notes.push_back(fmt::format(
            "{}: the corrupted images were preprocessed in a different way than the clean ones",
            model));
    }
    return files;
}

/// The same name with two profiles means different images, so no mean covers both.
void check_profiles(const StoresOfModel& own, const ClosedStore*& first) {
    for (const ClosedStore* store : own.versions) {
        if (!store->profile) continue;
        if (first == nullptr) first = store;
        if (store->profile != first->profile) {
            refuse(fmt::format(
                "{} is of the parameters of {} and {} of those of {}: they are never compared; "
                "name the data sets of one of them",
                first->folder.string(), published_set(*first->profile), store->folder.string(),
                published_set(*store->profile)));
        }
    }
}

/// With a version that has no scored image, no image would be common to all versions.
void drop_unscored(CorruptedModel& model, std::vector<Outcomes>& outcomes,
                   CorruptedAccuracyResult& result) {
    const auto is_unscored = [](const Outcomes& version) {
        return std::ranges::all_of(version, [](RowOutcome o) { return o == RowOutcome::none; });
    };
    if (std::ranges::all_of(outcomes, is_unscored)) return;  // is refused
    for (std::size_t v = outcomes.size(); v-- > 0;) {
        if (!is_unscored(outcomes[v])) continue;
        const auto at = static_cast<std::ptrdiff_t>(v);
        result.warnings.push_back(fmt::format("{}: `{}` has no image with a score: not counted",
                                              model.model, model.versions[v].dataset));
        outcomes.erase(outcomes.begin() + at);
        model.versions.erase(model.versions.begin() + at);
    }
}

CorruptedModel measure_model(const std::string& model, const StoresOfModel& own,
                             const CorruptedAccuracyOptions& options,
                             CorruptedAccuracyResult& result, const EachRatio& each) {
    const int threads = resolve_threads(options.threads);
    const PredictionStore clean = PredictionStore::open(own.clean->folder);
    const CleanImages images(clean.dataset());
    CorruptedModel measured;
    measured.model = model;
    for (const ClosedStore* one : own.versions)
        if (one->profile) measured.profile = one->profile;
    std::vector<Outcomes> outcomes;
    std::uint64_t relabelled = 0, ambiguous = 0;
    for (const ClosedStore* one : own.versions) {
        measured.versions.push_back(
            {one->version.corruption, one->version.severity, one->spec.dataset_name, Estimate{}});
        const PredictionStore store = PredictionStore::open(one->folder);  // closed before the next
        if (!one->settings.empty() && !store::saw_same_files(clean, store).value_or(true)) {
            refuse(
                fmt::format("{}: the corrupted images and those that {} saw under the same ids "
                            "differ: predict both on the same data set",
                            one->folder.string(), own.clean->folder.string()));
        }
        std::vector<RowOutcome> rows = outcomes_of(store, threads);
        const robustness::OneSeverity part =
            one->stacked ? robustness::one_severity(store.dataset(), rows, one->version.severity)
                         : robustness::OneSeverity{};
        CleanImages::ByImage own_outcomes = one->stacked
                                                ? images.by_image(part.images, part.outcomes)
                                                : images.by_image(store.dataset(), rows);
        outcomes.push_back(std::move(own_outcomes.outcomes));
        relabelled += own_outcomes.relabelled;
        ambiguous = std::max(ambiguous, own_outcomes.ambiguous);
    }
    drop_unscored(measured, outcomes, result);
    ModelVersions versions(measured,
                           images.by_image(clean.dataset(), outcomes_of(clean, threads)).outcomes,
                           std::move(outcomes), options.level);
    versions.measure();
    if (each) each(measured, clean.spec(), versions.ratio());
    if (ambiguous > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} clean images share their name with another one of a different "
                        "extension, so their corrupted images are ambiguous and not counted",
                        model, ambiguous));
    }
    if (relabelled > 0) {
        result.warnings.push_back(fmt::format(
            "{}: {} corrupted image{} a different label than the clean one and are not counted",
            model, relabelled, relabelled == 1 ? " has" : "s have"));
    }
    if (measured.images < images.size()) {
        result.warnings.push_back(
            fmt::format("{}: only {} of the {} clean images are in every data set, with a single "
                        "label and scores; the others are skipped",
                        model, measured.images, images.size()));
    }
    return measured;
}

}  // namespace

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
        throw Error(ErrorCode::usage, fmt::format("no data set is named `{}`{}", options.clean,
                                                  suggest(options.clean, datasets)));
    }
    const auto unknown = find_versions(stores, models, options.clean, counts);
    std::size_t attack_stores = 0;
    const ClosedStore* of_profile = nullptr;
    for (const std::string& model : models) {
        const StoresOfModel own = stores_of(model, stores);
        if (own.versions.empty() && own.clean->attacked) {
            ++attack_stores;
        } else if (own.versions.empty()) {
            if (!chosen.empty()) continue;  // the caller writes its own message
            result.warnings.push_back(fmt::format(
                "`{}` has no predictions on corrupted images. These are data sets whose folder is "
                "<corruption>/<severity>, or whose name ends like fog_3. Versions of `assay "
                "predict --corrupt` only count if they were made from `{}` or a sample of it",
                model, options.clean));
        } else {
            check_profiles(own, of_profile);
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
        result.notes.push_back(
            fmt::format("{} of attacks, smoothed models or calibrated scores (MODEL@...) {} "
                        "skipped: they are not further models",
                        attack_stores == 1 ? "a store" : fmt::format("{} stores", attack_stores),
                        attack_stores == 1 ? "is" : "are"));
    }
    return result;
}

}  // namespace assay
