#include "mad/definite.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"

namespace assay::mad {
namespace {

/// Factorizes in place. Pivots up to `least` become 0, together with their columns.
void factorise(std::vector<double>& a, std::size_t n, double least) {
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = a[j * n + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
        const double root = pivot > least ? std::sqrt(pivot) : 0;
        a[j * n + j] = root;
        for (std::size_t i = j + 1; i < n; ++i) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = root > 0 ? sum / root : 0;
        }
    }
}

}  // namespace

DefiniteFactor::DefiniteFactor(std::vector<double> matrix, std::size_t size)
    : lower_(std::move(matrix)), size_(size) {
    factorise(lower_, size_, 0);
    for (std::size_t i = 0; i < size_; ++i) {
        if (!(lower_[i * size_ + i] > 0))
            throw Error(ErrorCode::bad_input,
                        "weights or variances differ too much to solve in double precision");
    }
}

void DefiniteFactor::solve(std::span<double> b) const {
    for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= lower_[i * size_ + k] * b[k];
        b[i] /= lower_[i * size_ + i];
    }
    for (std::size_t i = size_; i-- > 0;) {
        for (std::size_t k = i + 1; k < size_; ++k) b[i] -= lower_[k * size_ + i] * b[k];
        b[i] /= lower_[i * size_ + i];
    }
}

double DefiniteFactor::log_determinant() const {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += 2 * std::log(lower_[i * size_ + i]);
    return sum;
}

SemidefiniteRoot::SemidefiniteRoot(std::vector<double> matrix, std::size_t size)
    : lower_(std::move(matrix)), size_(size) {
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, lower_[i * size + i]);
    factorise(lower_, size_, 1e-12 * largest);
}

void SemidefiniteRoot::times(std::span<const double> z, std::span<double> out) const {
    for (std::size_t i = 0; i < size_; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k <= i; ++k) sum += lower_[i * size_ + k] * z[k];
        out[i] = sum;
    }
}

}  // namespace assay::mad
