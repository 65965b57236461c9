// Which stores a RUNS folder has, and which of them a measurement uses.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/quality/measure.h"
#include "assay/store/prediction_store.h"

namespace assay::quality {

/// Stores by the names of their data sets and models.
class NamedStores {
public:
    /// Throws bad_input where the name tells it from no other one: a second store of the model on a
    /// data set that is called so, other items than that has, or other images, as far as records of
    /// the folders of that name tell.
    void add(const PredictionStore& store);
    /// Their folders, by data set and model.
    const std::map<std::string, std::map<std::string, std::filesystem::path>>& folders() const {
        return folders_;
    }

    /// Whether the store, one of those that were added, is of an attack.
    bool attacked(const std::filesystem::path& folder) const { return attacked_.contains(folder); }

private:
    void take_items(const PredictionStore& store);

    std::map<std::string, std::map<std::string, std::filesystem::path>> folders_;
    std::map<std::string, std::filesystem::path> first_;  ///< store of each data set, by its name
    std::set<std::filesystem::path> attacked_;
    /// Folders of data sets whose images were compared with those of the first of the name.
    std::set<std::filesystem::path> compared_;
};

class StoreIndex {
public:
    /// Throws usage: no `val`, a name that is no data set, two roles that one data set plays, an
    /// unknown model; bad_input: as find_stores(), and as NamedStores of the data sets that are
    /// measured.
    explicit StoreIndex(const MeasureQualityOptions& options);

    /// Those that are measured: the ones asked for, or all that have predictions of `val`, without
    /// stores of attacks.
    const std::vector<std::string>& models() const { return models_; }
    /// Name of a role's data set; "": none.
    std::string dataset_of(Role role) const;
    const std::string& corrupted() const { return corrupted_; }
    const std::string& attacked() const { return attacked_; }
    bool has(const std::string& dataset, const std::string& model) const;
    /// Throws bad_input as PredictionStore::open(), as check_file(), and where the store is not of
    /// as many classes in the same order as `val`'s of `as` (a model; the same but for the stores
    /// of its attacks).
    PredictionStore open(const std::string& dataset, const std::string& model,
                         const std::string& as) const;
    /// Refuses predictions, which lie `where`, of another file than the first one of `model` that
    /// this was told, or opened. "": of imports, whose hash is that of their scores.
    void check_file(const std::string& model, const std::string& hash,
                    const std::string& where) const;

private:
    /// What all stores of a classifier must agree with.
    struct Clean {
        StoreSpec spec;
        ClassList classes;
        std::string folder;
    };

    std::string known(const std::string& name, std::string_view what) const;
    const Clean& clean_of(const std::string& model) const;

    const MeasureQualityOptions& options_;
    NamedStores stores_;           ///< of the data sets that are measured
    std::set<std::string> names_;  ///< of all data sets
    std::string val_, corrupted_, attacked_;
    std::vector<std::string> models_;
    mutable std::map<std::string, Clean> clean_;  ///< read once each
    /// What check_file() has seen of each model.
    struct File {
        std::string hash, where;
    };
    mutable std::map<std::string, File> files_;
};

/// Refuses predictions of which row i is not of the same image: other items, other numbers of them,
/// other images as far as their records tell.
void check_same_items(const PredictionStore& one, const PredictionStore& other);

}  // namespace assay::quality
