#include "replication/penalised/density.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "replication/penalised/ascent.h"

namespace assay::replication::penalised {
namespace {

/// Uniform cubic B-splines over the grid's span of logits.
FeatureRow features_at(std::size_t point) {
    const LogitGrid& grid = logit_grid();
    FeatureRow row{grid.log_s[point], grid.log_rest[point]};
    const double step = (highest_logit - lowest_logit) / static_cast<double>(spline_functions - 3);
    const double at = (grid.logit[point] - lowest_logit) / step;
    const auto piece = std::min(static_cast<std::size_t>(at), spline_functions - 4);
    const double t = at - static_cast<double>(piece), u = 1 - t;
    row[2 + piece] = u * u * u / 6;
    row[3 + piece] = (3 * t * t * t - 6 * t * t + 4) / 6;
    row[4 + piece] = (3 * u * u * u - 6 * u * u + 4) / 6;
    row[5 + piece] = t * t * t / 6;
    return row;
}

double second_difference(const FeatureRow& a, std::size_t i) {
    return a[2 + i] - 2 * a[3 + i] + a[4 + i];
}

double squared_norm(const FeatureRow& a) {
    double sum = 0;
    for (const double x : a) sum += x * x;
    return sum;
}

double roughness(const FeatureRow& a) {
    double sum = 0;
    for (std::size_t i = 0; i < differences; ++i)
        sum += second_difference(a, i) * second_difference(a, i);
    return sum;
}

/// The product P a, for the penalty a' P a.
FeatureRow roughness_slope(const FeatureRow& a) {
    FeatureRow slope{};
    for (std::size_t i = 0; i < differences; ++i) {
        const double d = second_difference(a, i);
        slope[2 + i] += d;
        slope[3 + i] -= 2 * d;
        slope[4 + i] += d;
    }
    return slope;
}

/// A beta distribution with the readings' mean and overdispersion.
FeatureRow beta_start(const UsedCells& cells, const CellGrid& grid) {
    double mean = 0, inverse = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const double n = grid.n(cells.cell[i]);
        mean += cells.images[i] * grid.k(cells.cell[i]) / n;
        inverse += cells.images[i] / n;
    }
    mean /= cells.total;
    const double of_one = inverse / cells.total;
    double variance = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const double f = static_cast<double>(grid.k(cells.cell[i])) / grid.n(cells.cell[i]) - mean;
        variance += cells.images[i] * f * f;
    }
    variance /= cells.total;
    const double correlation =
        std::clamp((variance / (mean * (1 - mean)) - of_one) / (1 - of_one), .02, .9);
    const double size = 1 / correlation - 1;
    return {mean * size, (1 - mean) * size};
}

class DensityFit {
public:
    DensityFit(const UsedCells& cells, const CellGrid& grid) : cells_(cells) {
        fit_.coefficients = beta_start(cells, grid);
        fit_.mass.resize(points);
        fit_.posterior.resize(cells.size() * points);
        fit_.score.resize(cells.size());
        reading_.resize(cells.size());
    }

    Density run() {
        maximise(*this, fit_, limits);
        return std::move(fit_);
    }

    // The functions that maximise() requires.
    // Returns the penalised log-likelihood at `a`. Also stores the masses and the readings'
    // probabilities there.
    double evaluate(const FeatureRow& a) {
        static const auto functions = by_function(feature_table());
        const std::array<double, points> eta = combine(a, functions);
        const double most = *std::ranges::max_element(eta);
        double all = 0;
        for (std::size_t j = 0; j < points; ++j) {
            fit_.mass[j] = std::exp(eta[j] - most);
            all += fit_.mass[j];
        }
        for (double& p : fit_.mass) p /= all;
        double sum = 0;
        mix_points(fit_.mass, cells_.likelihood, reading_);
        for (std::size_t c = 0; c < cells_.size(); ++c)
            sum += cells_.images[c] * std::log(reading_[c] + 1e-300);
        return sum - .5 * fit_.penalty * roughness(a) - .5 * ridge * squared_norm(a);
    }

