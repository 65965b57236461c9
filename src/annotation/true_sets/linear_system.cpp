#include "annotation/true_sets/linear_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace assay::true_sets {

std::vector<std::vector<double>> solved(std::vector<double> a, std::vector<std::vector<double>> b) {
    constexpr double nothing = 1e-9;
    const std::size_t n = b.empty() ? 0 : b.front().size();
    std::vector<std::size_t> rows(n), columns(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    const auto at = [&](std::size_t row, std::size_t column) -> double& {
        return a[rows[row] * n + column];
    };
    double first = 0;
    std::size_t rank = 0;
    for (; rank < n; ++rank) {
        std::size_t row = rank, column = rank;
        double most = -1;
        for (std::size_t r = rank; r < n; ++r) {
            for (std::size_t c = rank; c < n; ++c) {
                const double size = std::abs(at(r, columns[c]));
                if (size > most) {
                    most = size;
                    row = r;
                    column = c;
                }
            }
        }
        first = std::max(first, most);
        if (!(most > nothing * first)) break;
        std::swap(rows[rank], rows[row]);
        std::swap(columns[rank], columns[column]);
        const double pivot = at(rank, columns[rank]);
        for (std::size_t r = rank + 1; r < n; ++r) {
            const double factor = at(r, columns[rank]) / pivot;
            if (factor == 0) continue;
            for (std::size_t c = rank; c < n; ++c)
                at(r, columns[c]) -= factor * at(rank, columns[c]);
            for (auto& side : b) side[rows[r]] -= factor * side[rows[rank]];
        }
    }
    std::vector<std::vector<double>> out(b.size(), std::vector<double>(n));
    for (std::size_t s = 0; s < b.size(); ++s) {
        for (std::size_t r = rank; r-- > 0;) {
            double sum = b[s][rows[r]];
            for (std::size_t c = r + 1; c < rank; ++c)
                sum -= at(r, columns[c]) * out[s][columns[c]];
            out[s][columns[r]] = sum / at(r, columns[r]);
        }
    }
    return out;
}

}  // namespace assay::true_sets
