// Computes each dimension from a classifier's predictions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/quality/measure.h"
#include "evaluate/score_set.h"
#include "quality/error_sources.h"
#include "quality/role_predictions.h"
#include "quality/store_index.h"
#include "robustness/version_means.h"

namespace assay::quality {

/// One dimension of one classifier.
struct MeasuredDimension {
    Estimate value;
    std::vector<ErrorSource> sources;  ///< sources of its error
    std::vector<std::string> differs;  ///< differences from the published definition
    std::vector<QualityPart> parts;    ///< parts without the dimension
};

/// The results on the corrupted images of one classifier. Results of all classifiers are in memory
/// together, so none may be as large as a data set.
struct KnownCorruptions {
    robustness::CorruptionRatio ratio;  ///< without `influence`
    ErrorSource source;                 ///< without the data set and the variance
    std::string problem = {};           ///< if set, the reason why there is no ratio
};

/// One classifier whose stores are being read.
struct MeasuredInputs {
    const MeasureQualityOptions& options;
    const StoreIndex& index;
    std::string model;
    ClassList classes = {};  ///< classes of the classifier
    bool imagenet = false;   ///< true if they are ImageNet's 1000 classes
    const Answers* val = nullptr;
    /// the metrics of val, in the order of val_requests()
    const ScoredSet* scored = nullptr;
    const KnownCorruptions* corruptions = nullptr;  ///< nullptr if there are no corrupted images
    bool* partial = nullptr;                        ///< set to true if a store is incomplete

    /// Opens the data set of a role and applies its class map. Returns nothing, and sets `why`, if
    /// there is no data set.
    std::unique_ptr<Answers> answers_of(Role role, std::string& why) const;
};

/// Lists differences to the published images: "the classifier's own 20 classes", "800 images of
/// val". `asked` means with a class map; `n` is the number of images that count.
std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const PredictionStore& store, bool asked, std::uint64_t n);
std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const Answers& answers);
/// Adds texts that are not in the list yet.
void add_differences(std::vector<std::string>& all, const std::vector<std::string>& more);
MeasuredDimension not_measurable(std::string why);
/// An accuracy that contributes to a dimension.
QualityPart accuracy_part(std::string name, std::string definition, std::string dataset, Hits hits,
                          double level);
/// Appends a note to the existing note.
void add_note(Estimate& value, const std::string& note);
/// Adds the note "7 images without scores do not count" if there are any.
void note_unscored(Estimate& value, std::uint64_t images);

std::vector<MetricRequest> val_requests();
MeasuredDimension measured_accuracy(const MeasuredInputs& in);
MeasuredDimension measured_calibration(const MeasuredInputs& in);
MeasuredDimension measured_balance(const MeasuredInputs& in);
MeasuredDimension measured_adversarial(const MeasuredInputs& in);
MeasuredDimension measured_corruptions(const MeasuredInputs& in);
MeasuredDimension measured_ood(const MeasuredInputs& in);
MeasuredDimension measured_focus(const MeasuredInputs& in);
MeasuredDimension measured_shape_bias(const MeasuredInputs& in);

}  // namespace assay::quality
