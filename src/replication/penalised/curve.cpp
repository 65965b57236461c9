#include "replication/penalised/curve.h"

#include <algorithm>
#include <cmath>

#include "replication/penalised/ascent.h"

namespace assay::replication::penalised {
namespace {

/// (m^2 - 1)^2 is the curvature in the angle. It is zero for a constant and the first cosine.
double penalty_weight(std::size_t m) {
    const auto squared = static_cast<double>(m * m) - 1;
    return m < 2 ? 0 : squared * squared;
}

double curvature(const CosineRow& b) {
    double sum = 0;
    for (std::size_t m = 0; m < cosines; ++m) sum += penalty_weight(m) * b[m] * b[m];
    return sum;
}

class CurveFit {
public:
    CurveFit(const UsedCells& cells, const std::vector<double>& posterior,
             std::span<const double> hits)
        : cells_(cells), posterior_(posterior), hits_(hits) {
        fit_.accuracy.resize(points);
        fit_.slope.resize(points);
        fit_.hit_rate.resize(cells.size());
        fit_.design.resize(cells.size());
        double correct = 0;
        for (const double h : hits) correct += h;
        const double mean = ((correct + .5) / (cells.total + 1) + curve_margin) / curve_span;
        fit_.coefficients[0] = std::log(mean / (1 - mean));
    }

    Curve run() {
        maximise(*this, fit_, limits);
        return std::move(fit_);
    }

    // The functions that maximise() requires.
    double evaluate(const CosineRow& b) {
        static const auto functions = by_function(cosine_table());
        const std::array<double, points> eta = combine(b, functions);
        for (std::size_t j = 0; j < points; ++j)
            fit_.accuracy[j] = -curve_margin + curve_span / (1 + std::exp(-eta[j]));
        mix_points(fit_.accuracy, posterior_, fit_.hit_rate);
        double sum = 0, squares = 0;
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            double rate = fit_.hit_rate[c];
            rate = std::clamp(rate, least_hit_rate, 1 - least_hit_rate);
            fit_.hit_rate[c] = rate;
            sum += hits_[c] * std::log(rate) + (cells_.images[c] - hits_[c]) * std::log1p(-rate);
        }
        for (const double x : b) squares += x * x;
        return sum - .5 * fit_.penalty * curvature(b) - .5 * ridge * squares;
    }

    void linearise() {
        const auto& table = cosine_table();
        std::array<CosineRow, points> rows;
        for (std::size_t j = 0; j < points; ++j) {
            const double g = fit_.accuracy[j];
            fit_.slope[j] = (g + curve_margin) * (1 + curve_margin - g) / curve_span;
            for (std::size_t m = 0; m < cosines; ++m) rows[j][m] = fit_.slope[j] * table[j][m];
        }
        mix_rows_by_cell(posterior_, rows, fit_.design);
        of_data_.assign(cosines * cosines, 0.0);
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const CosineRow& x = fit_.design[c];
            const double weight = cells_.images[c] / (fit_.hit_rate[c] * (1 - fit_.hit_rate[c]));
            for (std::size_t i = 0; i < cosines; ++i) {
                const double scaled = weight * x[i];
                for (std::size_t j = 0; j < cosines; ++j)
                    of_data_[i * cosines + j] += scaled * x[j];
            }
        }
    }

    void factorise() {
        std::vector<double> h = of_data_;
        for (std::size_t m = 0; m < cosines; ++m)
            h[m * cosines + m] += fit_.penalty * penalty_weight(m) + ridge;
        fit_.information = Cholesky(std::move(h), cosines);
    }

    CosineRow step() const {
        CosineRow slope{};
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            const double rate = fit_.hit_rate[c];
            // At bounds the likelihood does not change, so slopes there would be meaningless.
            if (rate <= least_hit_rate || rate >= 1 - least_hit_rate) continue;
            const double residual = (hits_[c] - cells_.images[c] * rate) / (rate * (1 - rate));
            for (std::size_t m = 0; m < cosines; ++m) slope[m] += residual * fit_.design[c][m];
        }
        for (std::size_t m = 0; m < cosines; ++m)
            slope[m] -= (fit_.penalty * penalty_weight(m) + ridge) * fit_.coefficients[m];
        fit_.information.solve(slope);
        return slope;
    }

    static double longest(const CosineRow& step) {
        double most = 1e-9;
        for (const CosineRow& row : cosine_table()) {
            double move = 0;
            for (std::size_t m = 0; m < cosines; ++m) move += row[m] * step[m];
            most = std::max(most, std::abs(move));
        }
        return std::min(1.0, largest_move / most);
    }

    static double rough(const CosineRow& x) { return curvature(x); }

    double trace() const {
        double sum = 0;
        for (std::size_t m = 2; m < cosines; ++m) {
            CosineRow unit{};
            unit[m] = 1;
            sum += penalty_weight(m) * fit_.information.squared_length(unit);
        }
        return sum;
    }

private:
    // At the bounds of the hit rate full steps are impossible. A curve that looks smooth may still
    // rise where readings give little information. So its prior part must not vanish, and the
    // penalty has an upper limit.
    static constexpr AscentLimits limits = {.max_rounds = 80,
                                            .lowest_penalty = 1e-4,
                                            .highest_penalty = .05,
                                            .rank = cosines - 2,
                                            .ends_on_full_steps = false,
                                            .undersmoothing = .5};
    static constexpr double least_hit_rate = 2e-3;
    static constexpr double ridge = 1e-6;
    static constexpr double largest_move = 3;

    const UsedCells& cells_;
    const std::vector<double>& posterior_;
    std::span<const double> hits_;
    Curve fit_;
    std::vector<double> of_data_;
};

}  // namespace

const std::array<CosineRow, points>& cosine_table() {
    static const auto table = [] {
        std::array<CosineRow, points> rows;
        for (std::size_t j = 0; j < points; ++j) {
            const double angle = 2 * std::atan(std::exp(logit_grid().logit[j] / 2));
            for (std::size_t m = 0; m < cosines; ++m)
                rows[j][m] = std::cos(static_cast<double>(m) * angle);
        }
        return rows;
    }();
    return table;
}

double Curve::prior(const CosineRow& answer) const {
    return std::sqrt(penalty * curvature(answer));
}

Curve fit_curve(const UsedCells& cells, const std::vector<double>& posterior,
                std::span<const double> hits) {
    return CurveFit(cells, posterior, hits).run();
}

}  // namespace assay::replication::penalised
