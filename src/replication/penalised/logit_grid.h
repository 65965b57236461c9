// The penalised likelihood's grid of selection rates, and the likelihood of readings on it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication::penalised {

inline constexpr std::size_t points = 180;
inline constexpr double lowest_logit = -9, highest_logit = 13;

/// The midpoints of 180 equal parts of [-9, 13] on the logit scale.
struct LogitGrid {
    std::array<double, points> logit, log_s, log_rest;
    std::vector<double> s;
};
const LogitGrid& logit_grid();

/// The cells of a set that contain images.
struct UsedCells {
    explicit UsedCells(const CellCounts& counts);
    std::vector<std::size_t> cell;  ///< cells in the grid of the counts
    std::vector<double> images;
    /// The values C(n,k) s_j^k (1 - s_j)^(n - k), points x cells, so that sums over points are
    /// vectorized over cells.
    std::vector<double> likelihood;
    double total = 0;
    std::size_t size() const noexcept { return cell.size(); }
};

/// Computes sum_j weight_j values_jc for every cell c. `values` is points x cells.
void mix_points(const std::vector<double>& weight, const std::vector<double>& values,
                std::vector<double>& by_cell);

/// The values P(k of n | s_j), points x (n + 1).
std::vector<double> reading_table(int n);
/// Sets sum_j mass_j value_j P(k of n | s_j) for every k. Values default to 1. `table` is for n.
std::vector<double> expected_readings(const std::vector<double>& table, int n,
                                      const std::vector<double>& mass,
                                      const std::vector<double>* value = nullptr);

/// A table of functions at the points, by function, for sums over functions at all points.
template <std::size_t Width>
using ByFunction = std::array<std::array<double, points>, Width>;
template <std::size_t Width>
ByFunction<Width> by_function(const std::array<std::array<double, Width>, points>& table) {
    ByFunction<Width> turned;
    for (std::size_t j = 0; j < points; ++j) {
        for (std::size_t i = 0; i < Width; ++i) turned[i][j] = table[j][i];
    }
    return turned;
}
/// Computes sum_i coefficient_i f_i at every point.
template <std::size_t Width>
std::array<double, points> combine(const std::array<double, Width>& coefficients,
                                   const ByFunction<Width>& functions) {
    std::array<double, points> sum{};
    for (std::size_t i = 0; i < Width; ++i) {
        const double a = coefficients[i];
        for (std::size_t j = 0; j < points; ++j) sum[j] += a * functions[i][j];
    }
    return sum;
}

/// Computes sum_j weight_jc row_j for every cell c. `weight` is points x cells.
template <std::size_t Width>
void mix_rows_by_cell(const std::vector<double>& weight,
                      const std::array<std::array<double, Width>, points>& rows,
                      std::vector<std::array<double, Width>>& by_cell) {
    for (auto& sum : by_cell) sum.fill(0);
    for (std::size_t j = 0; j < points; ++j) {
        const double* w = weight.data() + j * by_cell.size();
        for (std::size_t c = 0; c < by_cell.size(); ++c) {
            if (w[c] == 0) continue;
            for (std::size_t i = 0; i < Width; ++i) by_cell[c][i] += w[c] * rows[j][i];
        }
    }
}

/// Computes sum_j weight_j row_j for a table of `points` rows.
template <std::size_t Width>
std::array<double, Width> mix_rows(const double* weight,
                                   const std::array<std::array<double, Width>, points>& rows) {
    std::array<double, Width> sum{};
    for (std::size_t j = 0; j < points; ++j) {
        const double w = weight[j];
        for (std::size_t i = 0; i < Width; ++i) sum[i] += w * rows[j][i];
    }
    return sum;
}

}  // namespace assay::replication::penalised
