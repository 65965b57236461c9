// QUBA scores, their ranks, and how sure they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/quality/quba.h"
#include "core/random.h"
#include "core/statistics.h"
#include "quality/constants.h"

namespace assay::quality {
namespace {

constexpr std::uint32_t most_replicates = 1'000'000;

void check_options(const QubaOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage, fmt::format("level is {}; it lies in (0, 1)", options.level));
    if (options.replicates < 100 || options.replicates > most_replicates) {
        throw Error(ErrorCode::usage, fmt::format("{} replicates; there are 100 to {}",
                                                  options.replicates, most_replicates));
    }
}

/// What enters of some models, and its standard errors.
struct Cells {
    Values values;
    std::vector<PerDimension<double>> errors;
    std::vector<std::uint64_t> items;  ///< of the draws
    std::string_view purpose;
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
            values[d] = table.models[m].cells[d].value;
            errors[d] = table.models[m].cells[d].standard_error.value_or(0);
        }
    }
    return cells;
}

/// `replicates` draws of all cells; a model's do not depend on which others there are.
class Draws {
public:
    Draws(const Cells& cells, std::uint64_t seed, std::uint32_t replicates) : cells_(cells) {
        noise_.resize(cells.values.size() * replicates * dimension_count);
        for (std::size_t i = 0; i < cells.values.size(); ++i) {
            RandomStream stream(seed, cells.purpose, cells.items[i]);
            stream.fill_normal(
                std::span(noise_).subspan(i * replicates * dimension_count,
                                          static_cast<std::size_t>(replicates) * dimension_count));
        }
        replicates_ = replicates;
    }
    void draw(std::uint32_t replicate, Values& out) const {
        out = cells_.values;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t at = (i * replicates_ + replicate) * dimension_count;
            for (std::size_t d = 0; d < dimension_count; ++d) {
                if (out[i][d])
                    *out[i][d] += cells_.errors[i][d] * static_cast<double>(noise_[at + d]);
            }
        }
    }

private:
    const Cells& cells_;
    std::vector<float> noise_;
    std::size_t replicates_ = 0;
};

std::vector<double> scores_of(const Values& values, const QubaConstants& constants,
                              const PerDimension<double>& weights) {
    std::vector<double> scores;
    for (const auto& model : values) scores.push_back(quba_of(model, constants, weights));
    return scores;
}

/// 1 + those that are larger.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& scores) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<std::uint32_t> ranks(scores.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        const bool tie = place > 0 && scores[order[place]] == scores[order[place - 1]];
        ranks[order[place]] = tie ? ranks[order[place - 1]] : static_cast<std::uint32_t>(place + 1);
    }
    return ranks;
}

Estimate rank_estimate(double value, std::vector<double> drawn, std::size_t among, double level) {
    Estimate rank;
    rank.unit = Unit::rank;
    rank.value = value;
    rank.n = among;
    Interval interval = percentile_interval(std::move(drawn), level, "draws.percentile");
    // Whole places; the observed one is among those that are likely.
    interval.low = std::min(std::floor(interval.low), value);
    interval.high = std::max(std::ceil(interval.high), value);
    rank.interval = interval;
    return rank;
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
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{} of {} models have no {} ({}{}); measure it, give it the weight 0, "
                        "or score what is there and say so (drop_missing)",
                        lacking.size(), models.size(), dimension_facts()[d].name,
                        fmt::join(lacking.begin(),
                                  lacking.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                        lacking.size() > shown ? ", ..." : ""));
    }
}

/// Columns whose definitions are not those of the models that they are placed among.
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
                "{} of {} models was measured in another way than the published one (`{}`): "
                "their places among the 326 models compare different things",
                dimension_facts()[d].title, count, example));
        }
    }
    return warnings;
}

}  // namespace

