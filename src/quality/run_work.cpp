#include "quality/run_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "assay/robustness/pixel_model.h"
#include "evaluate/prediction_run.h"
#include "robustness/version_means.h"

namespace assay::quality {
namespace {

/// The data sets that a dimension is measured on, in addition to val.
struct DimensionRoles {
    Dimension dimension;
    std::vector<Role> roles;
};
const std::vector<DimensionRoles>& dimension_roles() {
    static const std::vector<DimensionRoles> table = {
        {Dimension::ood_robustness,
         {Role::r, Role::sketch, Role::stylized, Role::edge, Role::silhouette}},
        {Dimension::object_focus, {Role::mixed_same, Role::mixed_rand}},
        {Dimension::shape_bias, {Role::cue_conflict}},
    };
    return table;
}

std::string sample_name(const Dataset& val, std::string_view what, std::size_t limit) {
    return fmt::format("{}-{}-{}", val.name, what, limit);
}

/// The name of a sample distinguishes it from the whole data set, so that they are not confused.
Dataset sample_of(const Dataset& val, std::string_view what, std::size_t limit) {
    if (limit == 0 || limit >= val.size()) return val;
    Dataset sample = stratified_sample(val, limit, 0);
    sample.name = sample_name(val, what, limit);
    return sample;
}

/// The reason why the model has no gradient, or "".
std::string gradient_problem(const LoadedModel& model, AttackSpace space) {
    const auto pixels = pixel_model(model.classifier, model.spec.preprocess, space);
    try {
        try_gradient(*pixels);
        return {};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return error.message();
    }
}

/// Checks the requirements on the clean images.
void check_val(const Dataset& val, bool corrupt) {
    bool labelled = false;
    for (std::size_t i = 0; i < val.size() && !labelled; ++i) labelled = val.single_label(i) >= 0;
    if (!labelled) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("no image of `{}` (val) has exactly one label: nothing can be "
                                "measured",
                                val.name));
    }
    const VersionOf there = version_of(val.root, val.name);
    if (!corrupt || there.corruption == nullptr) return;
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "the images of `{}` (val) are already corrupted, according to their folder or data set "
            "name: {} at severity {}. To measure the other dimensions, set corruptions = \"none\"",
            val.name, there.corruption->name, there.severity));
}

/// Adds dimensions that stored scores do not allow.
void add_unstored(const QualityRunOptions& options, std::vector<MissingDimension>& missing) {
    const StorageFormat storage = options.predict.storage.storage;
    if (storage == StorageFormat::full_f32 || storage == StorageFormat::full_f16) return;
    const std::string kept =
        fmt::format("the storage {} does not keep every class's score", name_of(storage));
    missing.push_back({Dimension::calibration_error, "", kept});
    if (storage == StorageFormat::label) missing.push_back({Dimension::class_balance, "", kept});
    for (const DimensionRoles& needed : dimension_roles()) {
        std::vector<std::string> asking;
        for (const Role role : needed.roles) {
            const auto data = options.data.find(role);
            if (data == options.data.end()) continue;
            if (role == Role::sketch && options.measure.own_class_sketch) continue;
            const auto map = question_of(role, data->second, options.models.front().spec.classes);
            if (map && map->decision != ClassMap::Decision::map_argmax)
                asking.push_back(fmt::format("{} ({})", facts_of(role).name, map->name));
        }
        const bool all_there = std::ranges::all_of(
            needed.roles, [&](const Role role) { return options.data.contains(role); });
        if (asking.empty() || !all_there) continue;
        missing.push_back(
            {needed.dimension, "",
             fmt::format("{}, which is needed on {}", kept, fmt::join(asking, ", "))});
    }
}

}  // namespace

void check(const QualityRunOptions& options) {
    const auto usage = [](const std::string& what) { throw Error(ErrorCode::usage, what); };
    if (options.models.empty()) usage("no model: name at least one");
    prediction::check_models(options.models);
    if (!options.data.contains(Role::val)) {
        usage("no data set has the role val, the clean images, which every dimension needs");
    }
    std::map<std::string, Role> roles;
    for (const auto& entry : options.data) {
        const auto [other, fresh] = roles.emplace(entry.second.name, entry.first);
        if (fresh) continue;
        usage(fmt::format("the data set `{}` has two roles, {} and {}", entry.second.name,
                          facts_of(other->second).name, facts_of(entry.first).name));
    }
    const Dataset& val = options.data.at(Role::val);
    const auto check_sample = [&](bool wanted, std::string_view what, std::size_t limit) {
        const std::string name = sample_name(val, what, limit);
        if (!wanted || limit == 0 || limit >= val.size() || !roles.contains(name)) return;
        usage(fmt::format(
            "the data set of the role {} is named `{}`, like a sample of val; rename it",
            facts_of(roles.at(name)).name, name));
    };
    check_sample(options.corrupt, "corrupted", options.corrupt_limit);
    check_sample(options.attack, "attacked", options.attack_limit);
    check_val(val, options.corrupt);
    if (options.corrupt) assay::check(options.corruptions);
    for (const auto& [role, dataset] : options.data) {
        with_note(
            fmt::format("looking at the classes of `{}` ({})", dataset.name, facts_of(role).name),
            [&role = role, &dataset = dataset, &options] {
                question_of(role, dataset, options.models.front().spec.classes);
            });
    }
}

