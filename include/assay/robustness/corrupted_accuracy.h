// Accuracy under corruptions from stored predictions: by corruption and severity, their mean,
// relative to the clean images, and the mean corruption error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/plugin_files.h"
#include "assay/report.h"
#include "assay/robustness/corruption.h"

namespace assay {

struct CorruptedAccuracyOptions {
    std::vector<std::string> paths;  ///< RUNS folders, data sets in them, or stores
    std::string clean;               ///< name of the data set without corruption
    PluginFiles plugins = {};        ///< whose corruptions count, too; as load_corruptions()
    double level = 0.95;             ///< of the intervals
    int threads = 0;                 ///< 0: one per core; changes no bit
};

/// Of one data set of corrupted images.
struct CorruptedVersion {
    const Corruption* corruption = nullptr;
    int severity = 0;
    std::string dataset;
    Estimate accuracy;  ///< top-1; Wilson
};

/// A weighted mean over versions, each corruption counting once, each of its severities equally.
struct CorruptedMean {
    Estimate accuracy;  ///< interval by the deviation between images
    Estimate relative;  ///< divided by the clean accuracy of the same images; by influence
};

struct CorruptedModel {
    std::string model;
    std::uint64_t images = 0;  ///< that all versions and the clean data set have: what all is about
    Estimate clean;            ///< top-1 of these; Wilson
    std::vector<CorruptedVersion> versions;  ///< in the order of the table, by severity
    struct ByCorruption {
        const Corruption* corruption;
        CorruptedMean mean;
    };
    std::vector<ByCorruption> corruptions;  ///< those that are there, over the severities there
    /// Whose parameters the corruptions have; nothing: no record tells. Equal names of two profiles
    /// are refused.
    std::optional<CorruptionProfile> profile;
    CorruptedMean paper;    ///< over the 15 x 5; undefined, with what is missing, where one is
    CorruptedMean present;  ///< over those of the 15 that are there; undefined where none is
    /// Mean over the 15 of error / AlexNet's error, both means over the severities. Undefined, with
    /// the mean error without that division, where the parameters are not those of ImageNet-C.
    Estimate mce;
};

struct CorruptedAccuracyResult {
    std::string clean;
    std::vector<CorruptedModel> models;
    bool partial = false;  ///< a store that was used is not complete
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< what else to know, below the table
};

/// "fog" and 3 of a data set whose images lie in .../fog/3, or whose name ends so: "val_fog_3";
/// nullptr and 0 of any other.
struct VersionOf {
    const Corruption* corruption = nullptr;
    int severity = 0;
};
VersionOf version_of(const std::filesystem::path& folder, std::string_view name);

/// What predict --corrupt made of another data set than `clean`, of another sample of it too, does
/// not count: its name is <data set>_<corruption>_<severity>. Images are the same where their ids
/// are, or else their ids without extensions; where no image of a corrupted data set is found so,
/// the names of the files. Items without a single label, of another label than the clean image,
/// that share a clean image with another, and those without scores in one of the data sets, do not
/// count. A model without corrupted images is left out with a warning; stores of one model that are
/// of different files or preprocessing get one. Throws usage: no data set of that name, no
/// corrupted images of any model; bad_input: as PredictionStore::open(), two stores of one model
/// and the clean data set, or of one model, corruption and severity, no image in common. Cost: one
/// pass over the predicted classes of each store, one of them open at a time beside the clean one;
/// a byte of memory per image and version.
CorruptedAccuracyResult measure_corrupted(const CorruptedAccuracyOptions& options);

/// "assay.corrupted_accuracy/1". CSV holds a row per model, corruption and severity. Partial where
/// a store is.
Report report_of(const CorruptedAccuracyResult& result);

}  // namespace assay
