#include "quality/scored_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "assay/error.h"
#include "assay/quality/quba.h"
#include "core/finite_number.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/constants.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

/// The level of intervals that a table has.
constexpr double table_level = 0.95;

ScoredColumn column_of_dimension(Dimension dimension) {
    const DimensionFacts& facts = facts_of(dimension);
    ScoredColumn column;
    column.name = {std::string(facts.name), std::string(facts.title), dimension};
    column.higher_is_better = facts.higher_is_better;
    return column;
}

using OptionalValues = std::vector<std::optional<double>>;

/// The values of the column `name` + `ending`, or none if the table lacks it.
std::optional<OptionalValues> values_beside(const QualityTable& table, const std::string& name,
                                            std::string_view ending,
                                            const std::vector<std::size_t>& models) {
    const auto tag = find_tag(table.tags, name + std::string(ending));
    if (!tag) return std::nullopt;
    return quality_columns(table, {table.tags[*tag]}, models).back().values;
}

[[noreturn]] void refuse_cell(const QualityTable& table, const std::string& name, std::size_t model,
                              const std::string& fault) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: column `{}` of {}: {}", table.source, name,
                                                  table.models[model].label, fault));
}

void read_errors(ScoredColumn& column, const QualityTable& table,
                 const std::vector<std::size_t>& models, const OptionalValues& errors) {
    for (const std::size_t m : models) {
        if (errors[m] && *errors[m] < 0) {
            refuse_cell(
                table, column.name.name, m,
                fmt::format("the standard error {} is negative; write 0 or more", *errors[m]));
        }
        if (column.cells[m].value) column.cells[m].standard_error = errors[m];
    }
}

void read_intervals(ScoredColumn& column, const QualityTable& table,
                    const std::vector<std::size_t>& models, const OptionalValues& low,
                    const OptionalValues& high) {
    const double width = 2 * normal_quantile(0.5 + table_level / 2);
    for (const std::size_t m : models) {
        QualityCell& cell = column.cells[m];
        if (!cell.value) continue;
        if (low[m].has_value() != high[m].has_value())
            refuse_cell(table, column.name.name, m, "only one end of its interval has a value");
        if (!low[m]) continue;
        if (!(*low[m] <= *cell.value && *cell.value <= *high[m])) {
            refuse_cell(table, column.name.name, m,
                        fmt::format("{} is outside its interval from {} to {}", *cell.value,
                                    *low[m], *high[m]));
        }
        cell.standard_error = (*high[m] - *low[m]) / width;
    }
}

/// Splits NAME=TEXT.
std::pair<std::string, std::string> split_setting(const std::string& text, std::string_view option,
                                                  std::string_view form) {
    const std::size_t equal = text.rfind('=');
    if (equal == std::string::npos || equal == 0) {
        throw Error(ErrorCode::usage, fmt::format("{} {}: it has no `NAME=`; write {} {}", option,
                                                  shortened(text), option, form));
    }
    return {std::string(trimmed(text.substr(0, equal))),
            std::string(trimmed(text.substr(equal + 1)))};
}

/// The column that an option sets. Only columns that are not dimensions can be set.
ScoredColumn& column_to_set(std::vector<ScoredColumn>& columns, const std::string& name,
                            std::string_view option) {
    std::vector<std::string> known;
    for (ScoredColumn& column : columns) {
        if (column.name.dimension) continue;
        if (loose_name(column.name.name) == loose_name(name)) return column;
        known.push_back(column.name.name);
    }
    if (find_dimension(name)) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} {}: the direction and the scale of the nine dimensions are "
                                "fixed; omit it",
                                option, shortened(name)));
    }
    // The columns of a product have no weights.
    const bool weighted =
        std::ranges::any_of(columns, [](const ScoredColumn& c) { return c.weight > 0; });
    throw Error(ErrorCode::usage,
                fmt::format("{} {}: no such column counts{}", option, shortened(name),
                            !known.empty() ? suggest(name, known)
                            : weighted     ? "; give it a weight, such as --weights " + name + "=1"
                                           : fmt::format("; omit {} {}", option, shortened(name))));
}

std::pair<double, double> scale_in(const std::string& text, const std::string& all) {
    const std::size_t colon = text.find(':');
    const auto mean = finite_number(trimmed(text.substr(0, colon)));
    const auto deviation =
        colon == std::string::npos ? std::nullopt : finite_number(trimmed(text.substr(colon + 1)));
    if (!mean || !deviation || *deviation <= 0) {
        throw Error(ErrorCode::usage,
                    fmt::format("--scale {}: write NAME=MEAN:DEVIATION with a deviation above 0, "
                                "such as --scale gmacs=4.1:2.5",
                                shortened(all)));
    }
    return {*mean, *deviation};
}

}  // namespace

