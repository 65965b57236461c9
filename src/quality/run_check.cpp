// Compares the contents of RUNS with what a run will write there: they are measured together, so
// their names must distinguish them.
#include <fmt/format.h>

#include <set>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "quality/run_work.h"
#include "store/dataset_files.h"
#include "store/same_data.h"

namespace assay::quality {
namespace {

namespace fs = std::filesystem;

/// A data set for which the run makes stores.
struct PlannedData {
    const Dataset* items;
    std::string corruption;  ///< as JSON; "" means none
};

/// Stores by name.
std::map<std::string, PlannedData> planned_data(const QualityRunOptions& options,
                                                const RunWork& work) {
    std::map<std::string, PlannedData> planned;
    const auto add = [&](const Dataset& dataset) {
        planned.emplace(dataset.name, PlannedData{&dataset, ""});
    };
    for (const auto& of_role : options.data) add(of_role.second);
    if (options.attack) add(work.attacked);
    if (!work.versions) return planned;
    add(work.corrupted);
    for (const CorruptionVersion& version : work.versions->versions()) {
        planned.emplace(corrupted_dataset_name(work.corrupted.name, version),
                        PlannedData{&work.corrupted, work.versions->definition(version)});
    }
    return planned;
}

/// Returns nothing if the store is damaged. The code that uses the store reports that.
template <class Read>
auto unless_damaged(Read&& read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

/// The stores in RUNS, grouped by whether they are at the run's own places.
struct RunStores {
    std::map<std::string, fs::path> own;  ///< one folder per data set
    std::vector<fs::path> others;
};

RunStores stores_in(const fs::path& runs, const std::map<std::string, PlannedData>& planned) {
    RunStores out;
    const auto found = unless_damaged([&] { return look_for_stores(runs); });
    if (!found) return out;  // there are no stores
    for (const fs::path& store : found->stores) {
        const fs::path folder = store.parent_path();
        const std::string name = folder.filename().string();
        if (planned.contains(name) && folder == runs / name) {
            out.own.emplace(name, store);
        } else {
            out.others.push_back(store);
        }
    }
    return out;
}

/// Refuses `other`, from another folder, if its name is also that of the data set or of the run's
/// own store for that data set and model.
void check_other(const fs::path& runs, const std::string& name, const PlannedData& data,
                 const RunStores& stores, const std::set<std::string>& models,
                 const PredictionStore& other) {
    const std::string& model = other.spec().model_name;
    const fs::path own = runs / name;
    const auto here = unless_damaged([&] { return store::read_dataset_record(own); });
    const bool same =
        store::made_on(other, *data.items, name, data.corruption, here ? &*here : nullptr);
    const auto at = stores.own.find(name);
    const auto first = at == stores.own.end()
                           ? std::optional<PredictionStore>()
                           : unless_damaged([&] { return PredictionStore::open(at->second); });
    if (!same || (first && !store::same_data(*first, other).images())) {
        refuse(
            fmt::format("{} belongs to another data set that is also named `{}`: rename one of "
                        "them, or move its predictions away",
                        other.folder().string(), name));
    }
    if (models.contains(model) || is_folder(own / model)) {
        refuse(fmt::format("{} and {} are both predictions of `{}` on `{}`: move the first away",
                           other.folder().string(), (own / model).string(), model, name));
    }
}

}  // namespace

void check_runs(const QualityRunOptions& options, const RunWork& work) {
    const fs::path& runs = options.predict.runs;
    if (!is_folder(runs)) return;
    const std::map<std::string, PlannedData> planned = planned_data(options, work);
    const auto name_in = [](const fs::path& folder) -> std::string {
        const auto record = unless_damaged([&] { return store::read_dataset_record(folder); });
        return record ? record->name : "";
    };
    for (const auto& one : planned) {
        const fs::path folder = runs / one.first;
        const std::string there = name_in(folder);
        if (there.empty() || there == one.first) continue;
        refuse(
            fmt::format("{} holds predictions on the data set `{}`, but the folder was renamed and "
                        "the run would name it `{}`; name the folder `{}`, or move it away",
                        folder.string(), there, one.first, there));
    }
    std::set<std::string> models;
    for (const LoadedModel& model : options.models) models.insert(model.spec.name);
    const RunStores stores = stores_in(runs, planned);
    std::map<fs::path, std::string> names;  // names of folders
    for (const fs::path& folder : stores.others) {
        const fs::path dataset = folder.parent_path();
        auto at = names.find(dataset);
        if (at == names.end()) at = names.emplace(dataset, name_in(dataset)).first;
        const auto data = planned.find(at->second);
        if (data == planned.end()) continue;
        const auto other = unless_damaged([&] { return PredictionStore::open(folder); });
        if (other) check_other(runs, data->first, data->second, stores, models, *other);
    }
}

}  // namespace assay::quality
