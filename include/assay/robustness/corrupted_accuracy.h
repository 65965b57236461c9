// Accuracy under corruptions from stored predictions: by corruption and severity, their mean, the
// ratio to clean accuracy, and the mean corruption error.
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
    PluginFiles plugins = {};        ///< plug-ins whose corruptions also count; see
                                     ///< load_corruptions()
    double level = 0.95;             ///< level of the intervals
    int threads = 0;                 ///< 0 means one thread per core; does not change results
};

/// The accuracy on one data set of corrupted images.
struct CorruptedVersion {
    const Corruption* corruption = nullptr;
    int severity = 0;
    std::string dataset;
    Estimate accuracy;  ///< top-1 with Wilson's interval
};

/// A weighted mean over versions: each corruption has the same weight, and so does each of its
/// severities.
struct CorruptedMean {
    Estimate accuracy;  ///< the interval uses the deviation between images
    Estimate relative;  ///< divided by the clean accuracy of the same images; the interval uses the
                        ///< influence
};

struct CorruptedModel {
    std::string model;
    std::uint64_t images = 0;  ///< images that all versions and the clean data set have: all values
                               ///< use these
    Estimate clean;            ///< top-1 over these images, with Wilson's interval
    std::vector<CorruptedVersion> versions;  ///< in the order of the table, by severity
    struct ByCorruption {
        const Corruption* corruption;
        CorruptedMean mean;
    };
    std::vector<ByCorruption> corruptions;  ///< the existing corruptions, over the existing
                                            ///< severities
    /// The profile of the corruptions' parameters; no value if no record names it. The same name
    /// with two profiles is refused.
    std::optional<CorruptionProfile> profile;
    CorruptedMean paper;    ///< over the 15 x 5 versions; if one is missing, undefined, with the
                            ///< missing ones
    CorruptedMean present;  ///< over the available versions of the 15; undefined if there are none
    /// Mean over the 15 of error / AlexNet's error, both as means over the severities. If the
    /// parameters are not those of ImageNet-C, it is undefined, with the mean error without that
    /// division.
    Estimate mce;
};

struct CorruptedAccuracyResult {
    std::string clean;
    std::vector<CorruptedModel> models;
    bool partial = false;  ///< a store that was used is incomplete
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< further notes, below the table
};

/// "fog" and 3 for a data set whose images are in .../fog/3, or whose name has this ending:
/// "val_fog_3"; nullptr and 0 for any other.
struct VersionOf {
    const Corruption* corruption = nullptr;
    int severity = 0;
};
VersionOf version_of(const std::filesystem::path& folder, std::string_view name);

/// Data sets that predict --corrupt made from another data set than `clean`, or from another sample
/// of it, do not count: the name is <data set>_<corruption>_<severity>. Images are the same if
/// their ids are equal, or otherwise their ids without extensions. If no image of a corrupted data
/// set is found in this way, file names are compared. Items are excluded if they have no single
/// label, another label than the clean image, or no scores in one of the data sets. Items that
/// share a clean image are excluded, too. A model without corrupted images is skipped with a
/// warning; stores of one model that are of different files or preprocessing get one. Throws usage
/// if there is no data set of that name, or no corrupted images of any model. Throws bad_input as
/// PredictionStore::open() does, and if there is no image in common. Throws bad_input for two
/// stores of one model and the clean data set, or of one model, corruption and severity. Cost: one
/// pass over the predicted classes of each store. One of them is open at a time, with the clean
/// one. Memory: a byte per image and version.
CorruptedAccuracyResult measure_corrupted(const CorruptedAccuracyOptions& options);

/// Schema "assay.corrupted_accuracy/1". The csv has a row per model, corruption and severity. The
/// report is partial if a store is.
Report report_of(const CorruptedAccuracyResult& result);

}  // namespace assay
