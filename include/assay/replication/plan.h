// How large a replication study must be: from a pilot's readings, the interval and the bias to
// expect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/replication/mixture.h"
#include "assay/replication/study.h"

namespace assay::replication {

struct PlanOptions {
    double width =
        0.02;  ///< wanted width of a classifier's interval of the adjusted accuracy, a proportion
    double level = 0.95;
    std::vector<int> annotators = {5, 10, 20, 30, 40, 60};
    std::uint64_t seed = 1;
};

struct PlanRow {
    int annotators = 0;
    std::vector<int> exponents;
    double standard_error =
        0;  ///< of a typical (median) classifier with the pilot's numbers of images
    double worst_standard_error = 0;  ///< of the classifier with the largest one
    double images = 0;        ///< in each set, for the wanted width of the median classifier
    double worst_images = 0;  ///< ... of the one that needs most
    /// Expected error of each estimator in the limit of many images, mean over classifiers.
    double raw_bias = 0, naive_bias = 0, jackknife_bias = 0, quarter_bias = 0, moments_bias = 0;
};

struct PlanReport {
    std::vector<PlanRow> rows;
    BetaMixture first, second;  ///< fitted to the pilot
    double design_effect =
        1;  ///< variance of classes over that of independent images, median classifier
    bool assumed_curve = false;  ///< no hits: accuracy .05 + .6 s + a rise above s = .7 was assumed
    std::size_t first_images = 0, second_images = 0;
    std::vector<std::string> warnings;
};

/// Fits mixtures of betas to the pilot's readings and, with hits, an accuracy curve for every
/// classifier, and computes what each estimator would make of infinitely many images with n
/// annotators, and its standard error.
PlanReport plan(const Readings& first, const Readings& second, const PlanOptions& options);
PlanReport plan(const Study& pilot, const PlanOptions& options);

/// Schema assay.replicate_plan/2, docs/formats.md.
nlohmann::json to_json(const PlanReport& report, const PlanOptions& options);

}  // namespace assay::replication
