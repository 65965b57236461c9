#include "assay/quality/correlate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/rank_correlation.h"
#include "core/statistics.h"
#include "core/text.h"
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

Column2 both_of(const std::vector<std::size_t>& models, const std::vector<std::size_t>& family,
                const QualityColumn& x, const QualityColumn& y) {
    Column2 out;
    for (std::size_t i = 0; i < models.size(); ++i) {
        const std::optional<double>&one = x.values[models[i]], &other = y.values[models[i]];
        if (!one || !other) continue;
        out.x.push_back(*one);
        out.y.push_back(*other);
        out.family.push_back(family[i]);
    }
    return out;
}

/// The correlation over families drawn with replacement; no value if the draw has no correlation.
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

std::vector<Correlation> correlated(const std::vector<QualityColumn>& all,
                                    const std::vector<std::size_t>& models,
                                    const Families& families, const CorrelateOptions& options,
                                    const std::string& group, std::vector<std::string>& warnings) {
    std::vector<Correlation> pairs;
    std::vector<Column2> columns;
    for (std::size_t x = 0; x < all.size(); ++x) {
        for (std::size_t y = 0; y < x; ++y) {
            Correlation pair{all[x].name, all[y].name, {}};
            Column2 both = both_of(models, families.of, all[x], all[y]);
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
            pairs.push_back(std::move(pair));
            columns.push_back(std::move(both));
        }
    }

    if (!options.family.empty()) {
        if (families.count < 10) {
            warnings.push_back(fmt::format("{}{} {} too few to resample: no intervals",
                                           group.empty() ? "" : group + ": ",
                                           how_many(families.count, "family", "families"),
                                           families.count == 1 ? "is" : "are"));
        }
        std::vector<std::vector<double>> drawn(
            pairs.size(), std::vector<double>(options.replicates, std::nan("")));
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
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            Estimate& rho = pairs[p].rho;
            rho.interval.reset();
            std::erase_if(drawn[p], [](double v) { return std::isnan(v); });
            if (!rho.value || drawn[p].size() < options.replicates / 2 || drawn[p].size() < 2)
                continue;
            rho.interval = percentile_interval(drawn[p], options.level, "bootstrap.families");
        }
    }
    return pairs;
}

/// The models that share one value of a tag.
struct Subgroup {
    std::string value;  ///< the value in the spelling of its first model
    std::vector<std::size_t> models;
};

constexpr std::size_t fewest_of_group = 10;

/// The groups in the order of their first models. Adds notes on skipped groups.
std::vector<Subgroup> subgroups_of(const QualityTable& table,
                                   const std::vector<std::size_t>& models, const std::string& tag,
                                   std::vector<std::string>& notes) {
    const Families values = families_of(table, models, tag);
    std::vector<Subgroup> all(values.count);
    const std::size_t place = tag_place(table, tag);
    for (std::size_t i = 0; i < models.size(); ++i) {
        Subgroup& group = all[values.of[i]];
        if (group.models.empty()) group.value = table.models[models[i]].tags[place];
        group.models.push_back(models[i]);
    }
    std::vector<Subgroup> kept;
    std::size_t small = 0, without = 0;
    for (Subgroup& group : all) {
        if (group.value.empty()) {
            without += group.models.size();
        } else if (group.models.size() < fewest_of_group) {
            small += 1;
        } else {
            kept.push_back(std::move(group));
        }
    }
    if (small > 0) {
        notes.push_back(fmt::format("{} of {} {} fewer than {} models and no matrix of {} own",
                                    how_many(small, "value"), tag, small == 1 ? "has" : "have",
                                    fewest_of_group, small == 1 ? "its" : "their"));
    }
    if (without > 0)
        notes.push_back(
            fmt::format("{} no {} and {} in no group",
                        without == 1 ? "1 model has" : fmt::format("{} models have", without), tag,
                        without == 1 ? "is" : "are"));
    return kept;
}

/// Adjusts over the pairs of all models and of all groups, because they are one family of tests.
void adjust(CorrelateResult& result) {
    std::vector<Correlation*> tested;
    const auto add = [&](std::vector<Correlation>& pairs) {
        for (Correlation& pair : pairs) {
            if (pair.rho.value) tested.push_back(&pair);
        }
    };
    add(result.pairs);
    for (CorrelateGroup& group : result.groups) add(group.pairs);
    std::vector<double> p_values;
    p_values.reserve(tested.size());
    for (const Correlation* pair : tested) p_values.push_back(pair->p);
    const std::string& how = result.options.adjust;
    const std::vector<double> adjusted = how == "holm" ? holm(p_values)
                                         : how == "bh" ? benjamini_hochberg(p_values)
                                                       : p_values;
    for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->adjusted = adjusted[i];
}

}  // namespace

CorrelateResult correlate_dimensions(const QualityTable& table, const CorrelateOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("level is {}; it must be in (0, 1)", options.level));
    if (options.adjust != "holm" && options.adjust != "bh" && options.adjust != "none") {
        throw Error(ErrorCode::usage, fmt::format("adjust is `{}`; allowed: holm, bh, none",
                                                  shortened(options.adjust)));
    }
    CorrelateResult result;
    result.options = options;
    result.notes = table.notes;
    const std::vector<std::size_t> models = select_models(table, options.where);
    const std::vector<QualityColumn> columns = quality_columns(table, options.columns, models);
    if (columns.size() < 2)
        throw Error(ErrorCode::usage,
                    fmt::format("{} has only the column `{}` to correlate: name another with "
                                "--column",
                                table.source, columns.front().name.title));
    result.models = models.size();
    for (std::string& note : notes_on_cells(table, models, equal_weights()))
        result.notes.push_back(std::move(note));
    const Families families = families_of(table, models, options.family);
    result.families = families.count;

    result.pairs = correlated(columns, models, families, options, "", result.warnings);
    if (!options.by.empty()) {
        for (const Subgroup& group : subgroups_of(table, models, options.by, result.notes)) {
            const Families of_group = families_of(table, group.models, options.family);
            result.groups.push_back({group.value, group.models.size(), of_group.count,
                                     correlated(columns, group.models, of_group, options,
                                                group.value, result.warnings)});
        }
        if (result.groups.empty()) {
            throw Error(ErrorCode::usage, fmt::format("no value of `{}` has {} models or more",
                                                      shortened(options.by), fewest_of_group));
        }
    }
    adjust(result);
    if (!options.family.empty()) {
        result.notes.emplace_back(
            "intervals resample families; p-values treat models as independent, and are too small "
            "if families are large");
    } else if (result.models > 3) {
        result.notes.emplace_back(
            "models are treated as independent, but models of one family are not: pass the tag of "
            "the families with --family");
    }
    return result;
}

}  // namespace assay::quality
