#include "assay/quality/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/error.h"
#include "core/finite_number.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/constants.h"
#include "quality/joint.h"

namespace assay::quality {
namespace {

[[noreturn]] void refuse_need(std::string_view text, const std::string& why) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}`: {}; a need is DIMENSION >= NUMBER or DIMENSION <= NUMBER",
                            shortened(text, 200), why));
}

double limit_in(std::string_view text, std::string_view all, const DimensionFacts& facts) {
    double factor = 1;
    const bool count = facts.dimension == Dimension::parameters;
    if (text.ends_with('%') && !count) {
        factor = 0.01;
        text.remove_suffix(1);
    } else if (count && !text.empty() && (text.back() == 'M' || text.back() == 'm')) {
        text.remove_suffix(1);
    }
    text = trimmed(text);
    const std::optional<double> read = finite_number(text);
    if (!read) refuse_need(all, fmt::format("`{}` is not a number", text));
    const double value = *read;
    if (value * factor < facts.low || value * factor > facts.high) {
        const bool percentage = factor == 1 && !count && value > facts.high && value <= 100;
        const bool single = count && value > facts.high;
        refuse_need(all,
                    fmt::format("{} must be between {} and {}{}", facts.name, facts.low, facts.high,
                                percentage ? fmt::format("; a percentage? Write {}%", value)
                                : single   ? "; parameters are in millions"
                                           : std::string()));
    }
    return value * factor;
}

bool meets(const Need& need, double value) {
    if (need.at_least) return need.strict ? value > need.limit : value >= need.limit;
    return need.strict ? value < need.limit : value <= need.limit;
}

/// The value with its sign such that more is better.
double goodness(const QualityModel& model, std::size_t d) {
    return (dimension_facts()[d].higher_is_better ? 1 : -1) * model.cells[d].value.value();
}

/// True if model `a` beats model `b`.
bool beats(const QualityModel& a, const QualityModel& b, const PerDimension<double>& weights,
           double quantile) {
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] > 0 && goodness(a, d) < goodness(b, d)) return false;
    }
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] == 0) continue;
        const double lead = goodness(a, d) - goodness(b, d);
        if (lead > 0 && lead > quantile * error_of_difference(a.cells[d], b.cells[d])) return true;
    }
    return false;
}

/// The score as a weighted sum of cells.
CellWeights cell_weights(const PerDimension<double>& weights) {
    double total = 0;
    for (const double w : weights) total += w;
    CellWeights out{{}, published_constants().deviation};
    for (std::size_t d = 0; d < dimension_count; ++d)
        out.weight[d] = (dimension_facts()[d].higher_is_better ? 1 : -1) * weights[d] / total;
    return out;
}

/// The difference between the best score and this one.
Estimate behind_best(const Candidate& best, const Candidate& candidate, double error,
                     double level) {
    Estimate behind;
    behind.value = *best.score.value - *candidate.score.value;
    behind.n = candidate.score.n;
    if (candidate.model == best.model) {
        behind.note = "the best itself";
    } else if (error > 0) {
        behind.standard_error = error;
        behind.interval = symmetric_interval(*behind.value, error, level, "delta");
    }
    return behind;
}

}  // namespace

Need parse_need(std::string_view text) {
    Need need;
    need.text = trimmed(text);
    const std::size_t at = need.text.find_first_of("<>");
    if (at == std::string::npos) refuse_need(text, "there is no < or >");
    need.at_least = need.text[at] == '>';
    const bool equal = at + 1 < need.text.size() && need.text[at + 1] == '=';
    need.strict = !equal;
    need.dimension = dimension_named(std::string_view(need.text).substr(0, at));
    need.limit = limit_in(trimmed(std::string_view(need.text).substr(at + (equal ? 2 : 1))), text,
                          facts_of(need.dimension));
    return need;
}

ChooseResult choose_models(const QualityTable& table, const ChooseOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("level is {}; it must be in (0, 1)", options.level));
    ChooseResult result;
    result.options = options;
    for (const std::string& text : options.needs) result.needs.push_back(parse_need(text));
    const PerDimension<double> weights = weights_named(options.weights);
    const std::vector<std::size_t> models = select_models(table, options.where);
    result.models = models.size();
    result.notes = table.notes;
    result.draws = draws_of_cells(table, models, weights);
    for (std::string& note : notes_on_cells(table, models, weights))
        result.notes.push_back(std::move(note));
    const double quantile = normal_quantile(0.5 + options.level / 2);

    const CellWeights of_score = cell_weights(weights);
    const auto is_needed = [&](std::size_t d) {
        return std::ranges::any_of(result.needs, [d](const Need& need) {
            return need.dimension == dimension_facts()[d].dimension;
        });
    };
    std::size_t lacking = 0;
    PerDimension<bool> lacked = {};
    for (const std::size_t m : models) {
        const QualityModel& model = table.models[m];
        bool complete = true;
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (model.cells[d].value || (weights[d] == 0 && !is_needed(d))) continue;
            complete = false;
            lacked[d] = true;
        }
        if (!complete) {
            ++lacking;
            continue;
        }
        Candidate candidate;
        candidate.model = m;
        candidate.label = model.label;
        bool met = true;
        for (Need& need : result.needs) {
            const QualityCell& cell = model.cell(need.dimension);
            if (!meets(need, *cell.value)) {
                met = false;
                ++need.failed;
                continue;
            }
            const double margin = std::fabs(*cell.value - need.limit);
            candidate.sure = candidate.sure && margin >= quantile * cell.standard_error.value_or(0);
        }
        if (!met) continue;
        PerDimension<std::optional<double>> values;
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (weights[d] == 0) continue;
            values[d] = model.cells[d].value;
            ++candidate.score.n;
        }
        const double variance = sum_error(model, of_score).variance();
        for (std::size_t d = 0; d < dimension_count; ++d)
            candidate.values[d] = model.cells[d].value;
        candidate.score.value = quba_of(values, published_constants(), weights);
        if (variance > 0) {
            candidate.score.standard_error = std::sqrt(variance);
            candidate.score.interval = symmetric_interval(
                *candidate.score.value, std::sqrt(variance), options.level, "delta");
        }
        result.candidates.push_back(std::move(candidate));
    }
    std::stable_sort(
        result.candidates.begin(), result.candidates.end(),
        [](const Candidate& a, const Candidate& b) { return *a.score.value > *b.score.value; });
    SumError best_error;
    if (!result.candidates.empty())
        best_error = sum_error(table.models[result.candidates.front().model], of_score);
    for (Candidate& candidate : result.candidates) {
        throw_if_stopped();
        const double error =
            error_of_difference(best_error, sum_error(table.models[candidate.model], of_score));
        candidate.behind = behind_best(result.candidates.front(), candidate, error, options.level);
        candidate.like_best = *candidate.behind.value <= quantile * error;
        const auto stronger = std::find_if(
            result.candidates.begin(), result.candidates.end(), [&](const Candidate& other) {
                return beats(table.models[other.model], table.models[candidate.model], weights,
                             quantile);
            });
        candidate.undominated = stronger == result.candidates.end();
        if (!candidate.undominated) candidate.beaten_by = stronger->label;
    }
    for (std::string& warning : other_images(table, models, weights))
        result.warnings.push_back(std::move(warning));
    if (auto warning = unknown_errors(table, models, weights))
        result.warnings.push_back(std::move(*warning));
    if (lacking > 0) {
        std::vector<std::string_view> names;
        const bool by_dimension = result.options.weights.find('=') != std::string::npos;
        std::string without = by_dimension ? result.options.weights : "";
        bool helps = by_dimension || result.options.weights == ChooseOptions{}.weights;
        bool some_left = false;
        for (std::size_t d = 0; d < dimension_count; ++d) {
            some_left = some_left || (!lacked[d] && weights[d] != 0);
            if (!lacked[d]) continue;
            names.push_back(dimension_facts()[d].name);
            helps = helps && !is_needed(d);
            without += fmt::format("{}{}=0", without.empty() ? "" : ",", names.back());
        }
        result.warnings.push_back(
            fmt::format("{} of {} {} a dimension that counts and {} skipped ({}){}", lacking,
                        how_many(models.size(), "model"), lacking == 1 ? "lacks" : "lack",
                        lacking == 1 ? "is" : "are", fmt::join(names, ", "),
                        helps && some_left ? "; to choose without: --weights " + without : ""));
    }
    if (result.candidates.empty() && lacking < models.size())
        result.warnings.emplace_back(lacking == 0 ? "no model meets all needs"
                                                  : "no other model meets all needs");
    return result;
}

}  // namespace assay::quality
