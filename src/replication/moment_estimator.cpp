// Implements the factorial moments as an Estimator.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/error.h"
#include "replication/enough_annotators.h"

namespace assay::replication {
namespace {

class Moments final : public Estimator {
public:
    Moments(std::vector<int> exponents, int least)
        : exponents_(std::move(exponents)), least_(least) {}
    std::string id() const override { return "moments"; }
    std::string definition() const override { return defined_by(exponents_); }

    std::vector<double> estimate(const CellCounts& all_first, const CellCounts& all_second,
                                 const Correct& all_correct, MethodResult* result,
                                 CellEffects* effects) const override {
        const EnoughAnnotators part(all_first, all_second, all_correct, least_);
        const MomentProjection projection(part.first, part.second, exponents_);
        if (result != nullptr) {
            describe(projection, part.correct, *result);
            result->weights = part.spread_second(projection.weights().weight);
            if (const std::string note = part.note(); !note.empty()) result->notes.push_back(note);
        }
        std::vector<double> accuracies = weigh(projection.weights(), part.correct);
        if (effects != nullptr) {
            *effects = influences(projection, part, all_first.grid.size(), all_second.grid.size());
            effects->adjusted = accuracies;
        }
        return accuracies;
    }

private:
    static std::string defined_by(const std::vector<int>& exponents) {
        return fmt::format("adjusted.moments.{}", fmt::join(exponents, "_"));
    }

    static void describe(const MomentProjection& projection, const Correct& correct,
                         MethodResult& result) {
        result.exponents = projection.exponents();
        result.definition = defined_by(result.exponents);  // some exponents may be dropped
        if (!projection.dropped().empty()) {
            result.notes.push_back(
                fmt::format("dropped exponents {}, because the data do not determine them",
                            fmt::join(projection.dropped(), ",")));
        }
        const std::vector<double> rates = drawing_rates();
        for (std::size_t m = 0; m < correct.models; ++m) {
            result.curves.push_back(projection.fit(correct.of(m)).curve);
            std::vector<double> drawn;
            for (const double s : rates) {
                double g = 0;
                for (std::size_t j = 0; j < result.exponents.size(); ++j) {
                    g += result.curves.back()[j] * std::pow(s, result.exponents[j]);
                }
                drawn.push_back(std::clamp(g, 0.0, 1.0));
            }
            result.drawing.accuracy.push_back(std::move(drawn));
        }
    }

    static CellEffects influences(const MomentProjection& projection, const EnoughAnnotators& part,
                                  std::size_t first_cells, std::size_t second_cells) {
        const std::size_t models = part.correct.models;
        const double n1 = part.first.total(), n2 = part.second.total();
        CellEffects effects;
        effects.first.assign(first_cells * models, 0.0);
        effects.miss.assign(second_cells * models, 0.0);
        effects.hit = effects.miss;
        for (std::size_t m = 0; m < models; ++m) {
            const MomentProjection::Fit fit = projection.fit(part.correct.of(m));
            for (std::size_t c = 0; c < part.first_place.size(); ++c)
                effects.first[part.first_place[c] * models + m] = fit.first_effect[c] / n1;
            for (std::size_t c = 0; c < part.second_place.size(); ++c) {
                const std::size_t to = part.second_place[c] * models + m;
                effects.miss[to] = fit.second_effect[c] / n2;
                effects.hit[to] = projection.correct_effect(c) / n2;
            }
        }
        return effects;
    }

    std::vector<int> exponents_;
    int least_;
};

}  // namespace

std::unique_ptr<Estimator> make_moments(std::vector<int> exponents, int least) {
    return std::make_unique<Moments>(std::move(exponents), least);
}

}  // namespace assay::replication
