#include "replication/thinned.h"

#include <utility>

#include "replication/enough_annotators.h"

namespace assay::replication {
namespace {

struct ThinningTables {
    int m, least;
    Thinning first, second;
};

/// Converts values by number of selections to cells of `whole` and classifiers. A cell gets the
/// mean over the readings to which it may be thinned, and excluded cells get 0.
std::vector<double> by_whole_cell(const std::vector<double>& values, std::size_t models,
                                  const Thinning& thinning, const std::vector<std::size_t>& place,
                                  std::size_t whole) {
    std::vector<double> out(whole * models, 0.0);
    for (std::size_t c = 0; c < place.size(); ++c) {
        const auto p = thinning.row(c);
        double* row = out.data() + place[c] * models;
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (p[j] == 0) continue;
            for (std::size_t m = 0; m < models; ++m) row[m] += p[j] * values[j * models + m];
        }
    }
    return out;
}

class ThinnedEstimator final : public Estimator {
public:
    ThinnedEstimator(std::unique_ptr<Estimator> inner, std::shared_ptr<const ThinningTables> tables)
        : inner_(std::move(inner)), tables_(std::move(tables)) {}
    std::string id() const override { return inner_->id(); }
    std::string definition() const override { return inner_->definition(); }
    bool resamples() const override { return inner_->resamples(); }

    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result,
                                 CellEffects* effects) const override {
        const EnoughAnnotators part(first, second, correct, tables_->least);
        const CellGrid grid({tables_->m});
        const CellCounts one{grid, tables_->first.apply(part.first.images)},
            two{grid, tables_->second.apply(part.second.images)};
        CellEffects inner;
        std::vector<double> values =
            inner_->estimate(one, two, thinned(part.correct, part.second.grid, tables_->m), result,
                             effects == nullptr ? nullptr : &inner);
        const auto of_second = [&](const std::vector<double>& x, std::size_t models) {
            return by_whole_cell(x, models, tables_->second, part.second_place, second.grid.size());
        };
        if (result != nullptr) {
            if (!result->weights.empty()) result->weights = of_second(result->weights, 1);
            if (const std::string note = part.note(); !note.empty()) result->notes.push_back(note);
        }
        if (effects != nullptr && !inner.adjusted.empty()) {
            *effects = std::move(inner);
            effects->first = by_whole_cell(effects->first, correct.models, tables_->first,
                                           part.first_place, first.grid.size());
            effects->miss = of_second(effects->miss, correct.models);
            effects->hit = of_second(effects->hit, correct.models);
        }
        return values;
    }

private:
    std::unique_ptr<Estimator> inner_;
    std::shared_ptr<const ThinningTables> tables_;
};

}  // namespace

CellCounts thinned(const CellCounts& counts, int m) {
    return {CellGrid({m}), Thinning(counts.grid, m).apply(counts.images)};
}

Correct thinned(const Correct& correct, const CellGrid& grid, int m) {
    const Thinning thin(grid, m);
    Correct out{correct.models,
                std::vector<double>((static_cast<std::size_t>(m) + 1) * correct.models, 0.0)};
    for (std::size_t c = 0; c < grid.size(); ++c) {
        const auto p = thin.row(c);
        for (std::size_t j = 0; j < p.size(); ++j) {
            if (p[j] == 0) continue;
            for (std::size_t k = 0; k < correct.models; ++k) {
                out.by_cell[j * correct.models + k] +=
                    p[j] * correct.by_cell[c * correct.models + k];
            }
        }
    }
    return out;
}

AdjustOptions options_at(const AdjustOptions& options, int m) {
    AdjustOptions at = options;
    if (!at.exponents.empty() && 2 * at.exponents.back() > m) at.exponents.clear();
    at.likelihood = options.likelihood && m >= 2;
    at.moments = options.moments && m >= 2;
    at.mixture = options.mixture && m >= 2;
    at.npmle = options.npmle && m >= 2;
    at.naive = true;
    std::erase_if(at.jackknife, [&](int d) { return d >= m; });
    return at;
}

std::vector<std::unique_ptr<Estimator>> make_thinned_estimators(const AdjustOptions& options,
                                                                const CellCounts& first,
                                                                const CellCounts& second, int m,
                                                                int least) {
    const CellCounts one = with_annotators(first, least), two = with_annotators(second, least);
    const auto tables = std::make_shared<const ThinningTables>(
        ThinningTables{m, least, Thinning(one.grid, m), Thinning(two.grid, m)});
    std::vector<std::unique_ptr<Estimator>> estimators;
    for (auto& inner : make_estimators(options_at(options, m), thinned(one, m), thinned(two, m)))
        estimators.push_back(std::make_unique<ThinnedEstimator>(std::move(inner), tables));
    return estimators;
}

}  // namespace assay::replication
