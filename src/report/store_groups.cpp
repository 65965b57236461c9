#include "report/store_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "assay/store/prediction_store.h"
#include "core/json_limits.h"
#include "report/told_apart.h"
#include "store/image_check.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What is known of how the store was made, as its manifest has it.
json provenance_of(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    json out = {{"store", store.folder().string()},
                {"model", spec.model_name},
                {"dataset", spec.dataset_name},
                {"model_hash", spec.model_hash},
                {"dataset_id", store::dataset_id_of(store)},
                {"rows", store.rows()},
                {"missing", store.missing_shards()},
                {"classes", store.classes()},
                {"kind", name_of(spec.kind)},
                {"storage", name_of(spec.storage)}};
    if (!spec.preprocess_hash.empty()) out["preprocess_hash"] = spec.preprocess_hash;
    if (spec.provenance_json.empty()) return out;
    constexpr int deepest = 32;
    const json made = parse_json(spec.provenance_json, deepest);
    for (const char* key : {"command", "versions", "commit", "device", "processor"})
        if (made.is_object() && made.contains(key)) out[key] = made[key];
    return out;
}

/// Stores with one of these hold the same items, labels and classes.
std::string key_of(const PredictionStore& store) {
    const std::string id = store::dataset_id_of(store);
    if (!id.empty()) return id;
    return fmt::format("{}/{}/{}", store.spec().ids_hash, store.spec().dataset_name,
                       store.classes());
}

std::string clean_name_of(const StoreGroup& group) {
    if (group.version.corruption == nullptr) return {};
    const std::string end =
        fmt::format("_{}_{}", group.version.corruption->name, group.version.severity);
    return group.own_dataset.ends_with(end) && group.own_dataset.size() > end.size()
               ? group.own_dataset.substr(0, group.own_dataset.size() - end.size())
               : std::string();
}

void name_datasets(std::vector<StoreGroup>& groups, std::vector<std::string>& warnings) {
    std::vector<NamedFolder> named;
    for (const StoreGroup& group : groups) named.push_back({group.own_dataset, group.folder});
    const std::vector<std::string> names = told_apart(named);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].dataset = names[i];
        if (names[i] != groups[i].own_dataset)
            warnings.push_back(fmt::format("several data sets are called `{}`: one of them is `{}`",
                                           groups[i].own_dataset, names[i]));
    }
}

void name_models(StoreGroup& group, std::vector<std::string>& warnings) {
    std::vector<NamedFolder> named;
    for (const ReportStore& store : group.stores) named.push_back({store.own_model, store.folder});
    const std::vector<std::string> names = told_apart(named);
    for (std::size_t i = 0; i < names.size(); ++i) {
        ReportStore& store = group.stores[i];
        store.model = names[i];
        if (names[i] != store.own_model)
            warnings.push_back(
                fmt::format("several models on {} are called `{}`: one of them is `{}`",
                            group.dataset, store.own_model, names[i]));
        store.provenance["dataset"] = group.dataset;
        store.provenance["model"] = store.model;
    }
    std::stable_sort(group.stores.begin(), group.stores.end(),
                     [](const auto& a, const auto& b) { return a.model < b.model; });
}

/// What most models saw is what most readers come for; corrupted images follow their clean ones.
bool comes_first(const StoreGroup& a, const StoreGroup& b) {
    const auto order_of = [](const StoreGroup& group) {
        const std::uint64_t models = group.stores.size();
        const std::uint64_t items = models > 0 ? group.rows() / models : 0;
        return std::tuple(group.version.corruption != nullptr, ~models, ~items);
    };
    return order_of(a) < order_of(b);
}

}  // namespace

std::uint64_t StoreGroup::rows() const {
    std::uint64_t sum = 0;
    for (const ReportStore& store : stores) sum += store.rows;
    return sum;
}

std::vector<StoreGroup> group_stores(const std::vector<fs::path>& folders,
                                     std::vector<std::string>& warnings) {
    std::vector<StoreGroup> groups;
    std::map<std::string, std::size_t> places;
    for (const fs::path& folder : folders) {
        const PredictionStore store = PredictionStore::open(folder);
        const auto [place, fresh] = places.emplace(key_of(store), groups.size());
        if (fresh) {
            StoreGroup& group = groups.emplace_back();
            group.own_dataset = store.spec().dataset_name;
            group.folder = folder.lexically_normal().parent_path();
            group.version = version_of(store.dataset().root, group.own_dataset);
            group.corrupted_from = clean_name_of(group);
        }
        groups[place->second].stores.push_back({.folder = folder,
                                                .model = {},
                                                .own_model = store.spec().model_name,
                                                .rows = store.rows(),
                                                .provenance = provenance_of(store)});
        if (std::string writing = writer_warning(store); !writing.empty())
            warnings.push_back(std::move(writing));
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.own_dataset < b.own_dataset; });
    name_datasets(groups, warnings);
    for (StoreGroup& group : groups) name_models(group, warnings);
    std::stable_sort(groups.begin(), groups.end(), comes_first);
    return groups;
}

}  // namespace assay
