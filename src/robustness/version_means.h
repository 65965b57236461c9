// Means over corrupted versions of the same images, and what each image adds to them.
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

/// Per clean image.
using Outcomes = std::vector<RowOutcome>;

/// The mean over the 15 x 5 versions divided by the clean accuracy, where frost_synthetic may stand
/// in for frost: at every severity, where no severity of frost is there.
struct CorruptionRatio {
    CorruptedMean mean;         ///< undefined, with what is missing, where a version is
    double clean_accuracy = 0;  ///< of the same images
    bool synthetic_frost = false;
    bool one_file = true;    ///< all stores are of the same file of the model
    std::string model_hash;  ///< of that file; "": all are imports
    /// What each image of the clean data set adds to mean.relative, times their number; their mean
    /// is 0. 0 where an image does not count.
    std::vector<double> influence;
};

/// Whether a version is there.
using HasVersion = std::function<bool(const Corruption& corruption, int severity)>;
/// No severity of frost is there, but frost_synthetic.
bool frost_is_synthetic(const HasVersion& has);
/// Of the 15 x 5: "12 of the 75 versions are missing: frost 1, ..."; "": none.
std::string missing_versions(const HasVersion& has, bool synthetic_frost);

/// What is known of one model.
class ModelVersions {
public:
    /// Fills `model`, which has its versions in the order of the table. Throws bad_input: no image
    /// is known on the clean and on every corrupted data set.
    ModelVersions(CorruptedModel& model, Outcomes clean, std::vector<Outcomes> versions,
                  double level);

    void measure();
    /// After measure().
    CorruptionRatio ratio() const;

private:
    /// On how many versions of one corruption each image is right, and how many there are.
    struct Hits {
        std::vector<int> of_image;
        int versions = 0;
    };
    /// Takes all versions of a corruption or none.
    using Chosen = std::function<bool(const CorruptedVersion&)>;

    void keep_common_images();
    bool has(const Corruption& corruption, int severity) const;
    /// In the order of the table.
    std::map<const Corruption*, Hits> hits_of(const Chosen& chosen) const;
    CorruptedMean mean_of(const Chosen& chosen, std::vector<double>* influence = nullptr) const;
    Estimate corruption_error() const;

    CorruptedModel& model_;
    double level_;
    Outcomes clean_;
    std::vector<Outcomes> versions_;
    std::vector<std::size_t> images_;  ///< of the clean data set, as clean_
    std::size_t all_images_;
};

/// `clean`: of the model's store of the clean images.
using EachRatio = std::function<void(const CorruptedModel& model, const StoreSpec& clean,
                                     const CorruptionRatio& ratio)>;
/// measure_corrupted() of the models `chosen` (none: all), with the ratio of each as it is
/// measured; models without corrupted images are left out, of `chosen` ones without a word.
/// `counts`: the versions that do; none: all that there are.
CorruptedAccuracyResult corrupted_models(const CorruptedAccuracyOptions& options,
                                         const std::set<std::string>& chosen, const EachRatio& each,
                                         const HasVersion& counts);

}  // namespace assay::robustness
