// Posterior of the whole label set of one image.
//
// The prior is P(S) = P(g = |S|) times the product of the odds w of its classes, divided by the
// elementary symmetric polynomial of degree g. This is a conditional Bernoulli distribution. The
// logarithm of w is a sum over the models of one number for the rank that each gives the class. An
// answer of an annotator is independent of everything else, given whether the class is valid.
#pragma once

#include <span>
#include <vector>

#include "annotation/true_sets/asked_images.h"
#include "annotation/true_sets/subset_sizes.h"

namespace assay::true_sets {

/// The posterior for an image with K questions. The next image reuses its buffers.
class SetPosterior {
public:
    SetPosterior(const AskedImages& images, const Layout& layout)
        : images_(images), layout_(layout) {}

    /// `parameters` are ordered as in Layout.
    void compute(std::size_t image, std::span<const double> parameters);
    /// Uses independent posteriors of K classes.
    void independent(std::span<const double> yes);

    std::size_t asked() const noexcept { return k_; }
    /// K + 1 numbers: P(g classes are valid).
    std::span<const double> size() const { return {size_.data(), k_ + 1}; }
    /// P(class c is valid and g classes are valid) for g = 0 .. K.
    std::span<const double> joint(std::size_t c) const {
        return {joint_.data() + c * (k_ + 1), k_ + 1};
    }
    /// P(class c is valid | g classes are valid), before the votes.
    std::span<const double> before(std::size_t c) const {
        return {before_.data() + c * (k_ + 1), k_ + 1};
    }
    /// K numbers: P(c is valid), and its prior expectation given the posterior of g.
    std::span<const double> yes() const { return yes_; }
    std::span<const double> expected() const { return expected_; }

    // Further values that derivatives need.
    std::span<const double> p() const { return p_; }          ///< K, w / (1 + w)
    std::span<const double> q() const { return q_; }          ///< K, w L / (1 + w L)
    std::span<const double> scale() const { return scale_; }  ///< joint = q * without * scale
    std::span<const double> sizes_before() const { return prior_; }  ///< K + 1 numbers, from p

private:
    const AskedImages& images_;
    const Layout& layout_;
    std::size_t k_ = 0;
    SizesWithoutOne without_one_;
    std::vector<double> size_, joint_, before_, yes_, expected_, p_, q_, scale_, prior_, sizes_,
        without_;
};

/// log w of a question, and the logarithm of P(its answers | valid) / P(its answers | not).
double log_odds_of(const AskedImages& images, const Layout& layout,
                   std::span<const double> parameters, std::size_t question);
double log_ratio_of(const AskedImages& images, const Layout& layout,
                    std::span<const double> parameters, std::size_t question);

}  // namespace assay::true_sets
