// The fixture of the replication estimators: exact rationals, expectations without noise, and
// optima from other programs.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication {

inline nlohmann::json fixture() {
    return nlohmann::json::parse(
        std::ifstream(ASSAY_SOURCE_DIR "/tests/replication/fixtures/estimators.json"));
}

inline CellCounts one_size(std::vector<double> counts) {
    return {CellGrid({static_cast<int>(counts.size()) - 1}), std::move(counts)};
}

/// Rows [n, k, count(, correct)] as counts. The count is in `column` 2 or 3.
inline CellCounts from_rows(const nlohmann::json& rows, std::size_t column) {
    std::map<int, std::map<int, double>> found;
    for (const auto& row : rows)
        found[row[0].get<int>()][row[1].get<int>()] = row[column].get<double>();
    std::vector<int> ns;
    for (const auto& [n, counts] : found) ns.push_back(n);
    CellCounts result{CellGrid(ns), {}};
    result.images.assign(result.grid.size(), 0.0);
    for (const auto& [n, counts] : found) {
        for (const auto& [k, count] : counts) result.images[result.grid.cell(n, k)] = count;
    }
    return result;
}

/// A mixture of beta distributions, and probabilities that k of n annotators select an image. Uses
/// lgamma, unlike the library.
struct Betas {
    std::vector<double> weight, a, b;
    double moment(double j) const {
        double sum = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            sum += weight[i] * std::exp(std::lgamma(a[i] + j) + std::lgamma(a[i] + b[i]) -
                                        std::lgamma(a[i]) - std::lgamma(a[i] + b[i] + j));
        }
        return sum;
    }
    /// E[s^power; k of n], the mean over images that k of n annotators select.
    double cell(int n, int k, double power = 0) const {
        double sum = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double x = a[i] + k + power, y = b[i] + n - k;
            sum += weight[i] *
                   std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                            std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y) -
                            std::lgamma(a[i]) - std::lgamma(b[i]) + std::lgamma(a[i] + b[i]));
        }
        return sum;
    }
};
inline Betas sim1_first() {
    return {{.71, .215, .075}, {27, 2.9, 1.15}, {.38, 1.9, 2.75}};
}
inline Betas sim1_second() {
    return {{.51, .40, .09}, {33, 6, 1.3}, {1.5, 2.45, 1.95}};
}
/// The curves g_m(s) = c0 + c1 s + c2 s^9 of the 20 classifiers of simulator 1.
struct Curve {
    double c0, c1, c2;
    explicit Curve(int m) {
        const double t = m / 19.0;
        c0 = .02 + .04 * t;
        c1 = .42 + .32 * t;
        c2 = .30 - .14 * t;
    }
    double truth(const Betas& p) const { return c0 + c1 * p.moment(1) + c2 * p.moment(9); }
    double correct(const Betas& p, int n, int k) const {
        return c0 * p.cell(n, k) + c1 * p.cell(n, k, 1) + c2 * p.cell(n, k, 9);
    }
};
inline CellCounts expected_cells(const Betas& p, int n) {
    std::vector<double> counts;
    for (int k = 0; k <= n; ++k) counts.push_back(p.cell(n, k));
    return one_size(std::move(counts));
}

}  // namespace assay::replication
