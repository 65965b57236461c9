#include "replication/npmle_influence.h"

#include <algorithm>
#include <cmath>

namespace assay::replication {
namespace {

constexpr double least_weight = 1e-9;

}  // namespace

AtomicRates::AtomicRates(const CellCounts& counts, const RateGrid& grid,
                         const RateDistribution& fit)
    : grid_(grid) {
    const std::size_t points = grid.s.size();
    for (std::size_t j = 0; j < points;) {
        if (fit.weight[j] < least_weight) {
            ++j;
            continue;
        }
        double weight = 0, place = 0;
        for (; j < points && fit.weight[j] >= least_weight; ++j) {
            weight += fit.weight[j];
            place += fit.weight[j] * grid.s[j];
        }
        weight_.push_back(weight);
        place_.push_back(place / weight);
    }
    for (const double s : place_) {
        const auto above = std::upper_bound(grid.s.begin(), grid.s.end(), s) - grid.s.begin();
        left_.push_back(static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(points) - 2)));
    }
    const std::size_t size = 2 * atoms();
    scores_.assign(counts.grid.size() * size, 0.0);
    std::vector<double> information(size * size, 0.0);
    for (std::size_t c = 0; c < counts.grid.size(); ++c) {
        if (counts.images[c] <= 0) continue;
        const int n = counts.grid.n(c), k = counts.grid.k(c);
        double all = 0;
        double* row = scores_.data() + c * size;
        for (std::size_t a = 0; a < atoms(); ++a) {
            const double s = place_[a];
            const double p =
                std::exp(log_choose(n, k) + k * std::log(s) + (n - k) * std::log1p(-s));
            all += weight_[a] * p;
            row[a] = p;
            row[atoms() + a] = weight_[a] * p * (k / s - (n - k) / (1 - s));
        }
        for (std::size_t p = 0; p < size; ++p) row[p] /= all;
        for (std::size_t p = 0; p < size; ++p) {
            for (std::size_t q = 0; q < size; ++q)
                information[p * size + q] += counts.images[c] * row[p] * row[q];
        }
    }
    for (std::size_t a = 0; a < atoms(); ++a) {
        double room = 1;
        if (a > 0) room = std::min(room, place_[a] - place_[a - 1]);
        if (a + 1 < atoms()) room = std::min(room, place_[a + 1] - place_[a]);
        information[a * size + a] += 1 / (weight_[a] * weight_[a]);
        information[(atoms() + a) * size + atoms() + a] += 1 / (room * room);
    }
    // Uses a unit diagonal, because weights and places have different magnitudes.
    scale_.resize(size);
    for (std::size_t p = 0; p < size; ++p)
        scale_[p] = 1 / std::sqrt(std::max(information[p * size + p], 1e-300));
    for (std::size_t p = 0; p < size; ++p) {
        for (std::size_t q = 0; q < size; ++q) information[p * size + q] *= scale_[p] * scale_[q];
    }
    information_ = Cholesky(std::move(information), size);
    images_ = counts.images;
}

std::vector<double> AtomicRates::influence(std::span<const double> by_weight,
                                           std::span<const double> by_place) const {
    const std::size_t size = 2 * atoms();
    std::vector<double> answer;
    for (std::size_t a = 0; a < atoms(); ++a) answer.push_back(by_weight[a] * scale_[a]);
    for (std::size_t a = 0; a < atoms(); ++a) answer.push_back(by_place[a] * scale_[atoms() + a]);
    information_.solve(answer);
    std::vector<double> out(images_.size(), 0.0);
    double sum = 0, images = 0;
    for (std::size_t c = 0; c < out.size(); ++c) {
        for (std::size_t p = 0; p < size; ++p)
            out[c] += scores_[c * size + p] * scale_[p] * answer[p];
        sum += images_[c] * out[c];
        images += images_[c];
    }
    // The weights sum to 1, so the influences of all images sum to 0.
    for (std::size_t c = 0; c < out.size(); ++c)
        out[c] = images_[c] > 0 ? out[c] - sum / images : 0;
    return out;
}

double AtomicRates::value(std::span<const double> function, std::size_t atom) const {
    return function[left_[atom]] + slope(function, atom) * (place_[atom] - grid_.s[left_[atom]]);
}

double AtomicRates::slope(std::span<const double> function, std::size_t atom) const {
    const std::size_t j = left_[atom];
    return (function[j + 1] - function[j]) / (grid_.s[j + 1] - grid_.s[j]);
}