    /// Computes posteriors, scores and information at the masses of the last evaluate().
    void linearise() {
        const auto& table = feature_table();
        const FeatureRow mean = mix_rows(fit_.mass.data(), table);
        for (std::size_t j = 0; j < points; ++j) {
            const double* like = cells_.likelihood.data() + j * cells_.size();
            double* posterior = fit_.posterior.data() + j * cells_.size();
            for (std::size_t c = 0; c < cells_.size(); ++c)
                posterior[c] = like[c] * fit_.mass[j] / reading_[c];
        }
        mix_rows_by_cell(fit_.posterior, table, fit_.score);
        for (FeatureRow& score : fit_.score) {
            for (std::size_t i = 0; i < features; ++i) score[i] -= mean[i];
        }
        of_data_.assign(features * features, 0.0);
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const FeatureRow& s = fit_.score[c];
            for (std::size_t i = 0; i < features; ++i) {
                const double x = cells_.images[c] * s[i];
                for (std::size_t j = 0; j < features; ++j) of_data_[i * features + j] += x * s[j];
            }
        }
    }

    void factorise() {
        std::vector<double> h = of_data_;
        constexpr std::array<double, 3> second = {1, -2, 1};
        for (std::size_t i = 0; i < differences; ++i) {
            for (std::size_t a = 0; a < 3; ++a) {
                for (std::size_t b = 0; b < 3; ++b)
                    h[(2 + i + a) * features + 2 + i + b] += fit_.penalty * second[a] * second[b];
            }
        }
        for (std::size_t i = 0; i < features; ++i) h[i * features + i] += ridge;
        fit_.information = Cholesky(std::move(h), features);
    }

    FeatureRow step() const {
        const FeatureRow rough = roughness_slope(fit_.coefficients);
        FeatureRow slope{};
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            for (std::size_t i = 0; i < features; ++i)
                slope[i] += cells_.images[c] * fit_.score[c][i];
        }
        for (std::size_t i = 0; i < features; ++i)
            slope[i] -= fit_.penalty * rough[i] + ridge * fit_.coefficients[i];
        return fit_.solve(slope);
    }

    /// The fraction of the step that keeps log p_j within bounds wherever p_j is not negligible.
    double longest(const FeatureRow& step) const {
        double most = 0;
        for (std::size_t j = 0; j < points; ++j) {
            if (fit_.mass[j] <= matters) continue;
            double move = 0;
            for (std::size_t i = 0; i < features; ++i) move += feature_table()[j][i] * step[i];
            most = std::max(most, std::abs(move));
        }
        return most > 0 ? std::min(1.0, largest_move / most) : 1;
    }

    static double rough(const FeatureRow& x) { return roughness(x); }

    double trace() const {
        double sum = 0;
        for (std::size_t i = 0; i < differences; ++i) {
            FeatureRow d{};
            d[2 + i] = 1;
            d[3 + i] = -2;
            d[4 + i] = 1;
            sum += fit_.information.squared_length(d);
        }
        return sum;
    }

private:
    static constexpr AscentLimits limits = {.max_rounds = 200,
                                            .lowest_penalty = 1e-4,
                                            .highest_penalty = 1e6,
                                            .rank = differences,
                                            .ends_on_full_steps = true,
                                            .undersmoothing = .1};
    static constexpr double ridge = 1e-6;  ///< a constant added to the spline changes nothing
    static constexpr double largest_move = 6, matters = 1e-7;

    const UsedCells& cells_;
    Density fit_;
    std::vector<double> reading_;  ///< q_c
    std::vector<double> of_data_;  ///< the sum of N_c S_c S_c'
};

}  // namespace

const std::array<FeatureRow, points>& feature_table() {
    static const auto table = [] {
        std::array<FeatureRow, points> rows;
        for (std::size_t j = 0; j < points; ++j) rows[j] = features_at(j);
        return rows;
    }();
    return table;
}

FeatureRow Density::solve(const FeatureRow& lean) const {
    FeatureRow out = lean;
    information.solve(out);
    return out;
}

std::vector<double> Density::prior(const FeatureRow& lean) const {
    const FeatureRow answer = solve(lean);
    std::vector<double> parts;
    for (std::size_t i = 0; i < differences; ++i)
        parts.push_back(std::sqrt(penalty) * second_difference(answer, i));
    return parts;
}

Density fit_density(const UsedCells& cells, const CellGrid& grid) {
    if (cells.size() == 0)
        throw Error(ErrorCode::bad_input, "selection rates cannot be fitted without images");
    bool none = true, all = true, several = false;
    for (const std::size_t c : cells.cell) {
        none = none && grid.k(c) == 0;
        all = all && grid.k(c) == grid.n(c);
        several = several || grid.n(c) > 1;
    }
    if (none || all) {
        throw Error(
            ErrorCode::bad_input,
            all ? "every image was selected by all of its annotators, so selection rates cannot be "
                  "distinguished"
                : "no annotator selected any image, so selection rates cannot be distinguished");
    }
    if (!several)
        throw Error(ErrorCode::usage, "one annotator per image cannot show how rates differ");
    return DensityFit(cells, grid).run();
}

}  // namespace assay::replication::penalised
