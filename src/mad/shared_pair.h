// The data of working_scores.cpp: pairs of classifiers that share their images with other pairs,
// and sums over such pairs.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::mad {

/// A pair of classifiers, and the sums over its answered places.
struct SharedPair {
    std::size_t i = 0, j = 0;
    double list = 0;  ///< number of images in the list; 0 without one
    bool given = false, seen = false;
    double n = 0, weights = 0;  ///< number of answered places, and the sum of their images' weights
    double first = 0, second = 0, both = 0;  ///< weighted counts of correct predictions
    double kish_above = 0, kish_below = 0;   ///< over places with a correct prediction
    double left = 1;                         ///< unanswered proportion of the list
    double squares = 0;                      ///< variance of the log ratio from the images
    double y = 0, v = 0;                     ///< log ratio and its variance
    /// The pair's column of A (working_scores.h) is alpha F1 c + beta F2 c, where c = e_i - e_j,
    /// and F1 and F2 are matrices of working_scores.cpp.
    double alpha = 0, beta = 0;
    double stretch = 0;  ///< factor from an image's influence to v

    double x() const { return first + .5; }
    double z() const { return second + .5; }
};

/// A sparse vector over classifiers, for F1 and for F2.
class SparsePair {
public:
    explicit SparsePair(std::size_t size) : a_(size, 0.0), b_(size, 0.0), there_(size, false) {}
    void add(const SharedPair& pair, double by) {
        touch(pair.i);
        touch(pair.j);
        a_[pair.i] += pair.alpha * by;
        a_[pair.j] -= pair.alpha * by;
        b_[pair.i] += pair.beta * by;
        b_[pair.j] -= pair.beta * by;
    }
    const std::vector<std::size_t>& touched() const { return touched_; }
    double a(std::size_t k) const { return a_[k]; }
    double b(std::size_t k) const { return b_[k]; }
    void clear() {
        for (const std::size_t k : touched_) {
            a_[k] = b_[k] = 0;
            there_[k] = false;
        }
        touched_.clear();
    }

private:
    void touch(std::size_t k) {
        if (there_[k]) return;
        there_[k] = true;
        touched_.push_back(k);
    }
    std::vector<double> a_, b_;
    std::vector<bool> there_;
    std::vector<std::size_t> touched_;
};

}  // namespace assay::mad
