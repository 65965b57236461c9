// The stores for measuring accuracy under corruptions. They were found and checked but are not
// open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/robustness/corrupted_accuracy.h"
#include "assay/store/prediction_store.h"
#include "robustness/version_means.h"

namespace assay::robustness {

/// A store that is not open.
struct ClosedStore {
    std::filesystem::path folder;
    StoreSpec spec;
    VersionOf version;
    std::string settings;  ///< settings of the corruptions, if known, as JSON
    bool clean = false;
    bool complete = true;
    std::string writing;  ///< writer_warning()
    bool attacked = false;
    std::string part = {};  ///< part_in() of the images of the version
    /// The profile of the store's corruption; no value if no record names it.
    std::optional<CorruptionProfile> profile = std::nullopt;
    bool stacked = false;  ///< true if the store has all five severities, including this one
};

/// Finds all stores of the paths. Throws as PredictionStore::open() does.
std::vector<ClosedStore> look_at(const CorruptedAccuracyOptions& options);
/// Finds the versions in the stores of `models`: a data set is read once for all of its models.
/// Versions of a part of the clean images count. Versions of other images do not, nor versions that
/// `counts` excludes. A store of all severities becomes one store per severity. Returns further
/// notes. Throws bad_input for a version from another plug-in file.
std::vector<std::string> find_versions(std::vector<ClosedStore>& stores,
                                       const std::vector<std::string>& models,
                                       const std::string& clean, const HasVersion& counts);

/// The stores of one model.
struct StoresOfModel {
    const ClosedStore* clean = nullptr;
    std::vector<const ClosedStore*> versions;  ///< in the order of the table, by severity
};

/// Throws bad_input if there are two stores of one version or of the clean images.
StoresOfModel stores_of(const std::string& model, const std::vector<ClosedStore>& stores);

}  // namespace assay::robustness
