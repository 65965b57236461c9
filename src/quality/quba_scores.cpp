// QUBA scores, their ranks, and the uncertainty of both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/quality/quba.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/constants.h"
#include "quality/drawn_ranks.h"
#include "quality/joint.h"

namespace assay::quality {
namespace {

/// The used cells of some models, and their standard errors.
struct Cells {
    Values values;
    std::vector<PerDimension<double>> errors;  ///< errors of independent cells; 0 for joint ones
    std::vector<std::uint64_t> items;          ///< indices of the cells in the draws
    std::string_view purpose;
    struct Joint {
        std::size_t place, dimension;
        const std::vector<ErrorShare>* shares;
    };
    std::vector<Joint> joint;
};

Cells cells_of(const QualityTable& table, const std::vector<std::size_t>& models,
               const PerDimension<double>& weights, std::string_view purpose) {
    Cells cells;
    cells.purpose = purpose;
    for (const std::size_t m : models) {
        auto& values = cells.values.emplace_back();
        auto& errors = cells.errors.emplace_back();
        cells.items.push_back(m);
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (weights[d] == 0) continue;
            const QualityCell& cell = table.models[m].cells[d];
            values[d] = cell.value;
            errors[d] = is_joint(cell) ? 0 : cell.standard_error.value_or(0);
            if (is_joint(cell)) cells.joint.push_back({cells.items.size() - 1, d, &cell.shares});
        }
    }
    return cells;
}

/// Draws of all cells, one after another. A model's draws do not depend on other models.
class Draws {
public:
    Draws(const Cells& cells, std::uint64_t seed) : cells_(cells), joint_(seed) {
        for (const std::uint64_t item : cells.items)
            streams_.emplace_back(seed, cells.purpose, item);
        for (const Cells::Joint& cell : cells.joint) joint_.add(*cell.shares);
    }
    void next(Values& out) {
        out = cells_.values;
        std::array<float, dimension_count> noise;
        for (std::size_t i = 0; i < out.size(); ++i) {
            streams_[i].fill_normal(noise);
            for (std::size_t d = 0; d < dimension_count; ++d) {
                if (out[i][d]) *out[i][d] += cells_.errors[i][d] * static_cast<double>(noise[d]);
            }
        }
        joint_.next();
        for (std::size_t j = 0; j < cells_.joint.size(); ++j)
            *out[cells_.joint[j].place][cells_.joint[j].dimension] += joint_[j];
    }

private:
    const Cells& cells_;
    std::vector<RandomStream> streams_;
    JointDraws joint_;
};

std::vector<double> scores_of(const Values& values, const QubaConstants& constants,
                              const PerDimension<double>& weights) {
    std::vector<double> scores;
    for (const auto& model : values) scores.push_back(quba_of(model, constants, weights));
    return scores;
}

/// The rank of a number: 1 + the count of larger numbers in `sorted` (ascending).
std::uint32_t place_among(double score, const std::vector<double>& sorted) {
    return static_cast<std::uint32_t>(
        1 + (sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), score)));
}

void refuse_missing(const QualityTable& table, const std::vector<std::size_t>& models,
                    const PerDimension<double>& weights) {
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] == 0) continue;
        std::vector<std::string_view> lacking;
        for (const std::size_t m : models) {
            if (!table.models[m].cells[d].value) lacking.push_back(table.models[m].label);
        }
        if (lacking.empty()) continue;
        const std::size_t shown = std::min<std::size_t>(lacking.size(), 3);
        const std::string_view name = dimension_facts()[d].name;
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{} of {} {} no {} ({}{}); measure it, exclude it from all scores (--weights "
                "{}=0), or score each model without its missing dimensions (--drop-missing)",
                lacking.size(), how_many(models.size(), "model"),
                lacking.size() == 1 ? "has" : "have", name,
                fmt::join(lacking.begin(), lacking.begin() + static_cast<std::ptrdiff_t>(shown),
                          ", "),
                lacking.size() > shown ? ", ..." : "", name));
    }
}

/// Columns whose definitions differ from those of the other models in the ranking.
std::vector<std::string> other_definitions(const QualityTable& table,
                                           const std::vector<std::size_t>& models,
                                           const PerDimension<double>& weights) {
    std::vector<std::string> warnings;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] == 0) continue;
        std::size_t count = 0;
        std::string example;
        for (const std::size_t m : models) {
            const std::string& definition = table.models[m].cells[d].definition;
            if (definition.empty() || definition == "published") continue;
            if (count++ == 0) example = definition;
        }
        if (count > 0) {
            warnings.push_back(fmt::format(
                "{} of {} {} measured differently from the published one (`{}`): {} among the 326 "
                "models {} different things",
                dimension_facts()[d].title, how_many(count, "model"),
                static_cast<Dimension>(d) == Dimension::parameters ? "were" : "was", example,
                count == 1 ? "its place" : "their places", count == 1 ? "compares" : "compare"));
        }
    }
    return warnings;
}

std::vector<DrawnModel> draw_scores(const Cells& cells, const Cells& others,
                                    const QubaResult& result) {
    const QubaOptions& options = result.options;
    std::vector<DrawnModel> drawn(cells.values.size());
    Draws draws(cells, options.seed), other_draws(others, options.seed);
    Values values;
    for (std::uint32_t r = 0; r < options.replicates; ++r) {
        throw_if_stopped();
        draws.next(values);
        const QubaConstants constants = options.own_constants
                                            ? constants_from(values, result.weights, options.trim)
                                            : result.constants;
        const std::vector<double> scores = scores_of(values, constants, result.weights);
        const std::vector<std::uint32_t> ranks = ranks_of(scores);
        other_draws.next(values);
        std::vector<double> other_scores = scores_of(values, constants, result.weights);
        std::sort(other_scores.begin(), other_scores.end());
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            DrawnModel& model = drawn[i];
            model.add(scores[i], ranks[i], r);
            if (!other_scores.empty()) model.places.push_back(place_among(scores[i], other_scores));
        }
    }
    return drawn;
}

