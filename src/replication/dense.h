// Small dense linear algebra: least squares by Householder reflections, nonnegative least squares,
// and symmetric systems by Cholesky's method.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::replication {

/// Column-major.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;
    Matrix() = default;
    Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
    double& at(std::size_t r, std::size_t c) { return values[c * rows + r]; }
    double at(std::size_t r, std::size_t c) const { return values[c * rows + r]; }
    std::span<const double> column(std::size_t c) const { return {values.data() + c * rows, rows}; }
};

/// The decomposition A = QR, for rows >= columns.
class Householder {
public:
    explicit Householder(Matrix a);
    /// The first `columns` entries of Q'b. If `rest` is given, it receives the other entries, whose
    /// squares sum to the residual.
    std::vector<double> project(std::span<const double> b, double* rest = nullptr) const;
    /// Returns R^-1 y.
    std::vector<double> back(std::span<const double> y) const;
    /// Returns y' R^-1 for a row vector: solves R'x = y.
    std::vector<double> back_transposed(std::span<const double> y) const;

private:
    Matrix a_;                  ///< reflections below the diagonal, R above it
    std::vector<double> diag_;  ///< diagonal of R
};

/// The decomposition H = LL' of a symmetric positive definite H.
class Cholesky {
public:
    Cholesky() = default;
    /// `h` is size x size, and only its lower triangle is read. A pivot that is 0 or negative
    /// because of rounding is replaced by a tiny number.
    Cholesky(std::vector<double> h, std::size_t size);
    void solve(std::span<double> b) const;                   ///< b becomes H^-1 b
    double squared_length(std::span<const double> b) const;  ///< b' H^-1 b

private:
    void forward(std::span<double> b) const;
    std::vector<double> lower_;  ///< row-major
    std::size_t size_ = 0;
};

/// The eigenvalues and eigenvectors of a symmetric matrix, unordered.
struct Eigen {
    std::vector<double> values, vectors;  ///< vectors of length 1, one after another
    std::span<const double> vector(std::size_t i) const {
        return {vectors.data() + i * values.size(), values.size()};
    }
};
/// Uses Jacobi's rotations. `matrix` is size x size.
Eigen symmetric_eigen(std::vector<double> matrix, std::size_t size);

/// Minimizes |A x - b| over x >= 0 (Lawson and Hanson, "Solving least squares problems", 1974,
/// algorithm NNLS).
std::vector<double> nonnegative_least_squares(const Matrix& a, std::span<const double> b);

}  // namespace assay::replication
