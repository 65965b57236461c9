// ReaL and ASMA with respect to the true label sets, as far as the votes determine them, and each
// image's influence on these values.
//
// M models, S subgroups (numbers of labels that ASMA averages over). The pieces of a value are 1 +
// S pairs of a numerator and a denominator: ReaL, then the accuracy of each subgroup. For images
// with certain sets, the sums of pieces are the counts that the metrics `real` and `asma` divide.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "annotation/true_sets/set_fit.h"

namespace assay::true_sets {

enum Metric : std::size_t { real_metric, asma_metric, metric_count };

/// The numbers of each model, M x metric_count.
using ByMetric = std::vector<std::array<double, metric_count>>;

inline std::size_t piece_count(std::span<const int> subgroups) {
    return 2 * (1 + subgroups.size());
}
/// The pieces of one image for one model, from a posterior; `image` must be the posterior's.
void add_pieces(const AskedImages& images, const SetPosterior& posterior, std::size_t image,
                std::size_t model, std::span<const int> subgroups, std::span<double> pieces);
/// For an image with a certain set. `best` has the model's best classes, best first.
void add_pieces(std::span<const std::int32_t> set, std::span<const std::int32_t> best,
                std::span<const int> subgroups, std::span<double> pieces);

/// Computes ReaL and ASMA from sums of pieces. A subgroup without images counts as 0.
std::array<double, metric_count> values_of(std::span<const double> sums);
/// The derivatives of a value by the sums.
std::vector<double> gradient_of(std::span<const double> sums, Metric metric);

/// First the N asked images, then the images without questions, whose sets are given.
struct SetValues {
    std::vector<double> sums;  ///< M x pieces sums
    ByMetric values;
    /// The influence of each image, by its pieces and by its votes' effect on the parameters. There
    /// are M x metric_count lists with one number per image, which sum to 0.
    std::vector<std::vector<double>> influence;
    /// The part of the influence that comes from the pieces.
    std::vector<std::vector<double>> rates_known;

    std::span<const double> of(std::size_t model, Metric metric) const {
        return influence[model * metric_count + metric];
    }
};

/// `given` has the pieces of the images that nobody was asked about, image by image, M x pieces
/// each. The parameters must come from a fit; this does one more step of EM. Cost: K^3 log K per
/// image, and the cube of the number of levels and rates.
SetValues set_values(const AskedImages& images, const Layout& layout,
                     std::span<const double> parameters, std::span<const int> subgroups,
                     std::span<const double> given, int threads);

/// The values from independent posteriors within an image, for comparison; M x metric_count.
ByMetric plain_values(const AskedImages& images, const Layout& layout, std::span<const double> yes,
                      std::span<const int> subgroups, std::span<const double> given);

/// Images drawn at random from all images, with sets from experts.
struct ExpertPieces {
    std::vector<std::size_t> image;  ///< n indices of images, as in SetValues
    std::vector<double> pieces;      ///< n x M x pieces numbers
};
struct ExpertValues {
    std::vector<double> sums;  ///< M x pieces, corrected; at least 0
    ByMetric values, variance;
    std::vector<std::vector<double>> influence;  ///< M x metric_count, n each: the experts' part
};
/// The sums change by N / n times a sum over the drawn images: the experts' pieces minus the
/// votes'. This makes the sums unbiased whatever the annotators do. The variance is that of
/// `values` plus that of the differences.
ExpertValues corrected_by_experts(const AskedImages& images, const Layout& layout,
                                  std::span<const double> parameters,
                                  std::span<const int> subgroups, std::span<const double> given,
                                  const SetValues& values, const ExpertPieces& experts);

/// The contribution to a value's variance of one more image with the greatest possible variance in
/// each subgroup. The interval for certain sets also includes it, because a few equal images do not
/// prove that all are equal.
double variance_of_one_more(std::span<const double> sums, Metric metric);

/// The variance of a value from votes alone. It is the sum of squared influences, plus the square
/// of a tenth of the shift from plain posteriors due to the prior.
double variance_by_votes(std::span<const double> influence, double moved);

}  // namespace assay::true_sets
