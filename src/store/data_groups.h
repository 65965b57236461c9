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
/// name of the data set, ids, labels, attributes and classes, and saw the same images as far as
/// their records tell.
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
        std::string key;                      ///< equal where all but the images is the same
        std::string name;                     ///< as the stores say
        std::filesystem::path folder, store;  ///< of the first store
        bool in_memory = false;
    };
    std::vector<Group> groups_;
    std::map<std::filesystem::path, std::size_t> by_folder_;
};

}  // namespace assay::store
