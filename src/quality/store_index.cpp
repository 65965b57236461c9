#include "quality/store_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay::quality {

void NamedStores::add(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    take_items(store);
    if (derived_of(store).is_variant()) attacked_.insert(store.folder());
    const auto [at, fresh] = folders_[spec.dataset_name].emplace(spec.model_name, store.folder());
    if (fresh) return;
    refuse(fmt::format("{} and {} are both predictions of `{}` on `{}`: move one of them away",
                       at->second.string(), store.folder().string(), spec.model_name,
                       spec.dataset_name));
}

void NamedStores::take_items(const PredictionStore& store) {
    const std::string& name = store.spec().dataset_name;
    const auto [at, fresh] = first_.try_emplace(name, store.folder());
    const std::filesystem::path own = store.folder().parent_path();
    if (fresh || own == at->second.parent_path() || compared_.contains(own)) return;
    constexpr store::Needs all = {
        .images = true, .classes = true, .labels = true, .name = true, .attributes = true};
    const PredictionStore first = PredictionStore::open(at->second);
    const store::SameData same = store::same_data(first, store, all);
    if (!same.meets(all)) {
        refuse(
            fmt::format("{} and {} belong to two data sets named `{}`, with {}: predict one of "
                        "them under another name, or move its predictions away",
                        first.folder().string(), store.folder().string(), name,
                        store::difference(first, store, all)));
    }
    // If the records of one folder give no answer, the records of the next folder may.
    if (same.files) compared_.insert(own);
}

StoreIndex::StoreIndex(const MeasureQualityOptions& options) : options_(options) {
    std::set<std::string> measured = {options.corrupted, options.attacked};
    for (const auto& of_role : options.data) measured.insert(of_role.second);
    for (const std::filesystem::path& folder : find_stores(options.runs)) {
        const PredictionStore store = PredictionStore::open(folder);
        const std::string& name = store.spec().dataset_name;
        names_.insert(name);
        if (measured.contains(name)) stores_.add(store);
    }
    for (const auto& [role, name] : options.data) {
        known(name, facts_of(role).name);
        for (const auto& [other, same] : options.data) {
            if (other < role && same == name) {
                throw Error(ErrorCode::usage,
                            fmt::format("`{}` cannot be both {} and {}: their images differ", name,
                                        facts_of(other).name, facts_of(role).name));
            }
        }
    }
    val_ = dataset_of(Role::val);
    if (val_.empty()) {
        throw Error(ErrorCode::usage,
                    "no data set is assigned to `val`, the clean images, which every measurement "
                    "needs: pass --val NAME");
    }
    corrupted_ = options.corrupted.empty() ? val_ : known(options.corrupted, "corrupted");
    attacked_ = options.attacked.empty() ? val_ : known(options.attacked, "attacked");
    std::vector<std::string> all;
    for (const auto& store : stores_.folders().at(val_)) all.push_back(store.first);
    const auto is_attacked = [&](const std::string& model) {
        return stores_.attacked(stores_.folders().at(val_).at(model));
    };
    for (const std::string& model : options.models) {
        if (std::ranges::find(all, model) == all.end()) {
            std::erase_if(all, is_attacked);
            throw Error(ErrorCode::usage, fmt::format("no predictions of `{}` on `{}`{}", model,
                                                      val_, suggest(model, all)));
        }
        if (std::ranges::find(models_, model) == models_.end()) models_.push_back(model);
    }
    if (!options.models.empty()) return;
    for (const std::string& model : all) {
        if (!is_attacked(model)) models_.push_back(model);
    }
}

std::string StoreIndex::known(const std::string& name, std::string_view what) const {
    if (names_.contains(name)) return name;
    const std::vector<std::string> names(names_.begin(), names_.end());
    throw Error(ErrorCode::usage, fmt::format("{} is `{}`, which is not a data set in {}{}", what,
                                              name, options_.runs.string(), suggest(name, names)));
}

std::string StoreIndex::dataset_of(Role role) const {
    const auto at = options_.data.find(role);
    return at == options_.data.end() ? "" : at->second;
}

bool StoreIndex::has(const std::string& dataset, const std::string& model) const {
    const auto at = stores_.folders().find(dataset);
    return at != stores_.folders().end() && at->second.contains(model);
}

PredictionStore StoreIndex::open(const std::string& dataset, const std::string& model,
                                 const std::string& as) const {
    PredictionStore store = PredictionStore::open(stores_.folders().at(dataset).at(model));
    const Clean& clean = clean_of(as);
    const StoreSpec &own = store.spec(), &val = clean.spec;
    const std::string both = fmt::format("{} and {}", clean.folder, store.folder().string());
    check_file(as, store::model_file_of(val), clean.folder);
    check_file(as, store::model_file_of(own), store.folder().string());
    if (own.classes != val.classes) {
        refuse(fmt::format("{} come from {} and {}, which are different classifiers", both,
                           val.classes, how_many(own.classes, "class", "classes")));
    }
    const ClassList &one = clean.classes, &other = store.dataset().classes;
    if (!store::same_classes(one, other).in_order()) {
        refuse(fmt::format("{} have different classes: {}", both,
                           store::classes_difference(one, other, store::Sides())));
    }
    return store;
}

void StoreIndex::check_file(const std::string& model, const std::string& hash,
                            const std::string& where) const {
    if (hash.empty()) return;
    const auto [at, fresh] = files_.try_emplace(model, File{hash, where});
    if (fresh || store::same_model_file(at->second.hash, hash)) return;
    refuse(
        fmt::format("{} and {} are predictions of two files named `{}`: predict again with one of "
                    "them, or under another name",
                    at->second.where, where, model));
}

const StoreIndex::Clean& StoreIndex::clean_of(const std::string& model) const {
    const auto at = clean_.find(model);
    if (at != clean_.end()) return at->second;
    const PredictionStore store = PredictionStore::open(stores_.folders().at(val_).at(model));
    return clean_
        .emplace(model, Clean{store.spec(), store.dataset().classes, store.folder().string()})
        .first->second;
}

void check_same_items(const PredictionStore& one, const PredictionStore& other) {
    store::require_same(one, other);
}

}  // namespace assay::quality
