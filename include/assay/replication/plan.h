// How large a replication study must be: from a pilot's readings, the interval and the bias to
// expect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

struct PlanOptions {
    double width =
        0.02;  ///< wanted width of a classifier's interval of the adjusted accuracy, a proportion
    double level = 0.95;
    std::vector<int> annotators = {5, 10, 20, 30, 40, 60};
    int threads = 0;  ///< 0: all
};

/// Every figure has an interval from leaving out tenths of the pilot's classes, or a note why not:
/// a pilot is small, and what it says of a study is unsure.
struct PlanRow {
    int annotators = 0;
    std::vector<int> exponents;  ///< of the moments
    /// In each set, for an interval of the wanted width by penalised likelihood: of the median
    /// classifier, of the one that needs most, of the mean over classifiers (undefined without
    /// hits).
    Estimate images, worst_images, mean_images;
    /// Of the adjusted accuracy with the pilot's numbers of images: a median classifier's.
    Estimate standard_error;
    /// Expected error of each estimator, mean over classifiers: of the penalised likelihood with so
    /// many images as are planned, of the others in the limit of many.
    Estimate likelihood_bias, moments_bias, jackknife_bias, quarter_bias, naive_bias, raw_bias;
};
ResultType result_type(ResultOf<PlanRow>);

struct PlanReport {
    std::vector<PlanRow> rows;
    double design_effect =
        1;  ///< variance of classes over that of independent images, median classifier
    bool assumed_curve = false;  ///< no hits: accuracy rising from .05 to .9 was assumed
    std::size_t first_images = 0, second_images = 0;
    std::vector<std::string> warnings;
};

/// What stands for the truth are the densities and curves that the penalised likelihood fits to the
/// pilot: as smooth as the pilot's own noise asks, so that this noise is not planned for. Each row
/// is worked out on expected counts, without drawing. Throws usage, bad_input as the estimators do.
PlanReport plan(const Readings& first, const Readings& second, const PlanOptions& options);
PlanReport plan(const Study& pilot, const PlanOptions& options);

}  // namespace assay::replication
