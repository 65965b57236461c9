#include "replication/penalised/response.h"

#include <numeric>

namespace assay::replication::penalised {
namespace {

double dot(const auto& a, const auto& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The derivatives by the coefficients of a density, times the masses.
std::vector<double> by_mass(const std::vector<double>& mass, const std::vector<double>& gradient) {
    const double mean = dot(mass, gradient);
    std::vector<double> weight(points);
    for (std::size_t j = 0; j < points; ++j) weight[j] = mass[j] * (gradient[j] - mean);
    return weight;
}

}  // namespace

Response response(const FittedSets& fit, const Gradient& gradient) {
    const FeatureRow first_lean =
        mix_rows(by_mass(fit.first.mass, gradient.first).data(), feature_table());
    std::vector<double> weight(points);
    for (std::size_t j = 0; j < points; ++j) weight[j] = gradient.curve[j] * fit.curve.slope[j];
    CosineRow answer = mix_rows(weight.data(), cosine_table());
    fit.curve.information.solve(answer);

    Response out;
    const std::size_t cells = fit.second_cells.size();
    std::vector<double> answered(cells);
    out.hit.resize(cells);
    for (std::size_t c = 0; c < cells; ++c) {
        const double rate = fit.curve.hit_rate[c];
        out.hit[c] = dot(fit.curve.design[c], answer) / (rate * (1 - rate));
        answered[c] = fit.second_cells.images[c] * out.hit[c];
    }
    weight = by_mass(fit.second.mass, gradient.second);
    for (std::size_t j = 0; j < points; ++j) {
        const double* posterior = fit.second.posterior.data() + j * cells;
        for (std::size_t c = 0; c < cells; ++c)
            weight[j] -=
                answered[c] * posterior[c] * (fit.curve.accuracy[j] - fit.curve.hit_rate[c]);
    }
    const FeatureRow second_lean = mix_rows(weight.data(), feature_table());

    const FeatureRow first_answer = fit.first.solve(first_lean),
                     second_answer = fit.second.solve(second_lean);
    for (const FeatureRow& score : fit.first.score) out.first.push_back(dot(score, first_answer));
    for (std::size_t c = 0; c < cells; ++c)
        out.miss.push_back(dot(fit.second.score[c], second_answer) -
                           fit.curve.hit_rate[c] * out.hit[c]);
    out.first_prior = fit.first.prior(first_lean);
    out.second_prior = fit.second.prior(second_lean);
    out.curve_prior = fit.curve.prior(answer);
    return out;
}

}  // namespace assay::replication::penalised
