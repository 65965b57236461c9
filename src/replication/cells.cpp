#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/cells.h"

namespace assay::replication {
namespace {

/// The values log 0!, log 1!, ... up to the largest grid size.
const std::vector<double>& log_factorials() {
    static const std::vector<double> table = [] {
        std::vector<double> sums(static_cast<std::size_t>(max_annotators) + 1, 0.0);
        long double sum = 0;
        for (std::size_t i = 1; i < sums.size(); ++i) {
            sum += std::log(static_cast<long double>(i));
            sums[i] = static_cast<double>(sum);
        }
        return sums;
    }();
    return table;
}

}  // namespace

double log_choose(int n, int k) {
    const auto& f = log_factorials();
    return f[static_cast<std::size_t>(n)] - f[static_cast<std::size_t>(k)] -
           f[static_cast<std::size_t>(n - k)];
}

CellGrid::CellGrid(std::vector<int> annotators) : annotators_(std::move(annotators)) {
    int last = 0;
    for (const int n : annotators_) {
        if (n <= last || n > max_annotators) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} annotators per image: numbers must ascend, from 1 to {}", n,
                                    max_annotators));
        }
        last = n;
    }
    offset_.assign(static_cast<std::size_t>(last) + 1, 0);
    for (const int n : annotators_) {
        offset_[static_cast<std::size_t>(n)] = n_.size();
        for (int k = 0; k <= n; ++k) {
            n_.push_back(n);
            k_.push_back(k);
        }
    }
}

bool CellGrid::has(int n) const {
    return std::binary_search(annotators_.begin(), annotators_.end(), n);
}

double CellCounts::total() const {
    return std::accumulate(images.begin(), images.end(), 0.0);
}

double CellCounts::mean_frequency() const {
    double sum = 0, size = 0;
    for (std::size_t c = 0; c < images.size(); ++c) {
        sum += images[c] * grid.k(c) / grid.n(c);
        size += images[c];
    }
    return size > 0 ? sum / size : 0;
}

Thinning::Thinning(const CellGrid& grid, int m) : m_(m), cells_(grid.size()) {
    if (grid.size() == 0 || m < 1 || m > grid.min_n()) {
        throw Error(ErrorCode::usage,
                    fmt::format("cannot keep {} annotators of each image: some image has only {}",
                                m, grid.size() == 0 ? 0 : grid.min_n()));
    }
    table_.assign(cells_ * (static_cast<std::size_t>(m) + 1), 0.0);
    for (std::size_t c = 0; c < cells_; ++c) {
        const int n = grid.n(c), k = grid.k(c);
        double* row = table_.data() + c * (static_cast<std::size_t>(m) + 1);
        const int low = std::max(0, m - (n - k)), high = std::min(k, m);
        double sum = 0;
        for (int j = low; j <= high; ++j) {
            row[j] = std::exp(log_choose(k, j) + log_choose(n - k, m - j) - log_choose(n, m));
            sum += row[j];
        }
        for (int j = low; j <= high; ++j) row[j] /= sum;
    }
}

std::vector<double> Thinning::apply(std::span<const double> counts) const {
    std::vector<double> thinned(static_cast<std::size_t>(m_) + 1, 0.0);
    for (std::size_t c = 0; c < cells_; ++c) {
        if (counts[c] == 0) continue;
        const auto p = row(c);
        for (std::size_t j = 0; j < thinned.size(); ++j) thinned[j] += counts[c] * p[j];
    }
    return thinned;
}

}  // namespace assay::replication
