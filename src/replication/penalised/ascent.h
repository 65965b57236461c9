// Computes penalised maximum likelihood by Gauss-Newton steps. The penalty's weight is from
// marginal likelihood.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace assay::replication::penalised {

struct AscentLimits {
    int max_rounds;
    double lowest_penalty, highest_penalty;
    double rank;  ///< rank of the penalty
    bool ends_on_full_steps;
    double undersmoothing;  ///< the smoothness that is best for a function is too much for its
                            ///< integral
};

/// Climbs from `fit.coefficients` with these functions of `model`: `evaluate(coefficients)`
/// returns the penalised log-likelihood there. `linearise()` linearises at the coefficients of the
/// last `evaluate()`. `factorise()` computes the information with the penalty of `fit`. `step()`
/// leads towards the maximum of the linearised problem, and `longest(step)` is its safe part.
/// `rough(coefficients)` is the term that the penalty multiplies. `trace()` is the trace of the
/// penalty in the factorised information's inverse. `fixed` keeps the penalty's weight.
template <class Model, class Fit>
void climb(Model& model, Fit& fit, bool fixed, const AscentLimits& limits) {
    constexpr int free_rounds = 2, most_halvings = 25;
    constexpr double enough_gain = 1e-5, enough_change = .02, rounding = 1e-9;
    constexpr double largest_ratio = 8, least = 1e-8;
    double value = model.evaluate(fit.coefficients);
    bool current = false;  // the last linearise() was for the current coefficients
    for (int round = 0; round < limits.max_rounds; ++round, ++fit.rounds) {
        if (!current) model.linearise();
        model.factorise();
        const auto move = model.step();
        double length = model.longest(move), gain = 0;
        auto next = fit.coefficients;
        for (int attempt = 0; attempt < most_halvings; ++attempt, length /= 2) {
            for (std::size_t i = 0; i < next.size(); ++i)
                next[i] = fit.coefficients[i] + length * move[i];
            gain = model.evaluate(next) - value;
            if (gain >= -rounding) break;
        }
        if (gain < -rounding) {  // there is no better point in this direction
            model.evaluate(fit.coefficients);
            return;
        }
        fit.coefficients = next;
        value += gain;
        current = false;
        double change = fixed ? 0 : 1;
        if (!fixed && round >= free_rounds) {
            model.linearise();
            current = true;
            model.factorise();
            // The weight for which the marginal likelihood, to second order, is stationary (Schall,
            // Biometrika 1991).
            const double old = fit.penalty, rough = model.rough(fit.coefficients);
            const double wanted =
                std::max(limits.rank / old - model.trace(), least) * old / std::max(rough, least);
            fit.penalty = std::clamp(std::clamp(wanted, old / largest_ratio, old * largest_ratio),
                                     limits.lowest_penalty, limits.highest_penalty);
            change = std::abs(std::log(fit.penalty / old));
            value += .5 * (old - fit.penalty) * rough;
        }
        const bool full = !limits.ends_on_full_steps || length == 1;
        if (std::abs(gain) < enough_gain && change < enough_change && full) return;
    }
}

/// First optimises coefficients and penalty together, then the coefficients with a lowered penalty.
/// At the end everything is linearised and factorised.
template <class Model, class Fit>
void maximise(Model& model, Fit& fit, const AscentLimits& limits) {
    climb(model, fit, false, limits);
    fit.penalty *= limits.undersmoothing;
    climb(model, fit, true, limits);
    model.linearise();
    model.factorise();
}

}  // namespace assay::replication::penalised
