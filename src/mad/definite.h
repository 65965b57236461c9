// Solves small symmetric systems by Cholesky factorization. Matrices are stored row by row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::mad {

/// The factor of a positive definite matrix.
class DefiniteFactor {
public:
    /// Only the lower triangle is read.
    DefiniteFactor(std::vector<double> matrix, std::size_t size);
    void solve(std::span<double> b) const;  ///< replaces b by matrix^-1 b
    double log_determinant() const;

private:
    std::vector<double> lower_;
    std::size_t size_;
};

/// A root R of a positive semidefinite matrix, R R' = matrix. Directions without variance are zero.
class SemidefiniteRoot {
public:
    SemidefiniteRoot(std::vector<double> matrix, std::size_t size);
    void times(std::span<const double> z, std::span<double> out) const;  ///< computes out = R z

private:
    std::vector<double> lower_;
    std::size_t size_;
};

}  // namespace assay::mad
