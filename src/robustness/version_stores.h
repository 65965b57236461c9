// The stores that accuracy under corruptions is measured from, found and looked at but not open.
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
    std::string settings;  ///< of the corruptions, where they are known, as JSON
    bool clean = false;
    bool complete = true;
    std::string writing;  ///< writer_warning()
    bool attacked = false;
    std::string part = {};  ///< part_in() of the images that the version was made of
    /// Whose parameters its corruption has; nothing: no record tells.
    std::optional<CorruptionProfile> profile = std::nullopt;
    bool stacked = false;  ///< holds all five severities, and this is about one of them
};

/// All stores of the paths. Throws as PredictionStore::open().
std::vector<ClosedStore> look_at(const CorruptedAccuracyOptions& options);
/// Finds which versions they hold, of the stores of `models`: a data set is read once for it,
/// whatever its models are. Versions of other images than `clean` do not count, nor do those that
/// `counts` leaves out; those of a part of the clean images do. A store of all severities becomes
/// one for each of them. Returns what else to know. Throws bad_input: a version that a plug-in of
/// other contents made.
std::vector<std::string> find_versions(std::vector<ClosedStore>& stores,
                                       const std::vector<std::string>& models,
                                       const std::string& clean, const HasVersion& counts);

/// The stores of one model.
struct StoresOfModel {
    const ClosedStore* clean = nullptr;
    std::vector<const ClosedStore*> versions;  ///< in the order of the table, by severity
};

/// Throws bad_input: two stores of one version or of the clean images.
StoresOfModel stores_of(const std::string& model, const std::vector<ClosedStore>& stores);

}  // namespace assay::robustness
