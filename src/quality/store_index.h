// The stores in a RUNS folder, and those that a measurement uses.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/quality/measure.h"
#include "assay/store/prediction_store.h"

namespace assay::quality {

/// Stores keyed by the names of their data sets and models.
class NamedStores {
public:
    /// Throws bad_input if the name is ambiguous because of a second store of the model on a data
    /// set with that name. Also throws it for different items, and for different images if the
    /// records of the folders with that name show this.
    void add(const PredictionStore& store);
    /// Their folders, keyed by data set and model.
    const std::map<std::string, std::map<std::string, std::filesystem::path>>& folders() const {
        return folders_;
    }

    /// True if the store, which must be one of those that were added, is from an attack.
    bool attacked(const std::filesystem::path& folder) const { return attacked_.contains(folder); }

private:
    void take_items(const PredictionStore& store);

    std::map<std::string, std::map<std::string, std::filesystem::path>> folders_;
    /// one store per data set, keyed by its name
    std::map<std::string, std::filesystem::path> first_;
    std::set<std::filesystem::path> attacked_;
    /// Folders of data sets whose images were compared with those of the first with the same name.
    std::set<std::filesystem::path> compared_;
};

class StoreIndex {
public:
    /// Throws usage for a missing `val`, a name that is not a data set, a data set with two roles,
    /// or an unknown model. Throws bad_input as find_stores() does, and as NamedStores does for
    /// measured data sets.
    explicit StoreIndex(const MeasureQualityOptions& options);

    /// The measured models: the requested models, or all models that have predictions for `val`.
    /// Stores of attacks are excluded.
    const std::vector<std::string>& models() const { return models_; }
    /// Name of a role's data set; "" if the role has none.
    std::string dataset_of(Role role) const;
    const std::string& corrupted() const { return corrupted_; }
    const std::string& attacked() const { return attacked_; }
    bool has(const std::string& dataset, const std::string& model) const;
    /// Throws bad_input as PredictionStore::open() and check_file() do. Also throws it if the store
    /// does not have as many classes in the same order as `val`'s store of `as`. `as` is a model:
    /// the same as `model`, except for the stores of its attacks.
    PredictionStore open(const std::string& dataset, const std::string& model,
                         const std::string& as) const;
    /// Refuses predictions, at `where`, of a file other than the first file of `model`. The first
    /// file is the one that was given or opened first. The hash "" means imports, whose hash is
    /// that of their scores.
    void check_file(const std::string& model, const std::string& hash,
                    const std::string& where) const;

private:
    /// Properties that all stores of a classifier must share.
    struct Clean {
        StoreSpec spec;
        ClassList classes;
        std::string folder;
    };

    std::string known(const std::string& name, std::string_view what) const;
    const Clean& clean_of(const std::string& model) const;

    const MeasureQualityOptions& options_;
    NamedStores stores_;           ///< stores of the measured data sets
    std::set<std::string> names_;  ///< names of all data sets
    std::string val_, corrupted_, attacked_;
    std::vector<std::string> models_;
    mutable std::map<std::string, Clean> clean_;  ///< each is read once
    /// The observations of check_file() for each model.
    struct File {
        std::string hash, where;
    };
    mutable std::map<std::string, File> files_;
};

/// Refuses predictions whose row i is for a different image. This means different items, another
/// number of items, or different images according to the records.
void check_same_items(const PredictionStore& one, const PredictionStore& other);

}  // namespace assay::quality
