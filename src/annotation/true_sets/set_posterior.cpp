#include "annotation/true_sets/set_posterior.h"

#include <algorithm>
#include <cmath>

namespace assay::true_sets {
namespace {

constexpr double smallest = 1e-300;
constexpr double largest_logit = 40;

double logistic(double x) {
    return 1 / (1 + std::exp(-std::clamp(x, -largest_logit, largest_logit)));
}

}  // namespace

double log_odds_of(const AskedImages& images, const Layout& layout,
                   std::span<const double> parameters, std::size_t question) {
    double sum = 0;
    for (std::size_t m = 0; m < images.models; ++m)
        sum += parameters[layout.first_level[m] + images.rank[question * images.models + m]];
    return sum;
}

double log_ratio_of(const AskedImages& images, const Layout& layout,
                    std::span<const double> parameters, std::size_t question) {
    const double* const no = parameters.data() + layout.rates;
    const double* const yes = no + std::size_t{images.annotators} * images.answers;
    double sum = 0;
    for (const std::uint32_t code : images.votes_of(question)) sum += yes[code] - no[code];
    return sum;
}

void SetPosterior::compute(std::size_t image, std::span<const double> parameters) {
    const std::size_t first = images_.begin[image];
    k_ = images_.asked(image);
    const std::size_t row = k_ + 1;
    p_.resize(k_);
    q_.resize(k_);
    for (std::size_t c = 0; c < k_; ++c) {
        const double odds = log_odds_of(images_, layout_, parameters, first + c);
        p_[c] = logistic(odds);
        q_[c] = logistic(odds + log_ratio_of(images_, layout_, parameters, first + c));
    }
    prior_.resize(row);
    sizes_.resize(row);
    size_probabilities(p_, prior_);
    size_probabilities(q_, sizes_);
    scale_.resize(row);
    size_.resize(row);
    const double* const log_size = parameters.data() + layout_.first_size[images_.cell[image]];
    double total = 0;
    for (std::size_t g = 0; g < row; ++g) {
        scale_[g] = std::exp(log_size[g]) / std::max(prior_[g], smallest);
        total += size_[g] = scale_[g] * sizes_[g];
    }
    for (std::size_t g = 0; g < row; ++g) {
        scale_[g] /= total;
        size_[g] /= total;
    }
    joint_.assign(k_ * row, 0);
    before_.assign(k_ * row, 0);
    yes_.assign(k_, 0);
    expected_.assign(k_, 0);
    without_.resize(k_ * k_);
    without_one_(q_, without_);
    for (std::size_t c = 0; c < k_; ++c) {
        for (std::size_t g = 1; g < row; ++g)
            yes_[c] += joint_[c * row + g] = q_[c] * without_[c * k_ + g - 1] * scale_[g];
    }
    without_one_(p_, without_);
    for (std::size_t c = 0; c < k_; ++c) {
        for (std::size_t g = 1; g < row; ++g) {
            before_[c * row + g] = p_[c] * without_[c * k_ + g - 1] / std::max(prior_[g], smallest);
            expected_[c] += size_[g] * before_[c * row + g];
        }
    }
}

void SetPosterior::independent(std::span<const double> yes) {
    k_ = yes.size();
    const std::size_t row = k_ + 1;
    q_.assign(yes.begin(), yes.end());
    yes_ = q_;
    size_.resize(row);
    size_probabilities(q_, size_);
    joint_.assign(k_ * row, 0);
    without_.resize(k_ * k_);
    without_one_(q_, without_);
    for (std::size_t c = 0; c < k_; ++c) {
        for (std::size_t g = 1; g < row; ++g)
            joint_[c * row + g] = q_[c] * without_[c * k_ + g - 1];
    }
}

}  // namespace assay::true_sets
