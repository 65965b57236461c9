// Means over corrupted versions of the same images, and each image's contribution to them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/robustness/corrupted_accuracy.h"
#include "assay/store/prediction_store.h"
#include "store/outcomes.h"

namespace assay::robustness {

/// One value per clean image.
using Outcomes = std::vector<RowOutcome>;

/// The mean over the 15 x 5 versions divided by the clean accuracy. The corruption frost_synthetic
/// may replace frost, at every severity, if no severity of frost exists.
struct CorruptionRatio {
    CorruptedMean mean;         ///< undefined if a version is missing; lists the missing versions
    double clean_accuracy = 0;  ///< accuracy on the same images
    bool synthetic_frost = false;
    bool one_file = true;    ///< all stores are from the same file of the model
    std::string model_hash;  ///< hash of that file; "" if all are imports
    /// Each clean image's contribution to mean.relative, times the number of images. The mean of
    /// these values is 0. An image that does not count has 0.
    std::vector<double> influence;
};

/// Returns true if a version exists.
using HasVersion = std::function<bool(const Corruption& corruption, int severity)>;
/// True if frost_synthetic exists but no severity of frost does.
bool frost_is_synthetic(const HasVersion& has);
/// Returns "12 of the 75 versions are missing: frost 1, ...", or "" if none is missing.
std::string missing_versions(const HasVersion& has, bool synthetic_frost);

/// The known outcomes of one model.
class ModelVersions {
public:
    /// Fills `model`, which has its versions in the order of the table. Throws bad_input if no
    /// image is known on the clean and on every corrupted data set.
    ModelVersions(CorruptedModel& model, Outcomes clean, std::vector<Outcomes> versions,
                  double level);

    void measure();
    /// After measure().
    CorruptionRatio ratio() const;

private:
    /// The number of versions of one corruption that classify each image correctly, and the total.
    struct Hits {
        std::vector<int> of_image;
        int versions = 0;
    };
    /// For each corruption, all versions must be selected, or none.
    using Chosen = std::function<bool(const CorruptedVersion&)>;

    void keep_common_images();
    bool has(const Corruption& corruption, int severity) const;
    /// Versions are in the order of the table.
    std::map<const Corruption*, Hits> hits_of(const Chosen& chosen) const;
    CorruptedMean mean_of(const Chosen& chosen, std::vector<double>* influence = nullptr) const;
    Estimate corruption_error() const;

    CorruptedModel& model_;
    double level_;
    Outcomes clean_;
    std::vector<Outcomes> versions_;
    std::vector<std::size_t> images_;  ///< indices in the clean data set, like clean_
    std::size_t all_images_;
};

/// `clean` is the model's store of the clean images.
using EachRatio = std::function<void(const CorruptedModel& model, const StoreSpec& clean,
                                     const CorruptionRatio& ratio)>;
/// Calls measure_corrupted() for models in `chosen` (default: all), and reports each ratio when
/// measured. Models without corrupted images are skipped, without a warning if in `chosen`.
/// `counts` selects the versions; by default, all that exist.
CorruptedAccuracyResult corrupted_models(const CorruptedAccuracyOptions& options,
                                         const std::set<std::string>& chosen, const EachRatio& each,
                                         const HasVersion& counts);

}  // namespace assay::robustness
