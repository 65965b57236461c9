#include "evaluate/gap/model_statements.h"

#include <algorithm>

#include "core/parallel.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_margin.h"
#include "evaluate/gap/gap_said.h"
#include "evaluate/gap/ordering.h"
#include "evaluate/gap/statement_parts.h"

namespace assay {
namespace {

using statements::Range;

constexpr std::string_view one_model = "one model";

Range within_proportions(Range range) {
    range.low = std::max(0.0, range.low);
    range.high = std::min(1.0, range.high);
    return range;
}

void set_absolute(GapReport& report, std::size_t m, const std::vector<GapSaid>& said,
                  const std::string& why) {
    GapPair& pair = report.average.metrics[m];
    if (!pair.absolute.value) return;
    pair.absolute_raw = *pair.absolute.value;
    // The average over one model is the model's value.
    if (pair.models[2] < 2) return;
    pair.absolute.interval.reset();
    pair.absolute.standard_error.reset();
    pair.absolute.note = why;
    auto range = joined(said, [](const GapSaid& s) { return s.absolute; });
    if (!range) return;
    // The mean |gap| can have any value that the mean gap can have.
    if (pair.gap.value) range->value = std::max(range->value, std::abs(*pair.gap.value));
    if (pair.gap.interval)
        range->high = std::max({range->high, pair.gap.interval->high, -pair.gap.interval->low});
    range->high = std::max(range->high, range->value);
    put_range(pair.absolute, *range, report.options.level, "inversion");
}

void set_means(GapReport& report, std::size_t m, const std::vector<GapSaid>& said) {
    // For stores, the means already have intervals.
    if (report.source == "stores") return;
    GapPair& pair = report.average.metrics[m];
    const double level = report.options.level;
    if (pair.models[2] == 0) return;
    if (pair.models[2] == 1) {
        const auto one = std::ranges::find_if(
            report.models, [m](const GapModel& g) { return g.metrics[m].gap.value.has_value(); });
        pair.first = one->metrics[m].first;
        pair.second = one->metrics[m].second;
        pair.gap = one->metrics[m].gap;
        pair.absolute = one->metrics[m].absolute;
        return;
    }
    for (std::size_t set = 0; set < 2; ++set) {
        if (const auto range = joined(said, [set](const GapSaid& s) { return s.mean_of_set[set]; }))
            put_range(set == 0 ? pair.first : pair.second, within_proportions(*range), level,
                      "normal");
    }
    if (const auto range = joined(said, [](const GapSaid& s) { return s.mean; }))
        put_range(pair.gap, *range, level, "normal");
}

void set_spread(GapReport& report, std::size_t m, const std::vector<GapSaid>& said,
                const std::array<std::string, 3>& why, bool upper_bound) {
    auto& between = report.average.between[m];
    if (!between) return;
    const std::array<Estimate*, 3> parts{&between->first, &between->second, &between->gap};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        Estimate& e = *parts[part];
        e.unit = Unit::proportion;
        e.n = part == 2 ? between->models
                        : static_cast<std::uint64_t>(
                              models_with_values(report, m, part == 0, part == 1).size());
        const auto range = joined(said, [part](const GapSaid& s) { return s.spread[part]; });
        if (!range) {
            e.undefined = e.n < 2 ? std::string(one_model) : why[part];
            continue;
        }
        e.value = range->value;
        put_range(e, *range, report.options.level, "inversion");
        if (!e.interval) {
            e.note = "no interval: all models are equal";
        } else if (e.interval->high <= 0) {
            // No draw of the errors is as close as the observed values: the errors do not have this
            // size.
            e.interval.reset();
            e.note = "no interval: the models differ less than expected from their errors alone";
        } else if (upper_bound) {
            e.note = "corrected by an upper bound of the errors, which may be too much";
        }
    }
}

void set_within(GapReport& report, std::size_t m, const std::vector<GapSaid>& said) {
    GapWithinMargin& within = report.average.within_margin[m];
    within.surely_within.reset();
    within.surely_outside.reset();
    if (within.models == 1) {
        // Uses the interval of this model's gap.
        for (const GapModel& model : report.models) {
            const Estimate& gap = model.metrics[m].gap;
            const double margin = bound_of_margin(report.options.margin);
            if (!gap.value || !gap.interval) continue;
            within.surely_within =
                gap.interval->low > -margin && gap.interval->high < margin ? 1 : 0;
            within.surely_outside =
                gap.interval->low >= margin || gap.interval->high <= -margin ? 1 : 0;
        }
        return;
    }
    std::uint32_t low = within.models, high = 0;
    for (const GapSaid& s : bounds_of(said)) {
        if (!s.within) return;
        low = std::min(low, static_cast<std::uint32_t>(s.within->low));
        high = std::max(high, static_cast<std::uint32_t>(s.within->high));
    }
    within.surely_within = low;
    within.surely_outside = within.models - high;
}

void set_best(GapReport& report, std::size_t m, const std::vector<GapSaid>& said,
              const std::array<std::string, 2>& why) {
    for (std::size_t set = 0; set < 2; ++set) {
        const std::vector<std::size_t> models = models_with_values(report, m, set == 0, set == 1);
        if (models.empty()) continue;
        GapBest best;
        best.value.unit = Unit::proportion;
        best.value.n = models.size();
        const auto range = joined(said, [set](const GapSaid& s) -> std::optional<Range> {
            return s.best[set] ? std::optional(s.best[set]->range) : std::nullopt;
        });
        const GapModel& top =
            report.models[*std::ranges::max_element(models, {}, [&](std::size_t i) {
                return *side(report.models[i].metrics[m], set).value;
            })];
        best.model = top.name;
        best.raw = *side(top.metrics[m], set).value;
        best.value.value = best.raw;
        best.value.note = why[set];
        if (models.size() == 1) {
            best.value = side(top.metrics[m], set);
            best.value.n = 1;
            best.candidates = 1;
        } else if (range) {
            best.value.value = range->value;
            put_range(best.value, *range, report.options.level, "max_t");
            for (const GapSaid& s : bounds_of(said))
                best.candidates =
                    std::max(best.candidates, static_cast<std::uint32_t>(s.best[set]->candidates));
        }
        report.average.best[m][set] = std::move(best);
    }
}

void set_places(GapReport& report, std::size_t m, const std::vector<GapSaid>& said) {
    for (std::size_t set = 0; set < 2; ++set) {
        for (std::size_t i = 0; i < report.models.size(); ++i) {
            GapRank& rank = report.models[i].ranks[m][set];
            if (rank.rank == 0 || said.front().places[set].empty()) continue;
            rank.low = rank.high = rank.rank;
            for (const GapSaid& s : bounds_of(said)) {
                rank.low = std::min(rank.low, static_cast<std::uint32_t>(s.places[set][i].low));
                rank.high = std::max(rank.high, static_cast<std::uint32_t>(s.places[set][i].high));
            }
        }
    }
    const std::vector<std::size_t> both = models_with_values(report, m, true, true);
    if (both.size() < 2) return;
    std::array<std::vector<Maybe>, 2> values;
    for (const GapModel& model : report.models) {
        values[0].push_back(model.metrics[m].first.value);
        values[1].push_back(model.metrics[m].second.value);
    }
    // `by` is subtracted from `against`.
    const auto ranks = rank_pairs(values[1], values[0]);
    for (const std::size_t i : both) {
        GapRankChange change{ranks[i].change(), {}, {}};
        if (!said.front().changes.empty()) {
            change.low = change.high = change.change;
            for (const GapSaid& s : bounds_of(said)) {
                change.low = std::min(*change.low, s.changes[i].low);
                change.high = std::max(*change.high, s.changes[i].high);
            }
        }
        report.models[i].rank_change_between[m] = change;
    }
}

void set_order(GapOrder& order, const std::optional<Range>& tau, const std::optional<Range>& rho,
               const std::string& why, double level) {
    order.kendall_raw = order.kendall.value;
    order.spearman_raw = order.spearman.value;
    const auto set = [&](Estimate& e, const std::optional<Range>& range) {
        if (!e.value) return;
        e.n = order.models;
        e.note = why;
        if (range) {
            put_range(e, *range, level, "inversion");
            if (range->high - range->low > 1) e.note = "these data hardly rank the models";
        } else if (order.models < 3) {
            e.note = "no interval for only two models: see their ranks";
        }
    };
    set(order.kendall, tau);
    set(order.spearman, rho);
}

std::string why_of(const GapReport& report, const GapNoise& noise, std::size_t m,
                   std::size_t first_set, std::size_t last_set) {
    if (!noise.dependent.empty() && first_set != last_set) return "no interval: " + noise.dependent;
    for (std::size_t set = first_set; set <= last_set; ++set) {
        if (!noise.unknown[m][set].empty()) return "no interval: " + noise.unknown[m][set];
    }
    if (report.options.replicates == 0)
        return "no interval, because --bootstrap is 0; use --bootstrap 1000";
    return "";
}

}  // namespace

