// Implements the penalised likelihood as an Estimator.
#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "assay/replication/penalised_likelihood.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replication/estimator.h"
#include "replication/penalised/blind_spots.h"
#include "replication/penalised/curve.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication {
namespace penalised {
namespace {

/// A function on the grid, interpolated linearly in the logit between its points.
std::vector<double> at_drawing_rates(const std::vector<double>& values) {
    const double step = (highest_logit - lowest_logit) / static_cast<double>(points);
    std::vector<double> out;
    for (const double s : drawing_rates()) {
        const double at = (std::log(s / (1 - s)) - lowest_logit) / step - .5;
        const double place = std::clamp(at, 0.0, static_cast<double>(points - 1));
        const auto left = std::min(static_cast<std::size_t>(place), points - 2);
        const double part = place - static_cast<double>(left);
        out.push_back((1 - part) * values[left] + part * values[left + 1]);
    }
    return out;
}

/// Converts the masses of the grid's parts to a density of s.
std::vector<double> density_of(const std::vector<double>& mass) {
    const double step = (highest_logit - lowest_logit) / static_cast<double>(points);
    std::vector<double> out = at_drawing_rates(mass);
    const std::vector<double> rates = drawing_rates();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] /= step * rates[i] * (1 - rates[i]);
    return out;
}

/// The curve, clipped to [0, 1], and its interval. The link keeps the ends near [0, 1]. If both
/// ends are clipped at the same bound, the other end is that of Wilson's interval. It assumes all
/// images at this rate, with all hit or all missed.
void add_curve(const PenalisedLikelihood::Fit& fit, double images, double level, Drawing& drawing) {
    const double z = normal_quantile(.5 + level / 2), least = z * z / (images + z * z);
    std::vector<double> eta;
    for (const double g : fit.curve)
        eta.push_back(std::log((g + curve_margin) / (curve_span - curve_margin - g)));
    eta = at_drawing_rates(eta);
    const std::vector<double> error = at_drawing_rates(fit.curve_error);
    const auto accuracy = [](double x) {
        return std::clamp(-curve_margin + curve_span / (1 + std::exp(-x)), 0.0, 1.0);
    };
    std::vector<double> middle, low, high;
    for (std::size_t i = 0; i < eta.size(); ++i) {
        middle.push_back(accuracy(eta[i]));
        low.push_back(std::min(accuracy(eta[i] - z * error[i]), 1 - least));
        high.push_back(std::max(accuracy(eta[i] + z * error[i]), least));
    }
    drawing.accuracy.push_back(std::move(middle));
    drawing.accuracy_low.push_back(std::move(low));
    drawing.accuracy_high.push_back(std::move(high));
}

class LikelihoodEstimator final : public Estimator {
public:
    LikelihoodEstimator(int threads, double level) : threads_(threads), level_(level) {}
    std::string id() const override { return "pl"; }
    std::string definition() const override { return "adjusted.pl.logit180.spline56.cosine24"; }

    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result,
                                 CellEffects* effects) const override {
        const PenalisedLikelihood model(first, second);
        std::vector<PenalisedLikelihood::Fit> fits(correct.models);
        // In a bootstrap the replicates use the threads.
        const int threads = result == nullptr ? 1 : resolve_threads(threads_);
        parallel_blocks(fits.size(), threads, [&](std::size_t m) {
            throw_if_stopped();
            fits[m] = model.fit(correct.of(m));
        });
        std::vector<double> accuracies;
        for (const auto& fit : fits) accuracies.push_back(fit.accuracy);
        if (result != nullptr) describe(model, fits, second.total(), *result);
        if (effects != nullptr) *effects = influences(fits, accuracies);
        return accuracies;
    }

private:
    void describe(const PenalisedLikelihood& model,
                  const std::vector<PenalisedLikelihood::Fit>& fits, double images,
                  MethodResult& result) const {
        result.details = {{"penalty",
                           {{"original", model.first_penalty()},
                            {"replication", model.second_penalty()},
                            {"curves", nlohmann::json::array()}}}};
        result.drawing.first_density = density_of(model.first_density());
        result.drawing.second_density = density_of(model.second_density());
        for (const auto& fit : fits) {
            result.details["penalty"]["curves"].push_back(fit.penalty);
            add_curve(fit, images, level_, result.drawing);
        }
        result.blind_spots = blind_spots(model, fits);
    }

    static CellEffects influences(const std::vector<PenalisedLikelihood::Fit>& fits,
                                  std::vector<double> accuracies) {
        const std::size_t models = fits.size();
        // Combines each classifier's values to cells x classifiers.
        const auto gather = [&](auto member) {
            std::vector<double> out((fits.front().*member).size() * models);
            for (std::size_t m = 0; m < models; ++m) {
                const std::vector<double>& own = fits[m].*member;
                for (std::size_t c = 0; c < own.size(); ++c) out[c * models + m] = own[c];
            }
            return out;
        };
        CellEffects effects;
        effects.adjusted = std::move(accuracies);
        effects.first = gather(&PenalisedLikelihood::Fit::first_effect);
        effects.miss = gather(&PenalisedLikelihood::Fit::miss_effect);
        effects.hit = gather(&PenalisedLikelihood::Fit::hit_effect);
        for (const auto member :
             {&PenalisedLikelihood::Fit::first_prior, &PenalisedLikelihood::Fit::second_prior}) {
            for (std::size_t i = 0; i < (fits.front().*member).size(); ++i) {
                auto& part = effects.prior.emplace_back();
                for (const auto& fit : fits) part.push_back((fit.*member)[i]);
            }
        }
        for (const auto& fit : fits) effects.curve_prior.push_back(fit.curve_prior);
        return effects;
    }

    int threads_;
    double level_;
};

}  // namespace
}  // namespace penalised

std::unique_ptr<Estimator> make_penalised_likelihood(int threads, double level) {
    return std::make_unique<penalised::LikelihoodEstimator>(threads, level);
}

}  // namespace assay::replication
