// Plans the size of a replication study: computes the expected interval and bias from a pilot's
// readings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

struct PlanOptions {
    double width = 0.02;  ///< requested width of a classifier's interval for the adjusted accuracy,
                          ///< a proportion
    double level = 0.95;
    std::vector<int> annotators = {5, 10, 20, 30, 40, 60};
    int threads = 0;  ///< 0: all
};

/// Every value has an interval from plans without each tenth of the pilot's classes, or a note that
/// says why it has none. A pilot is small, so its results are uncertain.
struct PlanRow {
    int annotators = 0;
    std::vector<int> exponents;  ///< exponents of the moment estimator
    /// The number of images in each set for an interval of the requested width by penalised
    /// likelihood. It is given for the median classifier, for the classifier that needs most
    /// images, and for the mean over classifiers (undefined without hits).
    Estimate images, worst_images, mean_images;
    /// Errors of a median classifier's adjusted accuracy with the pilot's numbers of images.
    Estimate standard_error;
    /// The expected error of each estimator, averaged over classifiers. It is for the planned
    /// number of images (penalised likelihood), or in the limit of many images (others).
    Estimate likelihood_bias, moments_bias, jackknife_bias, quarter_bias, naive_bias, raw_bias;
};
ResultType result_type(ResultOf<PlanRow>);

struct PlanReport {
    std::vector<PlanRow> rows;
    double design_effect =
        1;  ///< variance with classes over that with independent images, for the median classifier
    bool assumed_curve = false;  ///< without hits: assumed an accuracy that rises from .05 to .9
    std::size_t first_images = 0, second_images = 0;
    std::vector<std::string> warnings;
};

/// Makes a plan. It treats the densities and curves that the penalised likelihood fits to the
/// pilot as the truth. They are smooth enough to exclude the pilot's noise. Each row is
/// computed from expected counts, without drawing. Throws usage, bad_input as the estimators
/// do.
PlanReport plan(const Readings& first, const Readings& second, const PlanOptions& options);
PlanReport plan(const Study& pilot, const PlanOptions& options);

}  // namespace assay::replication
