// Finds stores with the same data set, because names alone are not sufficient.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// Numbers data sets from 0 in the order of first occurrence. Stores with the same number share the
/// name of the data set, ids, labels, attributes and classes. According to their records, they used
/// the same images with the same corruption.
class DataGroups {
public:
    /// Cost: opening two stores, once for each folder of a data set.
    std::size_t of(const PredictionStore& store);

    /// A unique name for each number. Data sets with the same name get as much of their folder as
    /// needed to differ, and `warnings` gets a sentence that names the folders.
    std::vector<std::string> names(std::vector<std::string>& warnings) const;

    /// The folder of the first store's data set.
    const std::filesystem::path& folder(std::size_t group) const { return groups_[group].folder; }

private:
    struct Group {
        std::string key;                      ///< equal if everything except the files is equal
        std::string name;                     ///< name from the stores
        std::filesystem::path folder, store;  ///< those of the first store
        bool in_memory = false;
    };
    std::vector<Group> groups_;
    std::map<std::filesystem::path, std::size_t> by_folder_;
};

/// The data set to which a user's name refers.
class CalledData {
public:
    explicit CalledData(std::string name) : name_(std::move(name)) {}

    /// True if the store's data set has the name. Throws usage, with both folders, if an earlier
    /// store with this name has another data set. Costs as much as DataGroups::of().
    bool is_of(const PredictionStore& store);

private:
    std::string name_;
    DataGroups groups_;
};

}  // namespace assay::store
