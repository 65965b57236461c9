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
#include "quality/scored_columns.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

[[noreturn]] void refuse_need(std::string_view text, const std::string& why) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}`: {}; a need is NAME >= NUMBER or NAME <= NUMBER",
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

/// True if model `a` beats model `b`.
bool beats(const QualityTable& table, std::size_t a, std::size_t b,
           const std::vector<ScoredColumn>& columns, double quantile) {
    const auto lead = [&](const ScoredColumn& column) {
        return column.sign() *
               (column.cell(table, a).value.value() - column.cell(table, b).value.value());
    };
    for (const ScoredColumn& column : columns) {
        if (column.weight > 0 && lead(column) < 0) return false;
    }
    return std::ranges::any_of(columns, [&](const ScoredColumn& column) {
        if (column.weight == 0) return false;
        const double by = lead(column);
        return by > 0 &&
               by > quantile * error_of_difference(column.cell(table, a), column.cell(table, b));
    });
}

double total_weight(const std::vector<ScoredColumn>& columns) {
    double total = 0;
    for (const ScoredColumn& column : columns) total += column.weight;
    return total;
}

/// The error of a model's score, which is a weighted sum of cells.
SumError error_of_score(const QualityTable& table, std::size_t model,
                        const std::vector<ScoredColumn>& columns) {
    const double total = total_weight(columns);
    CellWeights sum{{}, published_constants().deviation};
    double others = 0;
    for (const ScoredColumn& column : columns) {
        const double weight = column.sign() * column.weight / total;
        if (column.name.dimension) {
            sum.weight[static_cast<std::size_t>(*column.name.dimension)] = weight;
            continue;
        }
        const double error = column.cell(table, model).standard_error.value_or(0);
        const double part = weight * error / column.deviation;
        others += part * part;
    }
    SumError error = sum_error(table.models[model], sum);
    error.independent += others;
    return error;
}

/// The score of a model that has all values.
double score_of_model(const QualityTable& table, std::size_t model,
                      const std::vector<ScoredColumn>& columns) {
    double sum = 0, total = 0;
    for (const ScoredColumn& column : columns) {
        if (column.weight == 0) continue;
        sum += column.weight * column.sign() * (*column.cell(table, model).value - column.mean) /
               column.deviation;
        total += column.weight;
    }
    return sum / total;
}

/// The parts of a need's text.
struct NeedText {
    std::string_view name, limit;
};
NeedText split_need(Need& need, std::string_view text) {
    need.text = trimmed(text);
    const std::size_t at = need.text.find_first_of("<>");
    if (at == std::string::npos) refuse_need(text, "there is no < or >");
    need.at_least = need.text[at] == '>';
    const bool equal = at + 1 < need.text.size() && need.text[at + 1] == '=';
    need.strict = !equal;
    return {trimmed(std::string_view(need.text).substr(0, at)),
            trimmed(std::string_view(need.text).substr(at + (equal ? 2 : 1)))};
}

/// The columns with a weight, followed by the columns that only needs name.
std::vector<ScoredColumn> columns_of_choice(const QualityTable& table,
                                            const std::vector<std::size_t>& models,
                                            ChooseResult& result) {
    const ChooseOptions& options = result.options;
    refuse_no_column(table, options.weights, models);
    std::vector<ScoredColumn> columns =
        weighted_columns(table, models, options.weights, result.notes);
    set_directions(columns, options.columns);
    set_scales(columns, table, models, options.columns, false, QubaOptions{}.trim);
    for (std::string& note : notes_on_columns(columns, table, models))
        result.notes.push_back(std::move(note));
    for (const Need& need : result.needs) {
        const bool known = std::ranges::any_of(
            columns, [&](const ScoredColumn& c) { return c.name.name == need.column; });
        if (!need.column.empty() && !known)
            columns.push_back(column_named(table, need.column, models));
    }
    for (const ScoredColumn& column : columns) {
        if (!column.name.dimension) result.columns.push_back(column.name.name);
    }
    return columns;
}

bool is_about(const Need& need, const ScoredColumn& column) {
    return need.column.empty() ? column.name == need.dimension : column.name.name == need.column;
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
    const NeedText parts = split_need(need, text);
    need.dimension = dimension_named(parts.name);
    need.limit = limit_in(parts.limit, text, facts_of(need.dimension));
    return need;
}

Need parse_need(std::string_view text, const QualityTable& table) {
    Need need;
    const NeedText parts = split_need(need, text);
    if (find_dimension(parts.name)) return parse_need(text);
    if (const auto tag = find_tag(table.tags, parts.name)) {
        need.column = table.tags[*tag];
    } else {
        need.column = column_named(table, parts.name, select_models(table, {})).name.name;
    }
    const std::optional<double> limit = finite_number(parts.limit);
    if (!limit) refuse_need(text, fmt::format("`{}` is not a number", parts.limit));
    need.limit = *limit;
    return need;
}

ChooseResult choose_models(const QualityTable& table, const ChooseOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("level is {}; it must be in (0, 1)", options.level));
    ChooseResult result;
    result.options = options;
    for (const std::string& text : options.needs) result.needs.push_back(parse_need(text, table));
    const std::vector<std::size_t> models = select_models(table, options.where);
    result.models = models.size();
    result.notes = table.notes;
    const std::vector<ScoredColumn> columns = columns_of_choice(table, models, result);
    const PerDimension<double> weights = dimension_weights(columns);
    result.draws = draws_of_cells(table, models, weights);
    for (std::string& note : notes_on_cells(table, models, weights))
        result.notes.push_back(std::move(note));
    const double quantile = normal_quantile(0.5 + options.level / 2);

    const auto is_needed = [&](const ScoredColumn& column) {
        return std::ranges::any_of(result.needs,
                                   [&](const Need& need) { return is_about(need, column); });
    };
    std::size_t lacking = 0;
    std::vector<bool> lacked(columns.size(), false);
    for (const std::size_t m : models) {
        const QualityModel& model = table.models[m];
        bool complete = true;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const ScoredColumn& column = columns[c];
            if (column.cell(table, m).value || (column.weight == 0 && !is_needed(column))) continue;
            complete = false;
            lacked[c] = true;
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
            const auto column = std::ranges::find_if(
                columns, [&](const ScoredColumn& c) { return is_about(need, c); });
            const QualityCell& cell = column->cell(table, m);
            if (!meets(need, *cell.value)) {
                met = false;
                ++need.failed;
                continue;
            }
            const double margin = std::fabs(*cell.value - need.limit);
            candidate.sure = candidate.sure && margin >= quantile * cell.standard_error.value_or(0);
        }
        if (!met) continue;
        for (const ScoredColumn& column : columns) {
            candidate.score.n += column.weight > 0 ? 1 : 0;
            const auto& value = column.cell(table, m).value;
            if (!column.name.dimension && value) candidate.more[column.name.name] = *value;
        }
        const double variance = error_of_score(table, m, columns).variance();
        for (std::size_t d = 0; d < dimension_count; ++d)
            candidate.values[d] = model.cells[d].value;
        candidate.score.value = score_of_model(table, m, columns);
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
        best_error = error_of_score(table, result.candidates.front().model, columns);
    for (Candidate& candidate : result.candidates) {
        throw_if_stopped();
        const double error =
            error_of_difference(best_error, error_of_score(table, candidate.model, columns));
        candidate.behind = behind_best(result.candidates.front(), candidate, error, options.level);
        candidate.like_best = *candidate.behind.value <= quantile * error;
        const auto stronger = std::find_if(
            result.candidates.begin(), result.candidates.end(), [&](const Candidate& other) {
                return beats(table, other.model, candidate.model, columns, quantile);
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
        for (std::size_t c = 0; c < columns.size(); ++c) {
            some_left = some_left || (!lacked[c] && columns[c].weight != 0);
            if (!lacked[c]) continue;
            names.push_back(columns[c].name.name);
            helps = helps && !is_needed(columns[c]);
            without += fmt::format("{}{}=0", without.empty() ? "" : ",", names.back());
        }
        result.warnings.push_back(
            fmt::format("{} of {} {} a {} that counts and {} skipped ({}){}", lacking,
                        how_many(models.size(), "model"), lacking == 1 ? "lacks" : "lack",
                        result.columns.empty() ? "dimension" : "column",
                        lacking == 1 ? "is" : "are", fmt::join(names, ", "),
                        helps && some_left ? "; to choose without: --weights " + without : ""));
    }
    if (result.candidates.empty() && lacking < models.size())
        result.warnings.emplace_back(lacking == 0 ? "no model meets all needs"
                                                  : "no other model meets all needs");
    return result;
}

}  // namespace assay::quality
