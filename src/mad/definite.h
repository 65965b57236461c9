// Small symmetric systems by Cholesky's factors; matrices row by row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::mad {

/// Of a positive definite matrix.
class DefiniteFactor {
public:
    /// The lower triangle is read.
    DefiniteFactor(std::vector<double> matrix, std::size_t size);
    void solve(std::span<double> b) const;  ///< b becomes matrix^-1 b
    double log_determinant() const;

private:
    std::vector<double> lower_;
    std::size_t size_;
};

/// A root R of a positive semidefinite matrix, R R' = matrix: directions without variance get none.
class SemidefiniteRoot {
public:
    SemidefiniteRoot(std::vector<double> matrix, std::size_t size);
    void times(std::span<const double> z, std::span<double> out) const;  ///< out = R z

private:
    std::vector<double> lower_;
    std::size_t size_;
};

}  // namespace assay::mad