std::vector<LoadedModel> models_on(const QualityRunOptions& options, Role role) {
    std::vector<LoadedModel> models = options.models;
    const auto own = options.preprocess.find(role);
    if (own == options.preprocess.end()) return models;
    for (std::size_t m = 0; m < models.size(); ++m) models[m].spec.preprocess = own->second.at(m);
    return models;
}

std::vector<LoadedModel> models_on_corrupted(const QualityRunOptions& options) {
    std::vector<LoadedModel> models = models_on(options, Role::val);
    for (LoadedModel& model : models) {
        model.spec.preprocess =
            corrupted_preprocess(model.spec.preprocess, options.corrupted_transform);
    }
    return models;
}

RunWork work_of(const QualityRunOptions& options) {
    check(options);
    RunWork work;
    const Dataset& val = options.data.at(Role::val);
    if (options.corrupt) {
        work.corrupted = sample_of(val, "corrupted", options.corrupt_limit);
        work.versions.emplace(options.corruptions, work.corrupted);
        work.notes = work.versions->notes();
        if (std::string left_out = work.versions->left_out_note(); !left_out.empty())
            work.notes.push_back(std::move(left_out));
    }
    if (options.attack) work.attacked = sample_of(val, "attacked", options.attack_limit);
    if (options.predict.storage.storage == StorageFormat::top_k) {
        work.notes.push_back(
            fmt::format("class balance: the storage {} keeps the true class's score only if it is "
                        "among the best, and some images lack it",
                        name_of(options.predict.storage.storage)));
    }
    check_runs(options, work);
    if (options.attack) {
        for (LoadedModel& model : models_on(options, Role::val)) {
            const std::string problem =
                with_note(fmt::format("trying the gradient of `{}`", model.spec.name),
                          [&] { return gradient_problem(model, options.measure.space); });
            if (problem.empty()) {
                work.attackable.push_back(std::move(model));
            } else {
                work.without_gradient.emplace(model.spec.name, problem);
            }
        }
    }
    return work;
}

std::vector<MissingDimension> left_out_of(const QualityRunOptions& options, const RunWork& work) {
    std::vector<MissingDimension> left_out;
    if (!options.attack)
        left_out.push_back({Dimension::adversarial_robustness, "", "no attack is requested"});
    for (const auto& [model, why] : work.without_gradient)
        left_out.push_back({Dimension::adversarial_robustness, model, why});
    if (!options.corrupt)
        left_out.push_back({Dimension::c_robustness, "", "no corruption is requested"});
    for (const DimensionRoles& needed : dimension_roles()) {
        std::vector<std::string_view> absent;
        for (const Role role : needed.roles) {
            if (!options.data.contains(role)) absent.push_back(facts_of(role).name);
        }
        if (absent.empty()) continue;
        left_out.push_back({needed.dimension, "",
                            fmt::format("no data set has the role{} {}",
                                        absent.size() == 1 ? "" : "s", fmt::join(absent, ", "))});
    }
    return left_out;
}

std::vector<MissingDimension> missing_of(const QualityRunOptions& options, const RunWork& work) {
    std::vector<MissingDimension> missing = left_out_of(options, work);
    if (work.versions) {
        const robustness::HasVersion chosen = [&](const Corruption& corruption, int severity) {
            return is_among(work.versions->versions(), corruption, severity);
        };
        const std::string why =
            robustness::missing_versions(chosen, robustness::frost_is_synthetic(chosen));
        if (!why.empty()) missing.push_back({Dimension::c_robustness, "", why});
    }
    add_unstored(options, missing);
    return missing;
}

ProgressCallback named_progress(const ProgressCallback& progress, std::string name) {
    if (!progress) return {};
    return [&progress, name = std::move(name)](const Progress& p) {
        Progress own = p;
        own.step = name;
        progress(own);
    };
}

}  // namespace assay::quality
