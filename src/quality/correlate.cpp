#include "assay/quality/correlate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/gap/ordering.h"
#include "quality/cell_notes.h"
#include "quality/families.h"

namespace assay::quality {
namespace {

double spearman_p(double rho, std::size_t n) {
    if (std::fabs(rho) >= 1) return std::min(1.0, 2 / std::tgamma(static_cast<double>(n) + 1));
    const auto degrees = static_cast<double>(n - 2);
    const double t = std::fabs(rho) * std::sqrt(degrees / (1 - rho * rho));
    return std::min(1.0, 2 * student_t_tail(t, degrees));
}

Interval fisher_interval(double rho, std::size_t n, double level) {
    const double error = std::sqrt((1 + rho * rho / 2) / static_cast<double>(n - 3));
    const double half = normal_quantile(0.5 + level / 2) * error;
    const double z = std::atanh(std::clamp(rho, -1 + 1e-15, 1 - 1e-15));
    return {std::tanh(z - half), std::tanh(z + half), level, "fisher.bonett_wright"};
}

struct Column2 {
    std::vector<double> x, y;
    std::vector<std::size_t> family;
};

Column2 both_of(const QualityTable& table, const std::vector<std::size_t>& models,
                const std::vector<std::size_t>& family, std::size_t x, std::size_t y) {
    Column2 out;
    for (std::size_t i = 0; i < models.size(); ++i) {
        const auto& cells = table.models[models[i]].cells;
        if (!cells[x].value || !cells[y].value) continue;
        out.x.push_back(*cells[x].value);
        out.y.push_back(*cells[y].value);
        out.family.push_back(family[i]);
    }
    return out;
}

/// The correlation over families drawn with replacement; none where the draw has no correlation.
std::optional<double> resampled(const Column2& columns, const std::vector<std::uint32_t>& times) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < columns.x.size(); ++i) {
        for (std::uint32_t k = 0; k < times[columns.family[i]]; ++k) {
            x.push_back(columns.x[i]);
            y.push_back(columns.y[i]);
        }
    }
    return spearman_rho(x, y);
}

}  // namespace

CorrelateResult correlate_dimensions(const QualityTable& table, const CorrelateOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage, fmt::format("level is {}; it lies in (0, 1)", options.level));
    if (options.adjust != "holm" && options.adjust != "bh" && options.adjust != "none") {
        throw Error(ErrorCode::usage, fmt::format("adjust is `{}`; it is holm, bh or none",
                                                  shortened(options.adjust)));
    }
    CorrelateResult result;
    result.options = options;
    result.notes = table.notes;
    const std::vector<std::size_t> models = select_models(table, options.where);
    result.models = models.size();
    for (std::string& note : notes_on_cells(table, models, equal_weights()))
        result.notes.push_back(std::move(note));
    const Families families = families_of(table, models, options.family);
    result.families = families.count;

    std::vector<Column2> columns;
    for (std::size_t x = 0; x < dimension_count; ++x) {
        for (std::size_t y = 0; y < x; ++y) {
            Correlation pair{static_cast<Dimension>(x), static_cast<Dimension>(y), {}};
            Column2 both = both_of(table, models, families.of, x, y);
            pair.rho.n = both.x.size();
            const auto rho = both.x.size() > 3 ? spearman_rho(both.x, both.y) : std::nullopt;
            if (rho) {
                pair.rho.value = *rho;
                pair.p = spearman_p(*rho, both.x.size());
                if (std::fabs(*rho) < 1) {
                    pair.rho.interval = fisher_interval(*rho, both.x.size(), options.level);
                } else {
                    pair.rho.note = "a perfect order has no interval";
                }
            } else {
                pair.rho.undefined = both.x.size() > 3 ? "all models have the same value"
                                                       : "fewer than four models have both";
            }
            result.pairs.push_back(std::move(pair));
            columns.push_back(std::move(both));
        }
    }

    if (!options.family.empty()) {
        if (families.count < 10) {
            result.warnings.push_back(
                fmt::format("{} families are too few to resample: no intervals", families.count));
        }
        std::vector<std::vector<double>> drawn(
            result.pairs.size(), std::vector<double>(options.replicates, std::nan("")));
        if (families.count >= 10) {
            parallel_blocks(options.replicates, resolve_threads(options.threads),
                            [&](std::size_t r) {
                                throw_if_stopped();
                                RandomStream stream(options.seed, "quality families", r);
                                std::vector<std::uint32_t> times(families.count, 0);
                                for (std::size_t k = 0; k < families.count; ++k)
                                    ++times[static_cast<std::size_t>(stream.below(families.count))];
                                for (std::size_t p = 0; p < columns.size(); ++p) {
                                    if (const auto rho = resampled(columns[p], times))
                                        drawn[p][r] = *rho;
                                }
                            });
        }
        for (std::size_t p = 0; p < result.pairs.size(); ++p) {
            Estimate& rho = result.pairs[p].rho;
            rho.interval.reset();
            std::erase_if(drawn[p], [](double v) { return std::isnan(v); });
            if (!rho.value || drawn[p].size() < options.replicates / 2 || drawn[p].size() < 2)
                continue;
            rho.interval = percentile_interval(drawn[p], options.level, "bootstrap.families");
        }
    }

    std::vector<double> p_values;
    for (const Correlation& pair : result.pairs) {
        if (pair.rho.value) p_values.push_back(pair.p);
    }
    const std::vector<double> adjusted = options.adjust == "holm" ? holm(p_values)
                                         : options.adjust == "bh" ? benjamini_hochberg(p_values)
                                                                  : p_values;
    std::size_t next = 0;
    for (Correlation& pair : result.pairs) {
        if (pair.rho.value) pair.adjusted = adjusted[next++];
    }
    if (!options.family.empty()) {
        result.notes.emplace_back(
            "intervals resample families; p-values take models as independent, and are too small "
            "where families are large");
    } else if (result.models > 3) {
        result.notes.emplace_back(
            "models are taken as independent; those of one family are not: name the tag that tells "
            "families apart (family)");
    }
    return result;
}

