// Estimates how much of the accuracy gap between a data set and its replication is selection bias.
//
// Let A1 and A2 be the accuracies on the original and the replication. Let A be the accuracy on the
// replication reweighed to the original's distribution of selection rates (estimators.h). The gap
// then splits as in equation 2 of Engstrom et al. (ICML 2020): A1 - A2 = (A1 - A) + (A - A2). The
// first part is the remaining gap, and the second part is the selection bias. Every accuracy and
// gap is an Estimate in proportions. Its n counts the images of the sets that it was computed
// from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/replication/estimators.h"
#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

/// The independent units: images of a class were judged in the same grids by the same people.
enum class Units { classes, images };
/// Returns "classes" or "images".
std::string_view name_of(Units units);

struct AdjustOptions {
    bool likelihood = true, moments = true, naive = true, mixture = false, npmle = false;
    std::vector<int> jackknife = {1};  ///< values of d
    std::vector<int> exponents;  ///< exponents of the moments; empty chooses by the smallest number
                                 ///< of annotators
    EmptyBins empty_bins = EmptyBins::renormalise;
    Units units = Units::classes;  ///< images are used if there are fewer than 2 classes
    double level = 0.95;
    std::uint32_t bootstrap = 0;  ///< replicates, 20 to 100,000; 0 means none (all except the
                                  ///< mixture have intervals by formula)
    std::uint64_t seed = 1;
    int threads = 0;
    int mixture_parts = 3;
    bool grid_integrals =
        false;  ///< spline by the published 1000-point grid instead of exact integrals
};

/// Names of the methods for a list: "pl", "moments", "naive", "jackknife", "mixture", "npmle".
const std::vector<std::string>& method_names();
/// The condition under which the method with this id is exact, as half a sentence.
std::string exact_for(std::string_view id);
/// Uses only these methods. If the jackknife is among them, it keeps its values of d. Throws usage
/// with the nearest name.
void choose_methods(AdjustOptions& options, const std::vector<std::string>& names);
/// Find "class" and "image", and "renormalise" and "zero". They throw usage with the nearest name.
Units units_named(std::string_view name);
EmptyBins empty_bins_named(std::string_view name);

/// Throws usage for options that are wrong for any study: the exponents, the bootstrap's
/// replicates.
void check(const AdjustOptions& options);

/// gap = remaining + bias. Proportions.
struct GapParts {
    Estimate gap, remaining, bias;
};
ResultType result_type(ResultOf<GapParts>);

/// Ordinary least squares over classifiers: replication on original.
struct LineFit {
    Estimate slope, intercept;         ///< a number and a proportion; n: classifiers
    std::optional<double> covariance;  ///< of slope and intercept; with their errors it gives a
                                       ///< band around the line
    double residual = 0;               ///< root mean square of the residuals
};
ResultType result_type(ResultOf<LineFit>);
/// Throws usage for fewer than 2 points, or if all x are equal.
LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y);

/// Fitted functions at drawing_rates(); empty if the method fits no function.
struct Drawing {
    std::vector<double> first_density,
        second_density;  ///< of selection rates, for the continuous parts only
    std::vector<std::vector<double>> accuracy;  ///< accuracy of each classifier on set 2, in [0, 1]
    /// The penalised likelihood's pointwise intervals of the curves, in [0, 1] and never of width
    /// 0. Their coverage is the level on average over rates, with images treated as independent.
    std::vector<std::vector<double>> accuracy_low, accuracy_high;
};
/// Rates within (0, 1), closer together towards both ends.
inline constexpr int drawing_points = 100;
std::vector<double> drawing_rates();

/// The error of the adjusted accuracy if a classifier's curve had a jump that the readings hardly
/// show. All values are proportions.
struct BlindSpots {
    double rate_99 = 0;   ///< 99th percentile of the replication's selection rates
    double above_99 = 0;  ///< proportion of the original's images with a higher rate
    /// By classifier: what the estimate would miss of an upward jump by 10 points. The jump is at a
    /// rate of .98 for `top_jump`. It is at the rate where the estimate would miss most for
    /// `worst_jump`, and `worst_rate` is that rate.
    std::vector<double> top_jump, worst_jump, worst_rate;
    /// The moments' adjusted accuracy minus that of the quoted method; empty without moments.
    std::vector<double> companion_difference;
};
ResultType result_type(ResultOf<BlindSpots>);

