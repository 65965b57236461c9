#include "assay/quality/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "assay/error.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/drawn_ranks.h"
#include "quality/ranking_draws.h"
#include "quality/scored_columns.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

/// The factors of a product, in their order. A column may have * or / in its name if it is the only
/// factor.
Goal product_goal(const QualityTable& table, const std::vector<std::size_t>& models,
                  const RankingOptions& options) {
    Goal goal;
    std::string_view text = trimmed(options.by);
    const bool whole = find_tag(table.tags, text).has_value();
    int power = 1;
    while (true) {
        const std::size_t end = whole ? std::string_view::npos : text.find_first_of("*/");
        const std::string_view name = trimmed(text.substr(0, end));
        if (name.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("--by {}: a column is missing; write a column, or columns with "
                                    "* or / between them, such as --by accuracy*ood_robustness",
                                    shortened(options.by)));
        }
        ScoredColumn column = column_named(table, name, models);
        if (std::ranges::any_of(goal.columns, [&](const ScoredColumn& other) {
                return other.name.name == column.name.name;
            })) {
            throw Error(ErrorCode::usage, fmt::format("--by {}: {} appears twice",
                                                      shortened(options.by), column.name.name));
        }
        goal.columns.push_back(std::move(column));
        goal.powers.push_back(power);
        if (end == std::string_view::npos) break;
        power = text[end] == '*' ? 1 : -1;
        text.remove_prefix(end + 1);
    }
    set_directions(goal.columns, options.columns);
    goal.sign = goal.columns[0].sign();
    for (std::size_t c = 1; c < goal.columns.size(); ++c) {
        if (goal.columns[c].sign() * goal.powers[c] == goal.sign) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("--by {}: {} is better when {} and {} when {}, so the product has "
                        "no direction; {} by {} instead",
                        shortened(options.by), goal.columns[0].name.name,
                        goal.sign > 0 ? "high" : "low", goal.columns[c].name.name,
                        goal.columns[c].higher_is_better ? "high" : "low",
                        goal.powers[c] > 0 ? "divide" : "multiply", goal.columns[c].name.name));
    }
    return goal;
}

/// Values of a product must not be negative, and divisors must be above 0.
void check_factors(const Goal& goal, const QualityTable& table,
                   const std::vector<std::size_t>& models) {
    if (goal.columns.size() < 2) return;
    for (std::size_t c = 0; c < goal.columns.size(); ++c) {
        for (const std::size_t m : models) {
            const auto& value = goal.columns[c].cell(table, m).value;
            if (!value || *value > 0 || (*value == 0 && goal.powers[c] > 0)) continue;
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: {} of {} is {}; a {} must be {}", table.source,
                                    goal.columns[c].name.name, table.models[m].label, *value,
                                    goal.powers[c] > 0 ? "factor" : "divisor",
                                    goal.powers[c] > 0 ? "0 or more" : "above 0"));
        }
    }
}

Goal weighted_goal(const QualityTable& table, const std::vector<std::size_t>& models,
                   const RankingOptions& options, std::vector<std::string>& notes) {
    Goal goal;
    goal.columns = weighted_columns(table, models, options.score.weights, notes);
    set_directions(goal.columns, options.columns);
    set_scales(goal.columns, table, models, options.columns, options.score.own_constants,
               options.score.trim);
    std::erase_if(goal.columns, [](const ScoredColumn& c) { return c.weight == 0; });
    return goal;
}

std::string some_labels(const QualityTable& table, const std::vector<std::size_t>& models) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(models.size(), 3); ++i)
        text += (i > 0 ? ", " : "") + table.models[models[i]].label;
    return text + (models.size() > 3 ? ", ..." : "");
}

void refuse_lacking(const Goal& goal, const QualityTable& table,
                    const std::vector<std::size_t>& models) {
    for (const ScoredColumn& column : goal.columns) {
        std::vector<std::size_t> lacking;
        for (const std::size_t m : models) {
            if (!column.cell(table, m).value) lacking.push_back(m);
        }
        if (lacking.empty()) continue;
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{} of {} {} no {} ({}); {}", lacking.size(),
                        how_many(models.size(), "model"), lacking.size() == 1 ? "has" : "have",
                        column.name.name, some_labels(table, lacking),
                        goal.is_product()
                            ? "skip such models with --drop-missing"
                            : fmt::format("exclude it from all scores (--weights {}=0), or score "
                                          "each model without its missing columns "
                                          "(--drop-missing)",
                                          column.name.name)));
    }
}

/// Skips models that lack a factor, or that have no value at all.
void skip_lacking(const Goal& goal, const QualityTable& table, std::vector<std::size_t>& models,
                  std::vector<std::string>& warnings) {
    std::vector<std::size_t> kept, skipped;
    for (const std::size_t m : models) {
        const auto has = [&](const ScoredColumn& column) {
            return column.cell(table, m).value.has_value();
        };
        const bool usable = goal.is_product() ? std::ranges::all_of(goal.columns, has)
                                              : std::ranges::any_of(goal.columns, has);
        (usable ? kept : skipped).push_back(m);
    }
    if (skipped.empty()) return;
    if (kept.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no model has a value of every column that counts", table.source));
    }
    warnings.push_back(fmt::format("{} of {} {} skipped for lack of values ({})", skipped.size(),
                                   how_many(models.size(), "model"),
                                   skipped.size() == 1 ? "is" : "are",
                                   some_labels(table, skipped)));
    models = std::move(kept);
}