void scale_by(ScoredColumn& column, std::vector<double>& values, double trim,
              std::string_view when) {
    const std::size_t n = values.size();
    const std::string remedy =
        column.name.dimension
            ? fmt::format("exclude it (--weights {}=0)", column.name.name)
            : fmt::format(
                  "give a scale (--scale {0}=MEAN:DEVIATION), or exclude it (--weights "
                  "{0}=0)",
                  column.name.name);
    const auto refuse_large = [&] {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}values of {} are too large for a scale; correct the values and "
                                "standard errors, or {}",
                                when, column.name.name, remedy));
    };
    // NaN has no order.
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) refuse_large();
    const TrimmedMoments moments = trimmed_moments(values, trim);
    if (moments.kept < 3) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}only {} {} a value of {}, too few for a scale; {}", when,
                        how_many(n, "model"), n == 1 ? "has" : "have", column.name.name, remedy));
    }
    if (!std::isfinite(moments.mean) || !std::isfinite(moments.deviation)) refuse_large();
    if (!(moments.deviation > 1e-12 * std::fabs(moments.mean))) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}all {} have the same value of {}{}, so it has no scale; {}",
                                when, how_many(n, "model"), column.name.name,
                                moments.kept < n ? " without the trimmed ones" : "", remedy));
    }
    column.mean = moments.mean;
    column.deviation = moments.deviation;
    column.scale_from = "these models";
}

namespace {

[[noreturn]] void refuse_name(const QualityTable& table, std::string_view name,
                              const std::vector<std::size_t>& models) {
    std::vector<std::string> dimensions, known = columns_of_numbers(table, models);
    for (const DimensionFacts& facts : dimension_facts()) dimensions.emplace_back(facts.name);
    known.insert(known.end(), dimensions.begin(), dimensions.end());
    const std::string near = nearest_name(std::string(name), known);
    throw Error(ErrorCode::usage,
                fmt::format("{} has no column `{}`{}; the dimensions are {}; its other columns of "
                            "numbers are: {}",
                            table.source, shortened(name),
                            near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near),
                            fmt::join(dimensions, ", "), listed_columns(table, models)));
}

}  // namespace

ScoredColumn column_named(const QualityTable& table, std::string_view name,
                          const std::vector<std::size_t>& models) {
    if (const auto dimension = find_dimension(name)) return column_of_dimension(*dimension);
    if (!find_tag(table.tags, name)) refuse_name(table, name, models);
    QualityColumn read = quality_columns(table, {std::string(name)}, models).back();
    ScoredColumn column;
    column.name = std::move(read.name);
    column.cells.resize(table.models.size());
    for (const std::size_t m : models) column.cells[m].value = read.values[m];
    const std::string& written = column.name.name;
    for (const std::string_view ending : {"_se", "_standard_error"}) {
        if (const auto errors = values_beside(table, written, ending, models)) {
            read_errors(column, table, models, *errors);
            return column;
        }
    }
    const auto low = values_beside(table, written, "_low", models);
    const auto high = values_beside(table, written, "_high", models);
    if (low && high) {
        read_intervals(column, table, models, *low, *high);
    } else if (low || high) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has only one end of the intervals of `{}`; add the column "
                                "`{}_{}`",
                                table.source, written, written, low ? "high" : "low"));
    }
    return column;
}

std::vector<ScoredColumn> weighted_columns(const QualityTable& table,
                                           const std::vector<std::size_t>& models,
                                           std::string_view weights,
                                           std::vector<std::string>& notes) {
    const ParsedWeights parsed = parse_weights(weights);
    std::vector<ScoredColumn> columns;
    std::vector<std::string_view> lacking;
    const bool more = names_a_column(weights);
    for (const DimensionFacts& facts : dimension_facts()) {
        ScoredColumn column = column_of_dimension(facts.dimension);
        column.weight = parsed.base[static_cast<std::size_t>(facts.dimension)];
        const bool named = std::ranges::any_of(parsed.named, [&](const auto& one) {
            return find_dimension(one.first) == facts.dimension;
        });
        const bool any = std::ranges::any_of(models, [&](std::size_t m) {
            return table.models[m].cell(facts.dimension).value.has_value();
        });
        if (more && column.weight > 0 && !any && !named) {
            column.weight = 0;
            lacking.push_back(facts.name);
        }
        columns.push_back(std::move(column));
    }
    for (const auto& [name, weight] : parsed.named) {
        if (const auto dimension = find_dimension(name)) {
            columns[static_cast<std::size_t>(*dimension)].weight = weight;
            continue;
        }
        ScoredColumn column = column_named(table, name, models);
        column.weight = weight;
        const auto same = std::find_if(columns.begin(), columns.end(), [&](const ScoredColumn& c) {
            return c.name.name == column.name.name;
        });
        if (same != columns.end()) {  // as for dimensions, the last weight counts
            same->weight = weight;
            continue;
        }
        columns.push_back(std::move(column));
    }
    if (std::ranges::none_of(columns, [](const ScoredColumn& c) { return c.weight > 0; }))
        refuse_zero_weights(weights);
    if (lacking.size() == dimension_count) {
        notes.emplace_back(
            "no model has a value of the nine dimensions, so only the named "
            "columns count");
    } else if (!lacking.empty()) {
        notes.push_back(fmt::format("no model has a value of {}, so {} not count",
                                    fmt::join(lacking, ", "),
                                    lacking.size() == 1 ? "it does" : "they do"));
    }
    return columns;
}

