#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/replication/estimators.h"

namespace assay::replication {
namespace {

constexpr double smallest_pivot = 1e-10;

/// The values u_0 .. u_top of every cell: (k)_e / (n)_e, and 0 beyond n (never read there).
std::vector<double> factorial_moments(const CellGrid& grid, int top) {
    const std::size_t width = static_cast<std::size_t>(top) + 1;
    std::vector<double> u(grid.size() * width, 0.0);
    for (std::size_t c = 0; c < grid.size(); ++c) {
        double* row = u.data() + c * width;
        row[0] = 1;
        for (int e = 1; e <= std::min(top, grid.k(c)); ++e) {
            row[e] = row[e - 1] * (grid.k(c) - e + 1) / (grid.n(c) - e + 1);
        }
    }
    return u;
}

}  // namespace

std::vector<int> default_exponents(int n) {
    if (n >= 24) return {0, 1, 2, 5, 12};
    if (n >= 20) return {0, 1, 2, 5, 10};
    if (n >= 16) return {0, 1, 3, 8};
    if (n >= 10) return {0, 1, 2, 5};
    if (n >= 6) return {0, 1, 3};
    if (n >= 4) return {0, 1, 2};
    if (n >= 2) return {0, 1};
    return {};
}

void check_exponents(const std::vector<int>& exponents) {
    if (exponents.size() < 2 || exponents.front() != 0 ||
        std::ranges::adjacent_find(exponents, std::greater_equal<>()) != exponents.end()) {
        throw Error(ErrorCode::usage,
                    fmt::format("exponents {{{}}} must begin with 0 and ascend, e.g. 0,1,2,5,12",
                                fmt::join(exponents, ",")));
    }
}

std::vector<std::vector<int>> companion_exponents(int n) {
    if (n >= 40) return {{0, 1, 3, 8}, {0, 1, 3, 8, 20}};
    if (n >= 20) return {{0, 1, 3, 8}, {0, 1, 2, 3, 5}};
    if (n >= 16) return {{0, 1, 2, 5}, {0, 1, 2, 3, 4}};
    if (n >= 10) return {{0, 1, 3}, {0, 1, 2, 3, 4}};
    if (n >= 6) return {{0, 1}, {0, 1, 2, 3}};
    if (n >= 4) return {{0, 1}};
    return {};
}

MomentProjection::MomentProjection(const CellCounts& first, const CellCounts& second,
                                   std::vector<int> exponents)
    : exponents_(std::move(exponents)),
      first_(first.images),
      second_(second.images),
      first_total_(first.total()),
      second_total_(second.total()) {
    if (first_total_ <= 0 || second_total_ <= 0)
        throw Error(ErrorCode::bad_input, "a set has no images");
    check_exponents(exponents_);
    const int top = exponents_.back();
    if (top > first.grid.min_n() || 2 * top > second.grid.min_n()) {
        throw Error(ErrorCode::usage,
                    fmt::format("exponent {} needs {} annotators per image in set 1 and {} in set "
                                "2; there are {} and {}",
                                top, top, 2 * top, first.grid.min_n(), second.grid.min_n()));
    }
    u1_ = factorial_moments(first.grid, top);
    u2_ = factorial_moments(second.grid, 2 * top);
    width1_ = static_cast<std::size_t>(top) + 1;
    width2_ = static_cast<std::size_t>(2 * top) + 1;
    while (!factorise()) {
        dropped_.push_back(exponents_.back());
        exponents_.pop_back();
        if (exponents_.size() < 2) {
            throw Error(ErrorCode::bad_input,
                        "the frequencies of set 2 vary no more than by chance around one selection "
                        "rate, so its images cannot be reweighted");
        }
    }
    const std::size_t p = exponents_.size();
    moments_.assign(p, 0.0);
    for (std::size_t c = 0; c < first_.size(); ++c) {
        for (std::size_t j = 0; j < p; ++j) {
            moments_[j] += first_[c] * u1_[c * width1_ + static_cast<std::size_t>(exponents_[j])] /
                           first_total_;
        }
    }
    x_ = solve(moments_);
    weights_.weight.assign(second_.size(), 0.0);
    for (std::size_t c = 0; c < second_.size(); ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < p; ++j)
            sum += x_[j] * u2_[c * width2_ + static_cast<std::size_t>(exponents_[j])];
        weights_.weight[c] = sum / second_total_;
    }
}