/// The standard error of a single column is the table's; others come from the draws.
double error_of_goal(const Goal& goal, const QualityCell& first, const DrawnModel& drawn,
                     const QubaOptions& options) {
    if (goal.is_product() && goal.columns.size() == 1) return first.standard_error.value_or(0);
    return std::sqrt(drawn.squares / (options.replicates - 1));
}

std::string no_interval_for(const UnsureFactor& unsure) {
    return fmt::format("no interval: {} is below 4 of its standard errors, so it can be drawn {}",
                       unsure.column, unsure.divisor ? "near 0" : "negative");
}

RankedModel ranked_model(const Goal& goal, const QualityTable& table, std::size_t model,
                         const Row& row, const DrawnModel& drawn, const QubaOptions& options) {
    RankedModel out;
    out.model = model;
    out.label = table.models[model].label;
    out.score.value = goal_of(goal, row);
    double used = 0;
    for (std::size_t c = 0; c < row.size(); ++c) used += row[c] ? goal.columns[c].weight : 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
        const ScoredColumn& column = goal.columns[c];
        if (!row[c]) {
            out.missing.push_back(column.name.name);
            continue;
        }
        ++out.score.n;
        out.values[column.name.name] = *row[c];
        if (!goal.is_product()) {
            out.parts[column.name.name] =
                column.weight / used * column.sign() * (*row[c] - column.mean) / column.deviation +
                0.0;  // no -0
        }
    }
    const bool single = goal.is_product() && goal.columns.size() == 1;
    const double error = error_of_goal(goal, goal.columns[0].cell(table, model), drawn, options);
    if (const auto unsure = unsure_factor(goal, table, model)) {
        out.score.note = no_interval_for(*unsure);
    } else if (error > 0) {
        out.score.standard_error = error;
        out.score.interval = symmetric_interval(*out.score.value, error, options.level,
                                                single ? "normal" : "draws.normal");
    } else {
        out.score.note = "no standard errors are known";
    }
    if (!out.missing.empty())
        out.score.note = fmt::format("without {}", fmt::join(out.missing, ", "));
    return out;
}

std::vector<RankedColumn> ranked_columns(const Goal& goal, const QualityTable& table,
                                         const std::vector<std::size_t>& models) {
    std::vector<RankedColumn> out;
    for (std::size_t c = 0; c < goal.columns.size(); ++c) {
        const ScoredColumn& column = goal.columns[c];
        RankedColumn& shown = out.emplace_back();
        shown.name = column.name.name;
        shown.higher_is_better = column.higher_is_better;
        if (goal.is_product()) {
            shown.power = goal.powers[c];
        } else {
            shown.weight = column.weight;
            shown.mean = column.mean;
            shown.deviation = column.deviation;
            shown.scale_from = column.scale_from;
        }
        for (const std::size_t m : models) {
            const QualityCell& cell = column.cell(table, m);
            shown.models += cell.value ? 1 : 0;
            shown.exact += is_exact(cell) ? 1 : 0;
        }
    }
    return out;
}

PerDimension<double> dimensions_that_count(const Goal& goal) {
    PerDimension<double> weights{};
    for (const ScoredColumn& column : goal.columns) {
        if (column.name.dimension) weights[static_cast<std::size_t>(*column.name.dimension)] = 1;
    }
    return weights;
}

/// Notes on the intervals of a product: absent ones, and those that are too wide.
void add_notes_on_products(RankingResult& result, const Goal& goal, const QualityTable& table,
                           const std::vector<std::size_t>& models) {
    std::map<std::string, std::vector<std::size_t>> unsure;
    bool divisor = false;
    for (const std::size_t m : models) {
        if (const auto found = unsure_factor(goal, table, m)) {
            unsure[found->column].push_back(m);
            divisor = divisor || found->divisor;
        }
    }
    for (const auto& [column, without] : unsure) {
        result.notes.push_back(fmt::format(
            "{} of {} {} no interval, because {} is below 4 of its standard errors ({})",
            without.size(), how_many(models.size(), "model"), without.size() == 1 ? "has" : "have",
            column, some_labels(table, without)));
    }
    if (divisor) result.notes.emplace_back("Ranks have no intervals because of that divisor");
    bool accuracy = false, robustness = false;
    for (std::size_t c = 0; c < goal.columns.size(); ++c) {
        const auto& dimension = goal.columns[c].name.dimension;
        if (!goal.is_product() || goal.powers[c] < 0 || !dimension) continue;
        accuracy = accuracy || *dimension == Dimension::accuracy;
        robustness = robustness || *dimension == Dimension::adversarial_robustness ||
                     *dimension == Dimension::c_robustness ||
                     *dimension == Dimension::ood_robustness;
    }
    const bool apart = std::ranges::any_of(models, [&](std::size_t m) {
        const QualityCell& cell = table.models[m].cell(Dimension::accuracy);
        return !is_exact(cell) && !is_joint(cell);
    });
    if (accuracy && robustness && apart) {
        result.notes.emplace_back(
            "The accuracy cancels in its product with a robustness, but the draws keep its error, "
            "so these intervals are too wide");
    }
}

