#include "store/data_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "core/told_apart.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

/// If the keys are equal, the images' records decide.
constexpr Needs everything = {
    .images = true, .classes = true, .labels = true, .name = true, .attributes = true};

}  // namespace

std::size_t DataGroups::of(const PredictionStore& store) {
    const std::filesystem::path folder = store.folder().lexically_normal().parent_path();
    const bool in_memory = store.is_in_memory();
    if (!in_memory) {
        // StoreWriter ensures that a folder has only one data set.
        const auto known = by_folder_.find(folder);
        if (known != by_folder_.end()) return known->second;
    }
    const std::string key = data_key(store, everything);
    std::size_t number = 0;
    for (; number < groups_.size(); ++number) {
        const Group& group = groups_[number];
        if (group.key != key) continue;
        if (in_memory || group.in_memory ||
            saw_same_files(PredictionStore::open(group.store), store).value_or(true))
            break;
    }
    if (number == groups_.size())
        groups_.push_back({key, store.spec().dataset_name, folder, store.folder(), in_memory});
    if (!in_memory) by_folder_.emplace(folder, number);
    return number;
}

std::vector<std::string> DataGroups::names(std::vector<std::string>& warnings) const {
    std::vector<NamedFolder> named;
    std::map<std::string, std::vector<std::string>> folders;
    for (const Group& group : groups_) {
        named.push_back({group.name, group.folder});
        folders[group.name].push_back(fmt::format("`{}`", group.folder.string()));
    }
    std::vector<std::string> names = told_apart(named);
    std::map<std::string, int> times;
    for (std::string& name : names) {
        // Data sets in memory have no folder to distinguish them.
        if (const int n = ++times[name]; n > 1) name += fmt::format(" ({})", n);
    }
    for (const auto& [name, list] : folders) {
        if (list.size() == 1) continue;
        warnings.push_back(fmt::format(
            "{} are different data sets with the same name, `{}`, so each has its own tables",
            fmt::join(list, " and "), name));
    }
    return names;
}

bool CalledData::is_of(const PredictionStore& store) {
    if (store.spec().dataset_name != name_) return false;
    if (groups_.of(store) == 0) return true;
    throw Error(
        ErrorCode::usage,
        fmt::format("`{}` and `{}` are different data sets with the same name, `{}`: "
                    "use one of the two folders at a time",
                    groups_.folder(0).string(), store.folder().parent_path().string(), name_));
}

}  // namespace assay::store
