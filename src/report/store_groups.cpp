#include "report/store_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"
#include "core/json_limits.h"
#include "core/told_apart.h"
#include "store/data_groups.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

StoreProvenance provenance_of(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    StoreProvenance out{.store = store.folder().string(),
                        .model = spec.model_name,
                        .dataset = spec.dataset_name,
                        .model_hash = spec.model_hash,
                        .dataset_id = store::dataset_id_of(store),
                        .rows = store.rows(),
                        .missing = store.missing_shards(),
                        .classes = store.classes(),
                        .kind = std::string(name_of(spec.kind)),
                        .storage = std::string(name_of(spec.storage)),
                        .preprocess_hash = spec.preprocess_hash,
                        .command = {},
                        .versions = {},
                        .commit = {},
                        .device = {},
                        .processor = {}};
    if (spec.provenance_json.empty()) return out;
    constexpr int deepest = 32;
    const json made = parse_json(spec.provenance_json, deepest);
    const auto said = [&](const char* key) {
        return made.is_object() && made.contains(key) ? std::optional(made[key]) : std::nullopt;
    };
    out.command = said("command");
    out.versions = said("versions");
    out.commit = said("commit");
    out.device = said("device");
    out.processor = said("processor");
    return out;
}

std::string clean_name_of(const StoreGroup& group) {
    if (group.version.corruption == nullptr) return {};
    const std::string end =
        fmt::format("_{}_{}", group.version.corruption->name, group.version.severity);
    return group.own_dataset.ends_with(end) && group.own_dataset.size() > end.size()
               ? group.own_dataset.substr(0, group.own_dataset.size() - end.size())
               : std::string();
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
                fmt::format("several models on {} are named `{}`: one of them is shown as `{}`",
                            group.dataset, store.own_model, names[i]));
        store.provenance.dataset = group.dataset;
        store.provenance.model = store.model;
    }
    std::stable_sort(group.stores.begin(), group.stores.end(),
                     [](const auto& a, const auto& b) { return a.model < b.model; });
}

/// Data sets of most models are first. Changed images are last.
bool comes_first(const StoreGroup& a, const StoreGroup& b) {
    const auto order_of = [](const StoreGroup& group) {
        const std::uint64_t models = group.stores.size();
        const std::uint64_t items = models > 0 ? group.rows() / models : 0;
        return std::tuple(!group.variant.empty(), group.version.corruption != nullptr, ~models,
                          ~items);
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
    store::DataGroups datasets;
    std::map<std::pair<std::size_t, std::string>, std::size_t> places;  // by data set and variant
    for (const fs::path& folder : folders) {
        const PredictionStore store = PredictionStore::open(folder);
        const DerivedStore derived = derived_of(store);
        const auto [place, fresh] =
            places.emplace(std::pair(datasets.of(store), variant_text(derived)), groups.size());
        if (fresh) {
            StoreGroup& group = groups.emplace_back();
            group.own_dataset = store.spec().dataset_name;
            group.variant = variant_text(derived);
            group.folder = folder.lexically_normal().parent_path();
            group.version = version_of(store.dataset().root, group.own_dataset);
            group.corrupted_from = clean_name_of(group);
        }
        groups[place->second].stores.push_back(
            {.folder = folder,
             .model = {},
             .own_model = derived.is_variant() ? derived.model : store.spec().model_name,
             .rows = store.rows(),
             .provenance = provenance_of(store)});
        if (std::string writing = writer_warning(store); !writing.empty())
            warnings.push_back(std::move(writing));
    }
    const std::vector<std::string> names = datasets.names(warnings);
    for (const auto& [key, place] : places) {
        const auto& [dataset, variant] = key;
        groups[place].dataset = names[dataset] + (variant.empty() ? "" : " " + variant);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return std::tie(a.own_dataset, a.variant) < std::tie(b.own_dataset, b.variant);
    });
    for (StoreGroup& group : groups) name_models(group, warnings);
    std::stable_sort(groups.begin(), groups.end(), comes_first);
    return groups;
}

}  // namespace assay
