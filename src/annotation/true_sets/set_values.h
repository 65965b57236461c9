// ReaL and ASMA against the true label sets, known as far as the votes go, and how much each image
// moves them.
//
// M models, S subgroups (numbers of labels that ASMA averages over). The pieces of a value are 1 +
// S pairs of a numerator and a denominator: ReaL, then the accuracy of each subgroup. Sums of
// pieces over images of certain sets are the counts that the metrics `real` and `asma` divide.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "annotation/true_sets/set_fit.h"

namespace assay::true_sets {

enum Metric : std::size_t { real_metric, asma_metric, metric_count };

/// Numbers of each model. Shape M x metric_count.
using ByMetric = std::vector<std::array<double, metric_count>>;

inline std::size_t piece_count(std::span<const int> subgroups) {
    return 2 * (1 + subgroups.size());
}
/// Pieces of one image for one model, from a posterior; `image` is that of the posterior.
void add_pieces(const AskedImages& images, const SetPosterior& posterior, std::size_t image,
                std::size_t model, std::span<const int> subgroups, std::span<double> pieces);
/// Of an image whose set is certain. `best`: the model's best classes, the best first.
void add_pieces(std::span<const std::int32_t> set, std::span<const std::int32_t> best,
                std::span<const int> subgroups, std::span<double> pieces);

/// ReaL and ASMA from sums of pieces. A subgroup without images counts as 0.
std::array<double, metric_count> values_of(std::span<const double> sums);
/// Derivatives of a value by the sums.
std::vector<double> gradient_of(std::span<const double> sums, Metric metric);

/// Images are N asked ones, then those whose set is given because nobody was asked about them.
struct SetValues {
    std::vector<double> sums;  ///< M x pieces
    ByMetric values;
    /// M x metric_count lists of a number per image, which sum to 0: the image's pieces, and what
    /// its votes do to the parameters.
    std::vector<std::vector<double>> influence;
    /// The part of the pieces alone.
    std::vector<std::vector<double>> rates_known;

    std::span<const double> of(std::size_t model, Metric metric) const {
        return influence[model * metric_count + metric];
    }
};

/// `given`: pieces of the images that nobody was asked about, image by image, M x pieces each. The
/// parameters are those of a fit; one more step of EM is done. Cost: sum of K^3 log K over the
/// images, and the cube of levels and rates.
SetValues set_values(const AskedImages& images, const Layout& layout,
                     std::span<const double> parameters, std::span<const int> subgroups,
                     std::span<const double> given, int threads);

/// From posteriors that are independent within an image, for comparison. Shape M x metric_count.
ByMetric plain_values(const AskedImages& images, const Layout& layout, std::span<const double> yes,
                      std::span<const int> subgroups, std::span<const double> given);

/// Images drawn at random from all, whose sets experts judged.
struct ExpertPieces {
    std::vector<std::size_t> image;  ///< n: numbers of images, as in SetValues
    std::vector<double> pieces;      ///< n x M x pieces
};
struct ExpertValues {
    std::vector<double> sums;  ///< M x pieces, corrected; at least 0
    ByMetric values, variance;
    std::vector<std::vector<double>> influence;  ///< M x metric_count, n each: the experts' part
};
/// The sums are moved by N / n times the sum over the drawn images of what the experts say less
/// what the votes say: right on average whatever the annotators do. Variance: that of `values`, and
/// of the differences.
ExpertValues corrected_by_experts(const AskedImages& images, const Layout& layout,
                                  std::span<const double> parameters,
                                  std::span<const int> subgroups, std::span<const double> given,
                                  const SetValues& values, const ExpertPieces& experts);

/// What one more image of the greatest possible variance in each subgroup adds to the variance of a
/// value, as in the interval of certain sets: a few images that agree are no proof that all do.
double variance_of_one_more(std::span<const double> sums, Metric metric);

/// Variance of a value by votes alone: the squares of its influences, and a tenth of what the prior
/// moved it away from plain posteriors, squared.
double variance_by_votes(std::span<const double> influence, double moved);

}  // namespace assay::true_sets