Report report_of(const CorrelateResult& result) {
    Report report;
    report.title = "Which dimensions go together";
    report.warnings = result.warnings;
    Table table;
    table.title = fmt::format("Spearman's correlation over {} models", result.models);
    table.columns = {{.name = "", .numbers = false}};
    for (std::size_t d = 0; d + 1 < dimension_count; ++d)
        table.columns.push_back({.name = std::string(dimension_facts()[d].title)});
    Table pairs;
    pairs.title = "Pairs";
    pairs.columns = {{.name = "first", .numbers = false},
                     {.name = "second", .numbers = false},
                     {.name = "rho", .show = Column::Show::value_and_interval},
                     {.name = "p"},
                     {.name = fmt::format("p ({})", result.options.adjust)},
                     {.name = "models"}};
    for (const char* name : {"x", "y"}) report.records.columns.push_back({.name = name});
    report.records.columns.push_back({.name = "rho", .show = Column::Show::every_part});
    for (const char* name : {"p", "p_adjusted", "models"})
        report.records.columns.push_back({.name = name});
    nlohmann::json all = nlohmann::json::array();
    std::size_t next = 0;
    for (std::size_t x = 1; x < dimension_count; ++x) {
        std::vector<Cell> row = {std::string(dimension_facts()[x].title)};
        for (std::size_t y = 0; y < x; ++y) {
            const Correlation& c = result.pairs[next++];
            if (c.rho.value) {
                row.emplace_back(Number{*c.rho.value, Unit::number, 2, true});
            } else {
                row.emplace_back();
            }
            const auto name = [](Dimension d) { return std::string(facts_of(d).name); };
            const auto p = [&](double value) { return c.rho.value ? Cell(PValue{value}) : Cell(); };
            const auto p_json = [&](double value) {
                return c.rho.value ? nlohmann::json(value) : nlohmann::json();
            };
            pairs.add({std::string(facts_of(c.y).title), std::string(facts_of(c.x).title), c.rho,
                       p(c.p), p(c.adjusted), Count{c.rho.n}});
            report.records.add(
                {name(c.x), name(c.y), c.rho, PValue{c.p}, PValue{c.adjusted}, Count{c.rho.n}});
            all.push_back({{"x", name(c.x)},
                           {"y", name(c.y)},
                           {"rho", to_json(c.rho)},
                           {"p", p_json(c.p)},
                           {"p_adjusted", p_json(c.adjusted)}});
        }
        table.add(std::move(row));
    }
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    report.sections = {{.title = "", .blocks = {table, pairs}, .sections = {}}};
    report.result = {{"schema", "assay.quality_correlate/1"},
                     {"models", result.models},
                     {"families", result.families},
                     {"family", result.options.family},
                     {"adjust", result.options.adjust},
                     {"pairs", all},
                     {"notes", result.notes},
                     {"warnings", result.warnings}};
    return report;
}

}  // namespace assay::quality
