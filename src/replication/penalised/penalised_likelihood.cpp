#include "assay/replication/penalised_likelihood.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "replication/penalised/curve.h"
#include "replication/penalised/density.h"
#include "replication/penalised/response.h"

namespace assay::replication {
namespace penalised {

struct Densities {
    Densities(const CellCounts& first_counts, const CellCounts& second_counts)
        : first_cells(first_counts),
          second_cells(second_counts),
          first_grid_size(first_counts.grid.size()),
          second_grid_size(second_counts.grid.size()),
          first(fit_density(first_cells, first_counts.grid)),
          second(fit_density(second_cells, second_counts.grid)) {}
    UsedCells first_cells, second_cells;
    std::size_t first_grid_size, second_grid_size;
    Density first, second;
};

namespace {

/// The delta method: A depends on set 1's density and on the curve. Because the curve was fitted
/// given set 2's density, A depends on that density too.
PenalisedLikelihood::Fit fit_classifier(const Densities& d, std::span<const double> correct) {
    std::vector<double> hits;
    for (const std::size_t c : d.second_cells.cell) hits.push_back(correct[c]);
    const Curve curve = fit_curve(d.second_cells, d.second.posterior, hits);
    const std::vector<double>& g = curve.accuracy;

    PenalisedLikelihood::Fit fit;
    fit.curve = g;
    for (const CosineRow& row : cosine_table())
        fit.curve_error.push_back(std::sqrt(curve.information.squared_length(row)));
    fit.accuracy = std::inner_product(g.begin(), g.end(), d.first.mass.begin(), 0.0);
    fit.penalty = curve.penalty;
    fit.rounds = curve.rounds;

    const Response answer =
        response({d.first_cells, d.second_cells, d.first, d.second, curve},
                 {.first = g, .second = std::vector<double>(points, 0.0), .curve = d.first.mass});
    const auto by_cell = [](const UsedCells& cells, std::size_t size,
                            const std::vector<double>& values) {
        std::vector<double> all(size, 0.0);
        for (std::size_t c = 0; c < cells.size(); ++c) all[cells.cell[c]] = values[c];
        return all;
    };
    fit.first_effect = by_cell(d.first_cells, d.first_grid_size, answer.first);
    fit.miss_effect = by_cell(d.second_cells, d.second_grid_size, answer.miss);
    fit.hit_effect = by_cell(d.second_cells, d.second_grid_size, answer.hit);
    fit.first_prior = answer.first_prior;
    fit.second_prior = answer.second_prior;
    fit.curve_prior = answer.curve_prior;
    return fit;
}

}  // namespace
}  // namespace penalised

PenalisedLikelihood::PenalisedLikelihood(const CellCounts& first, const CellCounts& second)
    : densities_(std::make_shared<const penalised::Densities>(first, second)) {}

PenalisedLikelihood::Fit PenalisedLikelihood::fit(std::span<const double> correct) const {
    return penalised::fit_classifier(*densities_, correct);
}

std::vector<double> PenalisedLikelihood::missed_of_jump(const Fit& fit) const {
    const penalised::Densities& d = *densities_;
    std::vector<double> missed = d.first.mass;
    for (std::size_t c = 0; c < d.second_cells.size(); ++c) {
        const double answer = d.second_cells.images[c] * fit.hit_effect[d.second_cells.cell[c]];
        for (std::size_t j = 0; j < penalised::points; ++j)
            missed[j] -= answer * d.second.posterior[j * d.second_cells.size() + c];
    }
    double above = 0;
    for (std::size_t j = penalised::points; j-- > 0;) above += std::exchange(missed[j], above);
    return missed;
}

const std::vector<double>& PenalisedLikelihood::rates() const {
    return penalised::logit_grid().s;
}
const std::vector<double>& PenalisedLikelihood::first_density() const {
    return densities_->first.mass;
}
const std::vector<double>& PenalisedLikelihood::second_density() const {
    return densities_->second.mass;
}
double PenalisedLikelihood::first_penalty() const {
    return densities_->first.penalty;
}
double PenalisedLikelihood::second_penalty() const {
    return densities_->second.penalty;
}

}  // namespace assay::replication
