#include "replication/penalised/blind_spots.h"

#include <algorithm>
#include <cmath>

#include "replication/penalised/logit_grid.h"

namespace assay::replication::penalised {
namespace {

constexpr double jump = .10;
constexpr double top_rate = .98;
constexpr double percentile = .99;

/// The rate between one part of the grid and the next.
double upper_edge(std::size_t part) {
    const double step = (highest_logit - lowest_logit) / static_cast<double>(points);
    return 1 / (1 + std::exp(-(lowest_logit + step * static_cast<double>(part + 1))));
}

/// The first part whose upper edge is at or above a rate.
std::size_t part_below(double rate) {
    std::size_t part = 0;
    while (part + 1 < points && upper_edge(part) < rate) ++part;
    return part;
}

}  // namespace

BlindSpots blind_spots(const PenalisedLikelihood& model,
                       const std::vector<PenalisedLikelihood::Fit>& fits) {
    BlindSpots spots;
    const std::vector<double>&one = model.first_density(), &two = model.second_density();
    std::size_t part = 0;
    for (double below = two[0]; below < percentile && part + 1 < points; below += two[++part]) {
    }
    spots.rate_99 = upper_edge(part);
    for (std::size_t j = part + 1; j < points; ++j) spots.above_99 += one[j];
    const std::size_t top = part_below(top_rate);
    for (const auto& fit : fits) {
        const std::vector<double> missed = model.missed_of_jump(fit);
        const auto worst = std::max_element(missed.begin(), missed.end(), [](double x, double y) {
            return std::abs(x) < std::abs(y);
        });
        spots.top_jump.push_back(jump * missed[top]);
        spots.worst_jump.push_back(jump * *worst);
        spots.worst_rate.push_back(upper_edge(static_cast<std::size_t>(worst - missed.begin())));
    }
    return spots;
}

}  // namespace assay::replication::penalised
