// The numbers in the figures of a replication study, as in Engstrom et al. (ICML 2020). They are
// all that a program needs to draw the figures, each with its interval.
//
// Values with fewer annotators than the study has are expectations over which of them are asked
// (Thinning), computed from all readings. They exclude the few images (up to a hundredth) with the
// fewest annotators. Accuracies, gaps and proportions of images are Estimates in proportions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/progress.h"
#include "assay/replication/adjust.h"
#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

/// One method with some number of annotators, or a mixture with some number of parts.
struct FigurePoint {
    int annotators = 0;
    MethodResult result;  ///< without drawing, weights, curves and details
};
ResultType result_type(ResultOf<FigurePoint>);

/// The images that have the same reading.
struct FigureBin {
    Estimate images;    ///< their proportion of the set's images
    Estimate accuracy;  ///< mean accuracy of classifiers on these images
};
ResultType result_type(ResultOf<FigureBin>);
/// Both sets by reading, from 0 to `annotators` selections.
struct FigureReadings {
    int annotators = 0;
    std::vector<FigureBin> first, second;
};
ResultType result_type(ResultOf<FigureReadings>);

/// One method on halves of the study. `difference` is the mean over halves of the remaining gap,
/// minus that of the whole study. A bias from finite numbers of images falls as 1/N, so this also
/// estimates that bias in the whole study. Its interval omits each tenth of the units.
struct FigureHalves {
    int annotators = 0;
    std::string method;
    double whole = 0, halves = 0;
    Estimate difference;
    /// The error of the whole study's remaining gap, estimated from the difference of two halves:
    /// sqrt(mean (a - b)^2) / 2. Compare it with the method's own standard error.
    double error_by_halves = 0;
};
ResultType result_type(ResultOf<FigureHalves>);

struct FigureData {
    std::vector<FigurePoint> annotators;   ///< for every number of annotators and every method
    std::vector<FigurePoint> parts;        ///< mixtures; the method is "mixture5" for 5 parts
    std::vector<FigureReadings> readings;  ///< for every number of annotators
    /// Accuracies with all annotators, by classifier and number of selections.
    std::vector<std::vector<Estimate>> first_accuracy, second_accuracy;
    /// Proportions of images by number of selections according to the fitted densities; empty
    /// without the penalised likelihood.
    std::vector<double> first_fitted, second_fitted;
    std::vector<FigureHalves> halves;  ///< empty: see without_halves
    std::string without_halves;        ///< the reason if there are none
    int splits = 0;                    ///< random splits into halves
};

struct FigureOptions {
    AdjustOptions estimates;
    std::vector<int> parts;  ///< numbers of parts of mixtures
    int splits = 10;         ///< number of random halvings, 2 to 1,000
};

/// With more annotators than this, figures use this many numbers of annotators, evenly spaced.
inline constexpr int most_figure_numbers = 64;
/// With fewer classes (or images, if these are the units), no halves are made.
inline constexpr std::size_t fewest_halved_units = 20;

/// Throws as adjust() does. With estimates.bootstrap, methods without an interval of their own get
/// one of percentiles. Results are bit-identical for any number of threads. Cost: for each number
/// of annotators about that of adjust(), and for each split 22 times that. `progress` counts
/// numbers of annotators and splits.
FigureData figure_data(const Study& study, const FigureOptions& options,
                       const ProgressCallback& progress = {});

/// The figures in the form for programs. `adjusted` must come from the same study and options.
/// Schema assay.replicate_figures/1, docs/formats.md.
struct ReplicateFigures {
    const FigureData* data;
    const AdjustReport* adjusted;
};
ResultType result_type(ResultOf<ReplicateFigures>);

}  // namespace assay::replication
