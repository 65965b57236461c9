#include "metric/class_mean.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace assay {
namespace {

constexpr double least_images = 5;

/// The likeliest proportion of a cell if the sum is pulled by `pull`, the multiplier of Lagrange
/// times the cell's weight. It is the root in [0, 1] of pull p^2 - (pull + n) p + x = 0. Without a
/// hit, 0 is a root for any pull, and it is the likeliest one until the pull upwards exceeds n.
double pulled_proportion(const ClassCell& cell, double pull) {
    const double n = cell.images, x = cell.hits;
    if (x == 0) return pull + n >= 0 ? 0 : 1 + n / pull;
    const double root = std::sqrt(std::max(0.0, (pull + n) * (pull + n) - 4 * pull * x));
    const double p = pull + n >= 0 ? 2 * x / (pull + n + root) : (pull + n - root) / (2 * pull);
    return std::clamp(p, 0.0, 1.0);
}

/// The end of the interval on the side given by `sign`: 1 for the lower end, -1 for the upper.
double end_of(std::span<const ClassCell> cells, double found, double quantile, double sign) {
    constexpr int steps = 60;
    constexpr double rounding = 1e-12;  // rounding error of sums, used if every image of a cell is
                                        // a hit, or none is
    double low = -12, high = 14, end = found;  // logarithms to base 10 of the multiplier
    for (int i = 0; i <= steps; ++i) {
        const double log = i == steps ? high : (low + high) / 2;
        double sum = 0, variance = 0;
        for (const ClassCell& cell : cells) {
            if (cell.sampled >= 1) {
                sum += cell.weight * (cell.hits / cell.images);
                continue;
            }
            const double p = pulled_proportion(cell, sign * std::pow(10.0, log) * cell.weight);
            sum += cell.weight * p;
            variance += cell.weight * cell.weight * p * (1 - p) * (1 - cell.sampled) /
                        std::max(cell.images - 1, 1.0);
        }
        const double off = found - sum;
        const bool inside = off * off <= quantile * quantile * variance + rounding * rounding;
        (inside ? low : high) = log;
        end = sum;
    }
    return end;
}

}  // namespace

std::vector<ClassCell> joined_cells(std::span<const ClassHits> classes) {
    struct Cell {
        double classes = 0, images = 0, mean = 0, inverse = 0;  // sums over the classes
        std::size_t end = 0;
    };
    std::vector<Cell> cells;
    Cell open;
    const auto add = [](Cell& to, const Cell& from) {
        to.classes += from.classes;
        to.images += from.images;
        to.mean += from.mean;
        to.inverse += from.inverse;
        to.end = from.end;
    };
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const ClassHits& one = classes[c];
        add(open, {1, one.images, one.hits / one.images, 1 / one.images, c + 1});
        if (open.images < least_images) continue;
        cells.push_back(open);
        open = {};
    }
    if (open.classes > 0) {
        if (cells.empty()) cells.emplace_back();
        add(cells.back(), open);
    }
    const auto all = static_cast<double>(classes.size());
    std::vector<ClassCell> joined;
    for (const Cell& cell : cells) {
        const double images = cell.classes * cell.classes / cell.inverse;
        joined.push_back(
            {cell.classes / all, images, cell.mean / cell.classes * images, 0, cell.end});
    }
    return joined;
}

Interval cell_interval(std::span<const ClassCell> cells, double level) {
    return cell_interval(cells, normal_quantile(0.5 + level / 2), level);
}

Interval cell_interval(std::span<const ClassCell> cells, double quantile, double level) {
    constexpr double rounding = 1e-12;
    double found = 0, least = 0, most = 0;  // the range that known cells leave possible
    for (const ClassCell& cell : cells) {
        const double part = cell.weight * (cell.hits / cell.images);
        found += part;
        least += cell.sampled >= 1 ? part : 0;
        most += cell.sampled >= 1 ? part : cell.weight;
    }
    found = std::min(found, 1.0);
    // If there are no hits, or only hits, the score has no end on that side.
    const double low = found < least + rounding ? least : end_of(cells, found, quantile, 1);
    const double high = found > most - rounding ? most : end_of(cells, found, quantile, -1);
    return {std::clamp(low, 0.0, found), std::clamp(high, found, 1.0), level, "score.classes"};
}

}  // namespace assay