struct MethodResult {
    std::string id, definition;
    std::vector<Estimate> adjusted;  ///< by classifier
    std::vector<GapParts> gaps;      ///< by classifier
    Estimate mean_adjusted;
    GapParts mean_gap;
    std::optional<LineFit>
        line;  ///< of the adjusted accuracies on the original's; none for one classifier
    std::vector<double>
        weights;  ///< by cell of the replication's grid; empty for methods that are not linear
    double covered = 1;
    std::vector<int> exponents;
    std::vector<std::vector<double>>
        curves;                      ///< moments: g as coefficients of s^exponent, by classifier
    std::vector<std::string> notes;  ///< remarks on the fits that readers need
    nlohmann::json details;          ///< parameters of fitted densities and curves
    Drawing drawing;
    std::optional<BlindSpots> blind_spots;  ///< only for the penalised likelihood
    std::size_t outside = 0;  ///< classifiers with an adjusted accuracy outside [0, 1]
    /// The number of classifiers whose bootstrap interval is uninformative. Such an interval is
    /// more than twice as wide as pl's, or more than 1.5 times as wide as the method's own by
    /// formula. There is no value if no interval comes from replicates.
    std::optional<std::size_t> wide_intervals;

    /// If false, every estimate gives the reason, and all other members are empty.
    bool defined() const { return mean_adjusted.value.has_value(); }
};

struct AdjustReport {
    std::vector<std::string> classifiers;
    std::size_t first_images = 0, second_images = 0, classes = 0;
    Units units = Units::classes;
    CellCounts first_cells, second_cells;
    std::vector<double> correct;  ///< replication: cell-major, one number per classifier
    std::vector<Estimate> first, second;
    Estimate mean_first, mean_second;
    std::optional<LineFit> raw_line;
    std::vector<MethodResult> methods;  ///< the first one is quoted
    std::string quoted;                 ///< its id
    /// The largest minus the smallest adjusted accuracy over exponent sets, for each classifier and
    /// for the mean.
    std::vector<double> sensitivity;
    std::optional<double> mean_sensitivity;
    std::uint32_t bootstrap = 0;
    std::vector<std::string> warnings;

    const MethodResult* method(std::string_view id) const;
};

/// Throws bad_input for studies that the quoted method cannot adjust (all readings alike), usage.
/// `progress` counts the bootstrap's replicates.
AdjustReport adjust(const Study& study, const AdjustOptions& options,
                    const ProgressCallback& progress = {});

ResultType result_type(ResultOf<AdjustReport>);

/// The estimates with fewer annotators, in expectation over which of them are asked.
struct SweepPoint {
    int annotators = 0;
    std::string method;
    std::vector<int> exponents;    ///< exponents of the moment estimator
    std::vector<double> adjusted;  ///< by classifier
    double mean = 0;
    /// Images with fewer annotators than the sweep's largest number; no point includes them.
    std::size_t first_left_out = 0, second_left_out = 0;
};
ResultType result_type(ResultOf<SweepPoint>);
/// Computes naive for every m in `annotators`, and jackknife and moments if m is large enough. All
/// points use the same images: those with at least the largest m annotators. Throws usage for an m
/// that more than a hundredth of a set's images lack.
std::vector<SweepPoint> annotator_sweep(const Study& study, const std::vector<int>& annotators,
                                        const AdjustOptions& options,
                                        const ProgressCallback& progress = {});
/// Returns the points of a curve, from 2: an eighth, two eighths, ... of a number of annotators.
/// All but a hundredth of the images have at least that number.
std::vector<int> eighths(const AdjustReport& report);
/// Estimates by mixtures with these numbers of parts. The method for 5 parts is "mixture5".
std::vector<SweepPoint> mixture_sweep(const Study& study, const std::vector<int>& parts,
                                      const AdjustOptions& options);

}  // namespace assay::replication