void state_about_models(GapReport& report, const GapNoise& noise) {
    require_scale(report);
    std::vector<const GapFactors*> all;
    for (const GapFactors& bound : noise.bounds) all.push_back(&bound);
    if (noise.middle) all.push_back(&*noise.middle);
    const double level = report.options.level;
    // Draws are independent, so the numbers are the same for any number of threads.
    std::array<std::vector<GapSaid>, 3> said;
    for (auto& of_metric : said) of_metric.resize(all.size());
    std::vector<std::size_t> within_sets;
    for (std::size_t o = 0; o < report.orders.size(); ++o) {
        if (report.orders[o].a_set == report.orders[o].b_set) within_sets.push_back(o);
    }
    std::vector<statements::RankCorrelations> same_images(report.orders.size());
    const std::size_t metrics = 3 * all.size();
    const bool together = noise.same_groups && report.options.replicates > 0 && !all.empty();
    parallel_blocks(
        metrics + (together ? within_sets.size() : 0), resolve_threads(report.options.threads),
        [&](std::size_t task) {
            throw_if_stopped();
            if (task < metrics) {
                const std::size_t m = task / all.size(), k = task % all.size();
                const bool middle = noise.middle && k + 1 == all.size();
                said[m][k] = said_of_metric(report, *all[k], m, {!middle, !noise.upper_bound[m]});
                return;
            }
            const std::size_t o = within_sets[task - metrics];
            const GapOrder& order = report.orders[o];
            const auto set = static_cast<std::size_t>(order.a_set);
            if ((*all[0])[static_cast<std::size_t>(order.a)][set] &&
                (*all[0])[static_cast<std::size_t>(order.b)][set])
                same_images[o] = order_on_one_set(report, *all[0], order);
        });
    if (!noise.dependent.empty()) {
        for (auto& of_metric : said) {
            for (GapSaid& s : of_metric) {
                s.absolute.reset();
                s.within.reset();
                s.spread[2].reset();
                s.changes.clear();
                s.orders = {};
                s.line = s.scaled = {};
            }
        }
    }
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        if (said[m].empty()) said[m].resize(1);
        const std::string why = why_of(report, noise, m, 0, 1);
        const std::array<std::string, 2> why_set{why_of(report, noise, m, 0, 0),
                                                 why_of(report, noise, m, 1, 1)};
        set_means(report, m, said[m]);
        set_absolute(report, m, said[m], why);
        set_spread(report, m, said[m], {why_set[0], why_set[1], why}, noise.upper_bound[m]);
        set_within(report, m, said[m]);
        set_best(report, m, said[m], why_set);
        set_places(report, m, said[m]);
        std::vector<GapLineParts> parts, scaled;
        for (const GapSaid& s : said[m]) {
            parts.push_back(s.line);
            scaled.push_back(s.scaled);
        }
        add_line(report, m, GapScale::points, parts, why, noise.upper_bound[m]);
        if (report.options.scale != GapScale::points)
            add_line(report, m, report.options.scale, scaled, why, noise.upper_bound[m]);
        for (GapOrder& order : report.orders) {
            if (order.a_set == order.b_set || static_cast<std::size_t>(order.a) != m) continue;
            if (noise.upper_bound[m]) {
                set_order(
                    order, {}, {},
                    "no interval: a table gives only a bound of ASMA's errors; stores are needed",
                    level);
                continue;
            }
            set_order(order, joined(said[m], [](const GapSaid& s) { return s.orders.tau; }),
                      joined(said[m], [](const GapSaid& s) { return s.orders.rho; }), why, level);
        }
    }
    for (const std::size_t o : within_sets) {
        GapOrder& order = report.orders[o];
        const auto set = static_cast<std::size_t>(order.a_set);
        std::string why = why_of(report, noise, static_cast<std::size_t>(order.a), set, set);
        if (why.empty()) why = why_of(report, noise, static_cast<std::size_t>(order.b), set, set);
        if (why.empty() && !noise.same_groups)
            why =
                "no interval: the two metrics share their images, and a table does not contain "
                "their errors: use stores";
        set_order(order, same_images[o].tau, same_images[o].rho, why, level);
    }
    if (noise.dependent.empty()) add_differences(report, noise);
}

}  // namespace assay
