// Computes a ranking from pairs: Perron's vector of the ratios, and HodgeRank. Perron's vector is
// the paper's equations 4 and 5. HodgeRank is the least squares solution for the logarithms of the
// ratios (Jiang, Lim, Yao and Ye 2011).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/mad/pairs.h"

namespace assay::mad {

/// Values for all ordered pairs of classifiers, row by row; `classifiers` x `classifiers`.
class PairMatrix {
public:
    explicit PairMatrix(std::size_t classifiers)
        : classifiers_(classifiers), values_(classifiers * classifiers, 0.0) {}
    std::size_t classifiers() const noexcept { return classifiers_; }
    double& at(std::size_t i, std::size_t j) { return values_.at(i * classifiers_ + j); }
    double at(std::size_t i, std::size_t j) const { return values_.at(i * classifiers_ + j); }
    bool operator==(const PairMatrix&) const = default;

private:
    std::size_t classifiers_;
    std::vector<double> values_;
};

struct RatioOptions {
    /// Laplace's smoothing: this many correct and incorrect images are added to each count. 0 is
    /// refused if a classifier of a pair has no correct image.
    double alpha = 1;
};

/// a_ij = (correct of i in the images of i and j + alpha) / (images + 2 alpha); 0 on the diagonal.
PairMatrix aggressiveness(std::size_t classifiers, std::span<const PairCounts> pairs,
                          const RatioOptions& options = {});
/// Returns log b_ij = log(a_ij / a_ji), antisymmetric; 0 for pairs without images. It depends on no
/// other pair, so adding a classifier leaves it bit-identical. Throws usage for a repeated pair, a
/// pair outside the classifiers, alpha below 0; bad_input for alpha 0 with a factor 0.
PairMatrix log_ratios(std::size_t classifiers, std::span<const PairCounts> pairs,
                      const RatioOptions& options = {});

struct PerronRanking {
    std::vector<double> scores;    ///< positive, with sum 1
    double eigenvalue = 0;         ///< at least the number of classifiers; equal to it if the
                                   ///< ratios are consistent
    double consistency_index = 0;  ///< (eigenvalue - m) / (m - 1); 0 for one classifier
    std::uint32_t iterations = 0;
};
/// Finds the eigenvector of exp(log_ratios) with its largest eigenvalue, by power iteration from
/// the uniform vector. Stops when Collatz's and Wielandt's bounds of the eigenvalue agree to 1e-13.
PerronRanking perron(const PairMatrix& log_ratios);

struct HodgeRanking {
    std::vector<double> scores;  ///< mean 0 in each component
    /// Classifiers that are not connected by pairs are in different components, numbered from 0 in
    /// the order of their first classifier. Scores of different components cannot be compared.
    std::vector<std::uint32_t> component;
    std::uint32_t components = 0;
    double residual = 0;  ///< sum of w (s_i - s_j - L_ij)^2
    /// `residual` divided by the sum of w L_ij^2: the circular part of the pairs' evidence. 0
    /// without evidence.
    double cyclicity = 0;
};
/// `weights` has one weight per pair (only i < j is used), which is 0 for a pair without images.
HodgeRanking hodge_rank(const PairMatrix& log_ratios, const PairMatrix& weights);

/// The place of each score, 1 for the largest. Scores that differ by at most 1e-12 of the largest
/// score share their mean place.
std::vector<double> places_of(std::span<const double> scores);

}  // namespace assay::mad
