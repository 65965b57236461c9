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

}  // namespace assay::replication::penalised
