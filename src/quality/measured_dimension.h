// How each dimension is made from what a classifier predicts.
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
    std::vector<ErrorSource> sources;  ///< of its error
    std::vector<std::string> differs;  ///< from the published definition
    std::vector<QualityPart> parts;    ///< without the dimension
};

/// What is known of the corrupted images of one classifier. Those of all classifiers are kept
/// together: nothing here is as large as a data set.
struct KnownCorruptions {
    robustness::CorruptionRatio ratio;  ///< without `influence`
    ErrorSource source;                 ///< in its place, without the data set and the variance
    std::string problem = {};           ///< set: why there is no ratio
};

/// One classifier whose stores are being read.
struct MeasuredInputs {
    const MeasureQualityOptions& options;
    const StoreIndex& index;
    std::string model;
    ClassList classes = {};  ///< the classifier's
    bool imagenet = false;   ///< they are ImageNet's 1000
    const Answers* val = nullptr;
    const ScoredSet* scored = nullptr;              ///< the metrics of val, as val_requests()
    const KnownCorruptions* corruptions = nullptr;  ///< none: no corrupted images
    bool* partial = nullptr;                        ///< set where a store is not complete

    /// Opens the data set of a role and asks its question. Nothing, and `why`, where there is none.
    std::unique_ptr<Answers> answers_of(Role role, std::string& why) const;
};

/// "the classifier's own 20 classes", "800 images of val"; nothing where they are as published.
/// `asked`: by a class map; `n`: images that count.
std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const PredictionStore& store, bool asked, std::uint64_t n);
std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const Answers& answers);
/// Adds those that are not there yet.
void add_differences(std::vector<std::string>& all, const std::vector<std::string>& more);
MeasuredDimension not_measurable(std::string why);
/// An accuracy from which a dimension is made.
QualityPart accuracy_part(std::string name, std::string definition, std::string dataset, Hits hits,
                          double level);
/// Joins a note to what is said already.
void add_note(Estimate& value, const std::string& note);
/// "7 images without scores do not count"; nothing where there are none.
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