void add_notes(RankingResult& result, const Goal& goal, const QualityTable& table,
               const std::vector<std::size_t>& models) {
    const PerDimension<double> weights = dimensions_that_count(goal);
    const bool any_error = std::ranges::any_of(
        result.columns, [](const RankedColumn& column) { return column.exact < column.models; });
    result.notes.emplace_back(any_error ? "Intervals only cover the standard errors of the values"
                                        : "No standard errors are known, so scores and ranks have "
                                          "no intervals");
    if (table.published && any_error) {
        result.notes.emplace_back(
            "The published values have no standard errors: Assay assumes "
            "those of the test sets' sizes");
    }
    add_notes_on_products(result, goal, table, models);
    for (auto& more : {notes_on_columns(goal.columns, table, models), table.notes,
                       notes_on_cells(table, models, weights)})
        result.notes.insert(result.notes.end(), more.begin(), more.end());
    for (std::string& warning : other_images(table, models, weights))
        result.warnings.push_back(std::move(warning));
    if (auto warning = unknown_errors(table, models, weights))
        result.warnings.push_back(std::move(*warning));
    const auto partly = std::ranges::count_if(
        result.models, [](const RankedModel& m) { return !m.missing.empty(); });
    if (partly > 0) {
        result.warnings.push_back(
            fmt::format("{} of {} {} columns, so they compare different things", partly,
                        how_many(result.models.size(), "score"), partly == 1 ? "lacks" : "lack"));
    }
}

/// With `by`, options of the weighted score cannot act.
void check_by(const RankingOptions& options) {
    if (options.by.empty()) return;
    const QubaOptions usual;
    const std::string_view idle = options.score.weights != usual.weights ? "--weights"
                                  : options.score.own_constants          ? "--own-constants"
                                  : options.score.trim != usual.trim     ? "--trim"
                                  : !options.columns.scales.empty()      ? "--scale"
                                                                         : "";
    if (!idle.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} sets the weighted score, but --by {} ranks by values; omit one "
                                "of them",
                                idle, shortened(options.by)));
    }
}

}  // namespace

bool needs_ranking(const QualityTable& table, const RankingOptions& options) {
    if (!options.by.empty() || names_a_column(options.score.weights)) return true;
    return std::ranges::none_of(table.models, [](const QualityModel& model) {
        return std::ranges::any_of(model.cells, [](const auto& c) { return c.value.has_value(); });
    });
}

RankingResult rank_models(const QualityTable& table, const RankingOptions& options) {
    check_score_options(options.score);
    check_by(options);
    RankingResult result;
    result.options = options;
    std::vector<std::size_t> models = select_models(table, options.score.where);
    check_draws(options.score, models.size());
    if (options.by.empty()) refuse_no_column(table, options.score.weights, models);
    const Goal goal = options.by.empty() ? weighted_goal(table, models, options, result.notes)
                                         : product_goal(table, models, options);
    if (!options.score.drop_missing) refuse_lacking(goal, table, models);
    skip_lacking(goal, table, models, result.warnings);
    check_factors(goal, table, models);
    result.higher_is_better = goal.sign > 0;
    result.columns = ranked_columns(goal, table, models);
    const bool any_error = std::ranges::any_of(
        result.columns, [](const RankedColumn& column) { return column.exact < column.models; });

    RowDraws draws(goal, table, models, options.score.seed);
    const std::vector<std::uint32_t> ranks = ranks_of(signed_goals(goal, draws.rows()));
    const std::vector<DrawnModel> drawn = draw_ranks(goal, draws, options.score);
    // A drawn divisor near 0 also moves the ranks of the other models.
    std::optional<UnsureFactor> divisor;
    for (const std::size_t m : models) {
        const auto unsure = unsure_factor(goal, table, m);
        if (unsure && unsure->divisor) divisor = unsure;
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
        result.models.push_back(
            ranked_model(goal, table, models[i], draws.rows()[i], drawn[i], options.score));
        RankedModel& model = result.models.back();
        model.rank = rank_estimate(ranks[i], drawn[i].ranks, models.size(), options.score.level);
        const auto unsure = divisor ? divisor : unsure_factor(goal, table, models[i]);
        if (!any_error || unsure) {
            model.rank.interval.reset();
            model.rank.note = unsure ? no_interval_for(*unsure) : "no standard errors are known";
            continue;
        }
        model.best = static_cast<double>(drawn[i].best) / options.score.replicates;
        model.top5 = static_cast<double>(drawn[i].top5) / options.score.replicates;
    }
    std::stable_sort(
        result.models.begin(), result.models.end(),
        [](const RankedModel& a, const RankedModel& b) { return *a.rank.value < *b.rank.value; });
    add_notes(result, goal, table, models);
    return result;
}

}  // namespace assay::quality
