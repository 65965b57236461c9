#include "assay/replication/penalised_likelihood.h"

#include <cmath>
#include <utility>

#include "replication/penalised/curve.h"
#include "replication/penalised/density.h"

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

double inner(const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The delta method: A depends on set 1's density, on the curve, and through the curve (fitted
/// given set 2's density) on that density.
PenalisedLikelihood::Fit fit_classifier(const Densities& d, std::span<const double> correct) {
    std::vector<double> hits;
    for (const std::size_t c : d.second_cells.cell) hits.push_back(correct[c]);
    const Curve curve = fit_curve(d.second_cells, d.second.posterior, hits);
    const std::vector<double>& g = curve.accuracy;

    PenalisedLikelihood::Fit fit;
    fit.curve = g;
    for (const CosineRow& row : cosine_table())
        fit.curve_error.push_back(std::sqrt(curve.information.squared_length(row)));
    fit.accuracy = inner(d.first.mass, g);
    fit.penalty = curve.penalty;
    fit.rounds = curve.rounds;

    std::vector<double> weight(points);
    for (std::size_t j = 0; j < points; ++j) weight[j] = d.first.mass[j] * (g[j] - fit.accuracy);
    const FeatureRow first_lean = mix_rows(weight.data(), feature_table());
    for (std::size_t j = 0; j < points; ++j) weight[j] = d.first.mass[j] * curve.slope[j];
    CosineRow answer = mix_rows(weight.data(), cosine_table());
    curve.information.solve(answer);

    const std::size_t cells = d.second_cells.size();
    std::vector<double> hit_effect(cells), answered(cells);
    for (std::size_t c = 0; c < cells; ++c) {
        const double rate = curve.hit_rate[c];
        hit_effect[c] = inner(curve.design[c], answer) / (rate * (1 - rate));
        answered[c] = d.second_cells.images[c] * hit_effect[c];
    }
    for (std::size_t j = 0; j < points; ++j) {
        const double* posterior = d.second.posterior.data() + j * cells;
        weight[j] = 0;
        for (std::size_t c = 0; c < cells; ++c)
            weight[j] -= answered[c] * posterior[c] * (g[j] - curve.hit_rate[c]);
    }
    const FeatureRow second_lean = mix_rows(weight.data(), feature_table());

    const FeatureRow first_answer = d.first.solve(first_lean),
                     second_answer = d.second.solve(second_lean);
    fit.first_effect.assign(d.first_grid_size, 0.0);
    for (std::size_t c = 0; c < d.first_cells.size(); ++c)
        fit.first_effect[d.first_cells.cell[c]] = inner(d.first.score[c], first_answer);
    fit.miss_effect.assign(d.second_grid_size, 0.0);
    fit.hit_effect.assign(d.second_grid_size, 0.0);
    for (std::size_t c = 0; c < d.second_cells.size(); ++c) {
        const std::size_t cell = d.second_cells.cell[c];
        fit.hit_effect[cell] = hit_effect[c];
        fit.miss_effect[cell] =
            inner(d.second.score[c], second_answer) - curve.hit_rate[c] * hit_effect[c];
    }
    fit.first_prior = d.first.prior(first_lean);
    fit.second_prior = d.second.prior(second_lean);
    fit.curve_prior = curve.prior(answer);
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
