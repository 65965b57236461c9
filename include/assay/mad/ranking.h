// From pairs to a ranking: Perron's vector of the ratios (the paper's equations 4 and 5), and
// HodgeRank, least squares of their logarithms (Jiang, Lim, Yao and Ye 2011).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/mad/pairs.h"

namespace assay::mad {

/// Of all ordered pairs of classifiers, row by row; `classifiers` x `classifiers`.
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
    /// Laplace's smoothing: so many correct and so many incorrect images are added to each. 0 is
    /// refused where a classifier of a pair has no image.
    double alpha = 1;
};

/// a_ij = (correct of i in the images of i and j + alpha) / (images + 2 alpha); 0 on the diagonal.
PairMatrix aggressiveness(std::size_t classifiers, std::span<const PairCounts> pairs,
                          const RatioOptions& options = {});
/// log b_ij = log(a_ij / a_ji), antisymmetric; 0 of pairs without images. Depends on no other pair:
/// another classifier leaves it bit-identical. Throws usage: a pair twice, outside the classifiers,
/// alpha below 0; bad_input: alpha 0 and a factor 0.
PairMatrix log_ratios(std::size_t classifiers, std::span<const PairCounts> pairs,
                      const RatioOptions& options = {});

struct PerronRanking {
    std::vector<double> scores;    ///< positive, they add up to 1
    double eigenvalue = 0;         ///< at least the number of classifiers; equal where consistent
    double consistency_index = 0;  ///< (eigenvalue - m) / (m - 1); 0 of one classifier
    std::uint32_t iterations = 0;
};
/// The eigenvector of exp(log_ratios) with its largest eigenvalue, by power iteration from the
/// uniform vector until Collatz's and Wielandt's bounds of the eigenvalue agree to 1e-13.
PerronRanking perron(const PairMatrix& log_ratios);

struct HodgeRanking {
    std::vector<double> scores;  ///< mean 0 in each component
    /// Classifiers that no chain of pairs joins stand in different components, numbered from 0 in
    /// the order of their first classifier: their scores cannot be compared.
    std::vector<std::uint32_t> component;
    std::uint32_t components = 0;
    double residual = 0;  ///< sum of w (s_i - s_j - L_ij)^2
    /// Of sum of w L_ij^2: how much of what the pairs say is circular. 0 where they say nothing.
    double cyclicity = 0;
};
/// `weights`: of each pair (i < j is read), 0 where it has no images.
HodgeRanking hodge_rank(const PairMatrix& log_ratios, const PairMatrix& weights);

/// 1 for the largest; those equal within 1e-12 of the largest one share the mean of their places.
std::vector<double> places_of(std::span<const double> scores);

}  // namespace assay::mad