/// The score and the contributions of the dimensions. Ranks are added later.
ScoredModel scored_model(const PerDimension<std::optional<double>>& values, double score,
                         const DrawnModel& drawn, const QubaResult& result) {
    ScoredModel scored;
    double used = 0;
    for (std::size_t d = 0; d < dimension_count; ++d) used += values[d] ? result.weights[d] : 0;
    std::vector<std::string_view> lacking;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (result.weights[d] == 0) continue;
        const DimensionFacts& facts = dimension_facts()[d];
        if (!values[d]) {
            scored.missing.push_back(facts.dimension);
            lacking.push_back(facts.name);
            continue;
        }
        ++scored.score.n;
        scored.contribution[d] = result.weights[d] / used * (facts.higher_is_better ? 1 : -1) *
                                 (*values[d] - result.constants.mean[d]) /
                                 result.constants.deviation[d];
    }
    scored.score.value = score;
    const double error = std::sqrt(drawn.squares / (result.options.replicates - 1));
    if (error > 0) {
        scored.score.standard_error = error;
        scored.score.interval =
            symmetric_interval(score, error, result.options.level, "draws.normal");
    } else {
        scored.score.note = "no standard errors are known";
    }
    if (!lacking.empty()) scored.score.note = fmt::format("without {}", fmt::join(lacking, ", "));
    scored.best = static_cast<double>(drawn.best) / result.options.replicates;
    scored.top5 = static_cast<double>(drawn.top5) / result.options.replicates;
    return scored;
}

void refuse_empty(const QualityTable& table, const std::vector<std::size_t>& models,
                  const Cells& cells) {
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto& values = cells.values[i];
        if (std::any_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); }))
            continue;
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has no value in any dimension with a weight",
                                table.models[models[i]].label));
    }
}

}  // namespace

QubaResult score_quality(const QualityTable& table, const QubaOptions& options) {
    check_score_options(options);
    QubaResult result;
    result.options = options;
    result.weights = weights_named(options.weights);
    result.published = table.published;
    const std::vector<std::size_t> models = select_models(table, options.where);
    check_draws(options, models.size());
    result.notes = table.notes;
    for (std::string& note : notes_on_cells(table, models, result.weights))
        result.notes.push_back(std::move(note));
    if (!options.drop_missing) refuse_missing(table, models, result.weights);
    const Cells cells = cells_of(table, models, result.weights, "quality cells");
    refuse_empty(table, models, cells);
    result.draws = draws_of_cells(table, models, result.weights);
    result.constants = options.own_constants
                           ? constants_of(table, models, result.weights, options.trim)
                           : published_constants();
    const std::vector<double> scores = scores_of(cells.values, result.constants, result.weights);
    const std::vector<std::uint32_t> ranks = ranks_of(scores);

    const bool place = options.among_published && !options.own_constants && !result.published;
    result.assumed_errors = result.published || place;
    Cells others;
    if (place) {
        std::vector<std::size_t> all(published_models().models.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        others = cells_of(published_models(), all, result.weights, "published cells");
        result.warnings = other_definitions(table, models, result.weights);
    }
    std::vector<double> other_scores = scores_of(others.values, result.constants, result.weights);
    std::sort(other_scores.begin(), other_scores.end());

    const std::vector<DrawnModel> drawn = draw_scores(cells, others, result);
    std::size_t partly = 0;
    for (std::size_t i = 0; i < models.size(); ++i) {
        ScoredModel scored = scored_model(cells.values[i], scores[i], drawn[i], result);
        scored.model = models[i];
        scored.rank = rank_estimate(ranks[i], drawn[i].ranks, models.size(), options.level);
        partly += scored.missing.empty() ? 0 : 1;
        if (place && scored.missing.empty()) {
            scored.place = rank_estimate(place_among(scores[i], other_scores), drawn[i].places,
                                         other_scores.size() + 1, options.level);
        } else {
            scored.place.unit = Unit::rank;
            scored.place.undefined =
                !scored.missing.empty() ? "a dimension is missing"
                : result.published      ? "the models are the published ones"
                : options.own_constants
                    ? "scores with own constants can only be compared with each other"
                    : "not asked for";
        }
        result.models.push_back(std::move(scored));
    }
    std::stable_sort(
        result.models.begin(), result.models.end(),
        [](const ScoredModel& a, const ScoredModel& b) { return *a.score.value > *b.score.value; });
    for (ScoredModel& m : result.models) m.label = table.models[m.model].label;
    for (std::string& warning : other_images(table, models, result.weights))
        result.warnings.push_back(std::move(warning));
    if (auto warning = unknown_errors(table, models, result.weights))
        result.warnings.push_back(std::move(*warning));
    if (partly > 0) {
        result.warnings.push_back(
            fmt::format("{} of {} {} dimensions, so they compare different things", partly,
                        how_many(result.models.size(), "score"), partly == 1 ? "lacks" : "lack"));
    }
    return result;
}

}  // namespace assay::quality