bool MomentProjection::factorise() {
    const std::size_t p = exponents_.size();
    gram_.assign(p * p, 0.0);
    for (std::size_t c = 0; c < second_.size(); ++c) {
        if (second_[c] == 0) continue;
        const double* u = u2_.data() + c * width2_;
        for (std::size_t i = 0; i < p; ++i) {
            for (std::size_t j = 0; j < p; ++j) {
                gram_[i * p + j] += second_[c] / second_total_ * u[exponents_[i] + exponents_[j]];
            }
        }
    }
    scale_.assign(p, 0.0);
    for (std::size_t i = 0; i < p; ++i) {
        if (gram_[i * p + i] <= 0) return false;
        scale_[i] = 1 / std::sqrt(gram_[i * p + i]);
    }
    factor_.assign(p * p, 0.0);
    for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = gram_[i * p + j] * scale_[i] * scale_[j];
            for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * p + k] * factor_[j * p + k];
            if (i == j) {
                if (sum < smallest_pivot) return false;
                factor_[i * p + i] = std::sqrt(sum);
            } else {
                factor_[i * p + j] = sum / factor_[j * p + j];
            }
        }
    }
    return true;
}

std::vector<double> MomentProjection::solve(std::vector<double> rhs) const {
    const std::size_t p = exponents_.size();
    for (std::size_t i = 0; i < p; ++i) {
        rhs[i] *= scale_[i];
        for (std::size_t k = 0; k < i; ++k) rhs[i] -= factor_[i * p + k] * rhs[k];
        rhs[i] /= factor_[i * p + i];
    }
    for (std::size_t i = p; i-- > 0;) {
        for (std::size_t k = i + 1; k < p; ++k) rhs[i] -= factor_[k * p + i] * rhs[k];
        rhs[i] /= factor_[i * p + i];
    }
    for (std::size_t i = 0; i < p; ++i) rhs[i] *= scale_[i];
    return rhs;
}

MomentProjection::Fit MomentProjection::fit(std::span<const double> correct) const {
    const std::size_t p = exponents_.size();
    std::vector<double> b(p, 0.0);
    for (std::size_t c = 0; c < second_.size(); ++c) {
        if (correct[c] == 0) continue;
        for (std::size_t j = 0; j < p; ++j) {
            b[j] += correct[c] / second_total_ *
                    u2_[c * width2_ + static_cast<std::size_t>(exponents_[j])];
        }
    }
    Fit result;
    result.curve = solve(b);
    for (std::size_t j = 0; j < p; ++j) result.accuracy += b[j] * x_[j];
    result.first_effect.assign(first_.size(), 0.0);
    for (std::size_t c = 0; c < first_.size(); ++c) {
        double sum = -result.accuracy;
        for (std::size_t j = 0; j < p; ++j) {
            sum += result.curve[j] * u1_[c * width1_ + static_cast<std::size_t>(exponents_[j])];
        }
        result.first_effect[c] = sum;
    }
    result.second_effect.assign(second_.size(), 0.0);
    for (std::size_t c = 0; c < second_.size(); ++c) {
        const double* u = u2_.data() + c * width2_;
        double sum = 0;
        for (std::size_t i = 0; i < p; ++i) {
            for (std::size_t j = 0; j < p; ++j)
                sum += x_[i] * result.curve[j] * u[exponents_[i] + exponents_[j]];
        }
        result.second_effect[c] = -sum;
    }
    return result;
}

double MomentProjection::standard_error(const Fit& fit, std::span<const double> correct) const {
    double one = 0, two = 0;
    for (std::size_t c = 0; c < first_.size(); ++c)
        one += first_[c] * fit.first_effect[c] * fit.first_effect[c];
    for (std::size_t c = 0; c < second_.size(); ++c) {
        const double incorrect = fit.second_effect[c], correct_one = incorrect + correct_effect(c);
        two += (second_[c] - correct[c]) * incorrect * incorrect +
               correct[c] * correct_one * correct_one;
    }
    return std::sqrt(one / (first_total_ * first_total_) + two / (second_total_ * second_total_));
}

}  // namespace assay::replication