void set_directions(std::vector<ScoredColumn>& columns, const ColumnOptions& options) {
    std::vector<std::string> given;
    for (const std::string& text : options.better) {
        const auto [name, side] = split_setting(text, "--better", "NAME=low or NAME=high");
        const bool low = loose_name(side) == "low";
        if (!low && loose_name(side) != "high") {
            throw Error(ErrorCode::usage,
                        fmt::format("--better {}: `{}` is not a direction; allowed: low, high",
                                    shortened(text), shortened(side)));
        }
        ScoredColumn& column = column_to_set(columns, name, "--better");
        column.higher_is_better = !low;
        given.push_back(column.name.name);
    }
    for (ScoredColumn& column : columns) {
        if (column.name.dimension || std::ranges::find(given, column.name.name) != given.end())
            continue;
        const auto known = better_when_high(column.name.name);
        if (!known) {
            throw Error(ErrorCode::usage,
                        fmt::format("the name `{0}` does not say whether high or low values are "
                                    "better; add --better \"{0}=high\" or --better \"{0}=low\"",
                                    column.name.name));
        }
        column.higher_is_better = *known;
    }
}

void set_scales(std::vector<ScoredColumn>& columns, const QualityTable& table,
                const std::vector<std::size_t>& models, const ColumnOptions& options, bool own,
                double trim) {
    if (!(trim >= 0 && trim < 0.5))
        throw Error(ErrorCode::usage, fmt::format("trim is {}; it must be in [0, 0.5)", trim));
    for (const std::string& text : options.scales) {
        const auto [name, numbers] = split_setting(text, "--scale", "NAME=MEAN:DEVIATION");
        ScoredColumn& column = column_to_set(columns, name, "--scale");
        std::tie(column.mean, column.deviation) = scale_in(numbers, text);
        column.scale_from = "given";
    }
    for (ScoredColumn& column : columns) {
        if (column.weight == 0 || !column.scale_from.empty()) continue;
        if (column.name.dimension && !own) {
            const auto d = static_cast<std::size_t>(*column.name.dimension);
            column.mean = published_constants().mean[d];
            column.deviation = published_constants().deviation[d];
            column.scale_from = "published";
        } else {
            std::vector<double> values;
            for (const std::size_t m : models) {
                if (const auto& value = column.cell(table, m).value) values.push_back(*value);
            }
            scale_by(column, values, trim, "");
        }
    }
}

PerDimension<double> dimension_weights(const std::vector<ScoredColumn>& columns) {
    PerDimension<double> weights{};
    for (const ScoredColumn& column : columns) {
        if (column.name.dimension)
            weights[static_cast<std::size_t>(*column.name.dimension)] = column.weight;
    }
    return weights;
}

std::vector<std::string> notes_on_columns(const std::vector<ScoredColumn>& columns,
                                          const QualityTable& table,
                                          const std::vector<std::size_t>& models) {
    std::vector<std::string> notes;
    for (const ScoredColumn& column : columns) {
        if (column.name.dimension) continue;
        std::size_t values = 0, exact = 0;
        for (const std::size_t m : models) {
            const QualityCell& cell = column.cell(table, m);
            values += cell.value ? 1 : 0;
            exact += is_exact(cell) ? 1 : 0;
        }
        std::string note = fmt::format("{}: {} is better", column.name.name,
                                       column.higher_is_better ? "high" : "low");
        if (column.weight > 0 && !column.scale_from.empty()) {
            note +=
                fmt::format("; mean {:.4g} and deviation {:.4g} {}", column.mean, column.deviation,
                            column.scale_from == "given" ? "as given" : "of these models");
        }
        if (exact > 0) {
            note +=
                fmt::format("; {} without a standard error above 0 ({}_se, or {}_low and {}_high)",
                            exact == values ? "all values are"
                                            : fmt::format("{} of {} values are", exact, values),
                            column.name.name, column.name.name, column.name.name);
        }
        notes.push_back(std::move(note));
    }
    return notes;
}

bool names_a_column(std::string_view weights) {
    return std::ranges::any_of(parse_weights(weights).named,
                               [](const auto& one) { return !find_dimension(one.first); });
}

void refuse_no_column(const QualityTable& table, std::string_view weights,
                      const std::vector<std::size_t>& models) {
    if (names_a_column(weights)) return;
    const bool any = std::ranges::any_of(models, [&](std::size_t m) {
        return std::ranges::any_of(table.models[m].cells,
                                   [](const QualityCell& cell) { return cell.value.has_value(); });
    });
    if (any) return;
    throw Error(ErrorCode::usage,
                fmt::format("{} has no value of a quality dimension (accuracy, c_robustness, ...): "
                            "give weights to its columns of numbers, such as --weights NAME=1; it "
                            "has: {}",
                            table.source, listed_columns(table, models)));
}

}  // namespace assay::quality