QubaResult score_quality(const QualityTable& table, const QubaOptions& options) {
    check_options(options);
    QubaResult result;
    result.options = options;
    result.weights = weights_named(options.weights);
    result.tags = table.tags;
    result.notes = table.notes;
    result.published = &table == &published_models();
    result.assumed_errors = result.published;
    const std::vector<std::size_t> models = select_models(table, options.where);
    if (!options.drop_missing) refuse_missing(table, models, result.weights);
    result.constants = options.own_constants
                           ? constants_of(table, models, result.weights, options.trim)
                           : published_constants();
    const Cells cells = cells_of(table, models, result.weights, "quality cells");
    const std::vector<double> scores = scores_of(cells.values, result.constants, result.weights);
    const std::vector<std::uint32_t> ranks = ranks_of(scores);

    const bool place = options.among_published && !options.own_constants && !result.published;
    Cells others;
    std::vector<double> other_scores;
    if (place) {
        std::vector<std::size_t> all(published_models().models.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        others = cells_of(published_models(), all, result.weights, "published cells");
        other_scores = scores_of(others.values, result.constants, result.weights);
        result.warnings = other_definitions(table, models, result.weights);
        result.assumed_errors = true;
    }
    const auto place_of = [](double score, const std::vector<double>& among) {
        return 1.0 + static_cast<double>(std::count_if(
                         among.begin(), among.end(), [&](double other) { return other > score; }));
    };

    std::vector<std::vector<double>> drawn_scores(models.size()), drawn_ranks(models.size()),
        drawn_places(models.size());
    std::vector<std::uint32_t> best(models.size()), top5(models.size());
    const Draws draws(cells, options.seed, options.replicates);
    const std::optional<Draws> other_draws =
        place ? std::optional<Draws>(std::in_place, others, options.seed, options.replicates)
              : std::nullopt;
    Values values;
    for (std::uint32_t r = 0; r < options.replicates; ++r) {
        draws.draw(r, values);
        const QubaConstants constants = options.own_constants
                                            ? constants_from(values, result.weights, options.trim)
                                            : result.constants;
        const std::vector<double> now = scores_of(values, constants, result.weights);
        const std::vector<std::uint32_t> rank = ranks_of(now);
        std::vector<double> other_now;
        if (other_draws) {
            other_draws->draw(r, values);
            other_now = scores_of(values, constants, result.weights);
        }
        for (std::size_t i = 0; i < models.size(); ++i) {
            drawn_scores[i].push_back(now[i]);
            drawn_ranks[i].push_back(rank[i]);
            best[i] += rank[i] == 1 ? 1 : 0;
            top5[i] += rank[i] <= 5 ? 1 : 0;
            if (place) drawn_places[i].push_back(place_of(now[i], other_now));
        }
    }

    std::size_t without_error = 0, with_value = 0;
    for (std::size_t i = 0; i < models.size(); ++i) {
        ScoredModel scored;
        scored.model = models[i];
        double used = 0;
        for (std::size_t d = 0; d < dimension_count; ++d)
            used += cells.values[i][d] ? result.weights[d] : 0;
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (result.weights[d] == 0) continue;
            if (!cells.values[i][d]) {
                scored.missing.push_back(static_cast<Dimension>(d));
                continue;
            }
            const bool counted = static_cast<Dimension>(d) != Dimension::parameters;
            with_value += counted ? 1 : 0;
            without_error += counted && cells.errors[i][d] == 0 ? 1 : 0;
            const double sign = dimension_facts()[d].higher_is_better ? 1 : -1;
            scored.contribution[d] = result.weights[d] / used * sign *
                                     (*cells.values[i][d] - result.constants.mean[d]) /
                                     result.constants.deviation[d];
        }
        if (used == 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no value in any dimension with a weight",
                                    table.models[models[i]].label));
        }
        double mean = 0, squares = 0;
        for (const double s : drawn_scores[i]) mean += s / options.replicates;
        for (const double s : drawn_scores[i]) squares += (s - mean) * (s - mean);
        scored.score.value = scores[i];
        scored.score.n = dimension_count - scored.missing.size();
        const double error = std::sqrt(squares / (options.replicates - 1));
        if (error > 0) {
            scored.score.standard_error = error;
            scored.score.interval =
                symmetric_interval(scores[i], error, options.level, "draws.normal");
        } else {
            scored.score.note = "no standard errors are known";
        }
        if (!scored.missing.empty()) {
            std::vector<std::string_view> names;
            for (const Dimension d : scored.missing) names.push_back(facts_of(d).name);
            scored.score.note = fmt::format("without {}", fmt::join(names, ", "));
        }
        scored.rank =
            rank_estimate(ranks[i], std::move(drawn_ranks[i]), models.size(), options.level);
        scored.best = static_cast<double>(best[i]) / options.replicates;
        scored.top5 = static_cast<double>(top5[i]) / options.replicates;
        if (place && scored.missing.empty()) {
            scored.place =
                rank_estimate(place_of(scores[i], other_scores), std::move(drawn_places[i]),
                              other_scores.size() + 1, options.level);
        } else {
            scored.place.undefined = !scored.missing.empty() ? "a dimension is missing"
                                     : result.published      ? "the models are the published ones"
                                     : options.own_constants
                                         ? "scores by own constants compare among "
                                           "themselves alone"
                                         : "not asked for";
        }
        result.models.push_back(std::move(scored));
    }
    std::stable_sort(
        result.models.begin(), result.models.end(),
        [](const ScoredModel& a, const ScoredModel& b) { return *a.score.value > *b.score.value; });
    for (const ScoredModel& m : result.models) result.labels.push_back(table.models[m.model].label);
    if (without_error > 0) {
        result.warnings.push_back(
            fmt::format("{} of {} values have no standard error and are taken as exact: intervals "
                        "are too narrow",
                        without_error, with_value));
    }
    std::size_t partly = 0;
    for (const ScoredModel& m : result.models) partly += m.missing.empty() ? 0 : 1;
    if (partly > 0) {
        result.warnings.push_back(
            fmt::format("{} of {} scores lack dimensions, so they compare different things", partly,
                        result.models.size()));
    }
    return result;
}

}  // namespace assay::quality