CellEffects nonparametric_influences(const CellCounts& first, const CellCounts& second,
                                     const Correct& correct, const RateGrid& grid,
                                     const RateDistribution& first_rates,
                                     const RateDistribution& second_rates,
                                     std::span<const double> basis,
                                     const std::vector<LogitCurve>& curves, double penalty) {
    const std::size_t models = correct.models, points = grid.s.size(),
                      functions = basis.size() / points;
    const AtomicRates one(first, grid, first_rates), two(second, grid, second_rates);
    const std::vector<double> like = grid.likelihood(second.grid);
    CellEffects effects;
    effects.first.assign(first.grid.size() * models, 0.0);
    effects.miss.assign(second.grid.size() * models, 0.0);
    effects.hit = effects.miss;
    for (std::size_t m = 0; m < models; ++m) {
        const std::vector<double>& g = curves[m].g;
        double adjusted = 0;
        for (std::size_t j = 0; j < points; ++j) adjusted += first_rates.weight[j] * g[j];
        effects.adjusted.push_back(adjusted);

        std::vector<double> by_weight, by_place;
        for (std::size_t a = 0; a < one.atoms(); ++a) {
            by_weight.push_back(one.value(g, a) - adjusted);
            by_place.push_back(one.weight(a) * one.slope(g, a));
        }
        const std::vector<double> first_effect = one.influence(by_weight, by_place);
        for (std::size_t c = 0; c < first_effect.size(); ++c)
            effects.first[c * models + m] = first_effect[c];

        // The equations of the curve, given set 2's rates.
        std::vector<double> information(functions * functions, 0.0);
        add_roughness(information, functions, penalty);
        std::vector<double> design(second.grid.size() * functions, 0.0),
            rate(second.grid.size(), 0.0);
        for (std::size_t c = 0; c < second.grid.size(); ++c) {
            if (second.images[c] <= 0) continue;
            double* row = design.data() + c * functions;
            double all = 0;
            for (std::size_t j = 0; j < points; ++j) {
                const double p = second_rates.weight[j] * like[c * points + j];
                if (p == 0) continue;
                all += p;
                rate[c] += p * g[j];
                for (std::size_t f = 0; f < functions; ++f)
                    row[f] += p * g[j] * (1 - g[j]) * basis[j * functions + f];
            }
            rate[c] = std::clamp(rate[c] / all, 1e-12, 1 - 1e-12);
            for (std::size_t f = 0; f < functions; ++f) row[f] /= all;
            const double precision = second.images[c] / (rate[c] * (1 - rate[c]));
            for (std::size_t a = 0; a < functions; ++a) {
                for (std::size_t b = 0; b < functions; ++b)
                    information[a * functions + b] += precision * row[a] * row[b];
            }
        }
        std::vector<double> answer(functions, 0.0);
        for (std::size_t j = 0; j < points; ++j) {
            const double p = first_rates.weight[j] * g[j] * (1 - g[j]);
            for (std::size_t f = 0; f < functions; ++f) answer[f] += p * basis[j * functions + f];
        }
        Cholesky(std::move(information), functions).solve(answer);

        by_weight.assign(two.atoms(), 0.0);
        by_place = by_weight;
        for (std::size_t c = 0; c < second.grid.size(); ++c) {
            if (second.images[c] <= 0) continue;
            double hit = 0;
            for (std::size_t f = 0; f < functions; ++f)
                hit += design[c * functions + f] * answer[f];
            hit /= rate[c] * (1 - rate[c]);
            effects.hit[c * models + m] = hit;
            effects.miss[c * models + m] = -rate[c] * hit;
            for (std::size_t a = 0; a < two.atoms(); ++a) {
                const double above = two.value(g, a) - rate[c];
                by_weight[a] -= second.images[c] * hit * two.at_weight(c, a) * above;
                by_place[a] -= second.images[c] * hit *
                               (two.at_place(c, a) * above +
                                two.weight(a) * two.at_weight(c, a) * two.slope(g, a));
            }
        }
        const std::vector<double> second_effect = two.influence(by_weight, by_place);
        for (std::size_t c = 0; c < second_effect.size(); ++c)
            effects.miss[c * models + m] += second_effect[c];
    }
    return effects;
}

}  // namespace assay::replication
