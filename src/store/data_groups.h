// Which stores are of one data set: its name alone does not tell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// Numbers data sets from 0, in the order in which they are met. Stores of one number have the same
/// name of the data set, ids, labels, attributes and classes. They saw the same images as far as
/// their records tell, corrupted in the same way or not at all.
class DataGroups {
public:
    /// Cost: that of opening two stores, once for each folder of a data set.
    std::size_t of(const PredictionStore& store);

    /// By number, a name of its own for each: data sets that share a name get as much of their
    /// folder as tells them apart. `warnings` then gets a sentence that names the folders.
    std::vector<std::string> names(std::vector<std::string>& warnings) const;

    /// The folder of the first store's data set.
    const std::filesystem::path& folder(std::size_t group) const { return groups_[group].folder; }

private:
    struct Group {
        std::string key;                      ///< equal where all but the files is the same
        std::string name;                     ///< as the stores say
        std::filesystem::path folder, store;  ///< of the first store
        bool in_memory = false;
    };
    std::vector<Group> groups_;
    std::map<std::filesystem::path, std::size_t> by_folder_;
};

/// The one data set that people call by a name.
class CalledData {
public:
    explicit CalledData(std::string name) : name_(std::move(name)) {}

    /// Whether the store's data set has the name. Throws usage where an earlier store of this name
    /// is of another data set, with the folders of both. Cost: as DataGroups::of().
    bool is_of(const PredictionStore& store);

private:
    std::string name_;
    DataGroups groups_;
};

}  // namespace assay::store
