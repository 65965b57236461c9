#include "replication/penalised/logit_grid.h"

#include <algorithm>
#include <cmath>

namespace assay::replication::penalised {

const LogitGrid& logit_grid() {
    static const LogitGrid grid = [] {
        LogitGrid made;
        for (std::size_t j = 0; j < points; ++j) {
            const double step = (highest_logit - lowest_logit) / static_cast<double>(points);
            const double x = lowest_logit + step * (static_cast<double>(j) + .5);
            made.logit[j] = x;
            made.log_s[j] = -std::log1p(std::exp(-x));
            made.log_rest[j] = -std::log1p(std::exp(x));
            made.s.push_back(1 / (1 + std::exp(-x)));
        }
        return made;
    }();
    return grid;
}

UsedCells::UsedCells(const CellCounts& counts) {
    std::vector<double> choose;
    for (std::size_t c = 0; c < counts.grid.size(); ++c) {
        if (counts.images[c] <= 0) continue;
        cell.push_back(c);
        images.push_back(counts.images[c]);
        total += counts.images[c];
        choose.push_back(log_choose(counts.grid.n(c), counts.grid.k(c)));
    }
    const LogitGrid& grid = logit_grid();
    likelihood.reserve(points * cell.size());
    for (std::size_t j = 0; j < points; ++j) {
        for (std::size_t i = 0; i < cell.size(); ++i) {
            const int n = counts.grid.n(cell[i]), k = counts.grid.k(cell[i]);
            likelihood.push_back(
                std::exp(choose[i] + k * grid.log_s[j] + (n - k) * grid.log_rest[j]));
        }
    }
}

void mix_points(const std::vector<double>& weight, const std::vector<double>& values,
                std::vector<double>& by_cell) {
    std::fill(by_cell.begin(), by_cell.end(), 0.0);
    for (std::size_t j = 0; j < points; ++j) {
        const double w = weight[j];
        const double* row = values.data() + j * by_cell.size();
        for (std::size_t c = 0; c < by_cell.size(); ++c) by_cell[c] += w * row[c];
    }
}

std::vector<double> reading_table(int n) {
    const LogitGrid& grid = logit_grid();
    std::vector<double> table;
    for (std::size_t j = 0; j < points; ++j) {
        for (int k = 0; k <= n; ++k)
            table.push_back(
                std::exp(log_choose(n, k) + k * grid.log_s[j] + (n - k) * grid.log_rest[j]));
    }
    return table;
}

std::vector<double> expected_readings(const std::vector<double>& table, int n,
                                      const std::vector<double>& mass,
                                      const std::vector<double>* value) {
    std::vector<double> sums(static_cast<std::size_t>(n) + 1, 0.0);
    for (std::size_t j = 0; j < mass.size(); ++j) {
        const double m = mass[j] * (value == nullptr ? 1 : (*value)[j]);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += m * table[j * sums.size() + k];
    }
    return sums;
}

}  // namespace assay::replication::penalised
