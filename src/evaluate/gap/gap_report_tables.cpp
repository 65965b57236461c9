#include "evaluate/gap/gap_report_tables.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/interval_sides.h"
#include "evaluate/gap/assemble.h"

namespace assay::gap_tables {
namespace {

using Show = Column::Show;

constexpr std::size_t models_shown = 20;
constexpr std::string_view nothing = "–";

Cell number_or_nothing(const std::optional<double>& v) {
    return v ? Cell(Number{*v, Unit::proportion, 2}) : Cell(std::string(nothing));
}

// Returns a number such as "12.3" for a sentence.
std::string sentence(const Estimate& v, bool sign) {
    const double half = half_width(v);
    std::string text =
        half > 0 ? number_text(*v.value, half, v.unit) : fmt::format("{:.2f}", 100 * *v.value);
    if (sign && *v.value > 0) text = "+" + text;
    return text;
}

// Returns text such as "12.3 (10.1 – 14.5)", in points.
std::string with_interval(const Estimate& v, bool sign = false) {
    const double half = half_width(v);
    if (!v.interval || half <= 0) return sentence(v, sign);
    return fmt::format("{} ({} – {})", sentence(v, sign),
                       number_text(v.interval->low, half, v.unit),
                       number_text(v.interval->high, half, v.unit));
}

std::string number_of(const Estimate& v, double value) {
    return number_text(value, half_width(v), v.unit);
}

std::string within_text(const GapWithinMargin& within) {
    if (within.models == 0) return std::string(nothing);
    std::string text = fmt::format("{} of {}", within.within, within.models);
    if (within.surely_within) {
        text += fmt::format(" ({} surely, {} open)", *within.surely_within,
                            within.models - *within.surely_within - *within.surely_outside);
    }
    return text;
}

Cell rank_cell(const GapRank& rank) {
    if (rank.rank == 0) return std::string(nothing);
    return rank.low == 0 ? std::to_string(rank.rank)
                         : fmt::format("{} [{}–{}]", rank.rank, rank.low, rank.high);
}

Cell change_cell(const std::optional<GapRankChange>& change) {
    if (!change) return std::string(nothing);
    return change->low
               ? fmt::format("{:+} [{:+}–{:+}]", change->change, *change->low, *change->high)
               : fmt::format("{:+}", change->change);
}

Cell change_cell(const std::optional<std::int64_t>& change) {
    return change ? fmt::format("{:+}", *change) : std::string(nothing);
}

// A published table may lack a whole metric.
bool has(const GapReport& r, GapMetric metric) {
    return std::any_of(r.models.begin(), r.models.end(), [metric](const GapModel& model) {
        const GapPair& p = model.metrics[static_cast<std::size_t>(metric)];
        return p.first.value || p.second.value;
    });
}

}  // namespace

Column text_column(std::string name) {
    return {.name = std::move(name), .numbers = false};
}

// Published tables have two digits; values without an interval to determine their precision also
// get two.
Cell percent(const Estimate& v, bool sign) {
    if (v.value && half_width(v) <= 0) return Number{*v.value, Unit::proportion, 2, sign};
    return v;
}
std::string_view title_of(GapMetric metric) {
    constexpr std::array<std::string_view, 3> titles{"top-1", "ReaL", "ASMA"};
    return titles[static_cast<std::size_t>(metric)];
}

// Adds each reason once, in the order of their appearance.
void note_once(Table& table, std::set<std::string>& said, const std::string& text) {
    if (!text.empty() && said.insert(text).second) table.notes.push_back(text);
}

namespace {

// The observed mean |gap|, if it differs.
std::string raw_text(const GapPair& p) {
    if (!p.absolute_raw || !p.absolute.value || !p.absolute.interval) return "";
    const double raw = *p.absolute_raw, value = *p.absolute.value;
    if (std::abs(raw - value) <= .05 * raw) return "";
    return fmt::format("the observed mean |gap| is {}, of which about {} is noise of the images",
                       number_of(p.absolute, raw), number_of(p.absolute, raw - value));
}

std::string difference_text(const GapDifference& d) {
    const std::string_view a = title_of(d.first_metric), b = title_of(d.second_metric);
    const bool shrinks = d.share.value && *d.share.value >= 0 && *d.share.value <= 1;
    std::string text =
        shrinks ? fmt::format("{}'s gap shrinks by {} points to {}'s, {} % of it", a,
                              with_interval(d.value), b, with_interval(d.share))
                : fmt::format("{}'s gap minus {}'s is {} points", a, b, with_interval(d.value));
    if (d.value.interval && d.value.interval->low <= 0 && d.value.interval->high >= 0)
        text += ": a difference is not shown";
    return text;
}

std::string best_text(const GapReport& r, std::size_t m, std::size_t set, const GapBest& best) {
    return fmt::format("best of {} by {} on {}: {} % {}, observed as {} %; {} {} may be the best",
                       best.value.n, title_of(gap_metrics[m]), r.sets[set].name,
                       with_interval(best.value), best.model, number_of(best.value, best.raw),
                       best.candidates, best.candidates == 1 ? "model" : "models");
}

}  // namespace

Table average(const GapReport& r) {
    Table table;
    table.title = fmt::format("{} against {}: mean of {} model{}", r.sets[0].name, r.sets[1].name,
                              r.models.size(), r.models.size() == 1 ? "" : "s");
    table.columns = {text_column("metric"),
                     {.name = r.sets[0].name + " %", .show = Show::value_and_half},
                     {.name = r.sets[1].name + " %", .show = Show::value_and_half},
                     {.name = "gap", .show = Show::value_and_half, .sign = true},
                     {.name = "interval", .show = Show::interval},
                     {.name = "mean |gap|", .show = Show::value_and_interval},
                     {.name = "sd between models", .show = Show::value_and_interval},
                     {.name = fmt::format("|gap| < {:g}", 100 * r.options.margin)}};
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const GapPair& p = r.average.metrics[m];
        const auto& spread = r.average.between[m];
        table.add({std::string(title_of(gap_metrics[m])), percent(p.first), percent(p.second),
                   percent(p.gap, true), p.gap, percent(p.absolute),
                   spread ? percent(spread->gap) : Cell(std::string(nothing)),
                   within_text(r.average.within_margin[m])});
    }
    std::set<std::string> said;
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const GapPair& p = r.average.metrics[m];
        const std::string_view title = title_of(gap_metrics[m]);
        if (!p.gap.value) {
            table.notes.push_back(fmt::format("{}: undefined: {}", title, p.gap.undefined));
        } else if (p.models[2] < r.models.size()) {
            table.notes.push_back(
                fmt::format("{}: of {} models; the others have no value", title, p.models[2]));
        }
        if (p.gap.value && !p.gap.interval) note_once(table, said, p.gap.note);
        if (p.absolute.value && p.gap.interval && !p.absolute.interval)
            note_once(table, said, p.absolute.note);
        if (const auto& spread = r.average.between[m];
            spread && spread->gap.value && !spread->gap.interval)
            note_once(table, said, "sd between models: " + spread->gap.note);
        const std::string moved = raw_text(p);
        if (!moved.empty()) table.notes.push_back(fmt::format("{}: {}", title, moved));
    }
    for (const GapDifference& d : r.average.differences) table.notes.push_back(difference_text(d));
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        for (std::size_t set = 0; set < 2; ++set) {
            const auto& best = r.average.best[m][set];
            if (best && best->value.interval && best->candidates > 0 && best->value.n > 1)
                table.notes.push_back(best_text(r, m, set, *best));
        }
    }
    const std::string_view what =
        sides_note(table).starts_with("±") ? "± and intervals" : "intervals";
    if (r.source == "stores") {
        table.notes.push_back(
            fmt::format("ASMA: mean agreement ({}) over the images with {} labels, each number of "
                        "labels with the same weight.",
                        r.options.agreement, fmt::join(r.subgroups, ", ")));
        table.notes.push_back(fmt::format(
            "{} ({:g} %): for these models, over images, which are the same for all models.{}",
            what, 100 * r.options.level,
            std::ranges::any_of(r.average.between,
                                [](const auto& spread) { return spread && spread->gap.interval; })
                ? " sd between models: standard deviation of these models' true gaps."
                : ""));
    } else if (r.model_correlation) {
        table.notes.push_back(fmt::format(
            "{} ({:g} %): for these models, over images, assuming that models' errors on the same "
            "images correlate with {:g} to {:g}.",
            what, 100 * r.options.level, (*r.model_correlation)[0], (*r.model_correlation)[1]));
    }
    return table;
}

Table histogram(const GapReport& r) {
    Table table;
    table.title = "Labels per image";
    table.columns = {{.name = "valid labels"}};
    for (const GapDataSet& set : r.sets) {
        table.columns.push_back({.name = "images of " + set.name});
        table.columns.push_back({.name = "%"});
    }
    for (int set = 0; set < 2; ++set) table.columns.push_back(text_column(""));
    const auto add = [&](const std::string& name, std::array<std::uint64_t, 2> images) {
        std::vector<Cell> cells{name}, bars;
        for (std::size_t set = 0; set < 2; ++set) {
            const std::uint64_t all = r.sets[set].images;
            const double proportion = static_cast<double>(images[set]) /
                                      static_cast<double>(std::max<std::uint64_t>(1, all));
            cells.emplace_back(Count{images[set]});
            Cell& cell = cells.emplace_back();
            if (all > 0) cell = Number{proportion, Unit::proportion, 1};
            bars.emplace_back(Bar{proportion, 10});
        }
        cells.insert(cells.end(), bars.begin(), bars.end());
        table.add(std::move(cells));
    };
    for (std::size_t g = 0; g < r.sets[0].with_labels.size(); ++g)
        add(std::to_string(g + 1), {r.sets[0].with_labels[g], r.sets[1].with_labels[g]});
    add(fmt::format("> {}", r.sets[0].with_labels.size()), {r.sets[0].more, r.sets[1].more});
    add("none", {r.sets[0].none, r.sets[1].none});
    table.notes.push_back("ReaL and ASMA skip images without a valid label; top-1 keeps them.");
    return table;
}

Table subgroups(const GapReport& r) {
    Table table;
    table.title =
        fmt::format("By labels per image: mean over the models; last columns: agreement ({})",
                    r.options.agreement);
    table.columns = {{.name = "labels"},
                     {.name = "top-1 gap", .show = Show::value_and_half, .sign = true},
                     {.name = "ReaL gap", .show = Show::value_and_half, .sign = true},
                     {.name = r.sets[0].name + " %", .show = Show::value_and_half},
                     {.name = r.sets[1].name + " %", .show = Show::value_and_half},
                     {.name = "gap", .sign = true},
                     {.name = "interval", .show = Show::interval}};
    std::set<std::string> said;
    for (const GapSubgroup& s : r.average.subgroups) {
        const GapPair& p = s.agreement;
        table.add({Count{s.labels}, percent(s.top1.gap, true), percent(s.real.gap, true),
                   percent(p.first), percent(p.second), percent(p.gap, true), p.gap});
        if (!p.gap.value) note_once(table, said, p.gap.undefined);
    }
    return table;
}

Table decomposition(const GapReport& r) {
    const GapDecomposition& d = r.average.decomposition;
    const Estimate& gap = r.average.metrics[0].gap;
    Table table;
    table.title = "How much of the top-1 gap do labels per image explain?";
    table.columns = {text_column("part of the top-1 gap"),
                     {.name = "points", .sign = true},
                     {.name = "interval", .show = Show::interval},
                     text_column("")};
    table.add({"gap", percent(gap, true), gap});
    table.rule();
    table.add({"composition", percent(d.composition, true), d.composition,
               fmt::format("disappears if {} has as many labels per image as {}", r.sets[1].name,
                           r.sets[0].name)});
    table.add({"within numbers of labels", percent(d.within, true), d.within,
               "stays at equal labels per image"});
    if (d.unmatched.value && std::abs(*d.unmatched.value) > 0) {
        table.notes.push_back(fmt::format(
            "{} points of the composition come from numbers of labels that only one of them has",
            with_interval(d.unmatched, true)));
    }
    if (d.explained.value) {
        table.notes.push_back(fmt::format("explained by labels per image: {} % of the gap",
                                          with_interval(d.explained)));
    } else {
        table.notes.push_back("proportion explained: " + d.explained.undefined);
    }
    return table;
}

Table models(const GapReport& r, bool all) {
    const bool parts = r.source == "stores";
    Table table;
    table.title = fmt::format("Models, by {} on {} (percent)",
                              has(r, GapMetric::top1) ? "top-1" : "ASMA", r.sets[0].name);
    table.columns = {text_column("model")};
    for (const GapMetric m : gap_metrics) {
        if (!has(r, m)) continue;
        for (const GapDataSet& set : r.sets)
            table.columns.push_back({.name = fmt::format("{} {}", title_of(m), set.name)});
        table.columns.push_back({.name = fmt::format("{} gap", title_of(m)),
                                 .show = Show::value_and_half,
                                 .sign = true});
    }
    if (parts) table.columns.push_back({.name = "within", .sign = true});
    const auto add = [&](const GapModel& model) {
        std::vector<Cell> cells{model.name};
        for (const GapMetric m : gap_metrics) {
            if (!has(r, m)) continue;
            const GapPair& p = model.metrics[static_cast<std::size_t>(m)];
            cells.push_back(percent(p.first));
            cells.push_back(percent(p.second));
            cells.push_back(percent(p.gap, true));
        }
        if (parts) cells.push_back(percent(model.decomposition.within, true));
        table.add(std::move(cells));
    };
    const std::size_t count = all ? r.models.size() : std::min(models_shown, r.models.size());
    for (std::size_t i = 0; i < count; ++i) add(r.models[i]);
    bool ruled = false;
    for (const std::size_t i : r.marked) {
        if (i < count) continue;
        if (!ruled) table.rule();
        ruled = true;
        add(r.models[i]);
    }
    if (count < r.models.size())
        table.notes.push_back(fmt::format(
            "the first {} of {} models; csv and json have all of them", count, r.models.size()));
    if (parts) table.notes.push_back("within: the top-1 gap at equal labels per image.");
    return table;
}

Table ranks(const GapReport& r, std::size_t set) {
    Table table;
    table.title = fmt::format("Best {} by ASMA on {}", r.best[set].size(), r.sets[set].name);
    table.columns = {text_column("model"),
                     {.name = "ASMA %", .show = Show::value_and_half},
                     {.name = "rank"},
                     {.name = "by top-1"},
                     {.name = "change"},
                     {.name = "rank on " + r.sets[1 - set].name},
                     {.name = fmt::format("{} to {}", r.sets[0].name, r.sets[1].name)}};
    bool intervals = false;
    for (const std::size_t i : r.best[set]) {
        const GapModel& model = r.models[i];
        const auto& asma = model.ranks[2];
        intervals = intervals || asma[0].low > 0 || asma[1].low > 0 || model.ranks[0][set].low > 0;
        table.add({model.name, percent(side(model.metrics[2], set)), rank_cell(model.ranks[2][set]),
                   rank_cell(model.ranks[0][set]), change_cell(model.rank_change[set]),
                   rank_cell(model.ranks[2][1 - set]), change_cell(model.rank_change_between[2])});
    }
    table.notes.push_back(
        "Equal values share the smaller rank (1, 2, 2, 4); change: rank by top-1 minus rank by "
        "ASMA, among the models that have both.");
    if (intervals)
        table.notes.push_back(
            "[ ]: interval of the true rank among these models, valid for one model that you chose "
            "beforehand.");
    table.notes.push_back(
        fmt::format("{} to {}: places gained with ASMA.", r.sets[0].name, r.sets[1].name));
    return table;
}

Table boxes(const GapReport& r) {
    Table table;
    table.title = "Agreement by labels per image, over the models (percent)";
    table.columns = {{.name = "labels"}, text_column("data set")};
    for (const char* name :
         {"low whisker", "quartile", "median", "quartile", "high whisker", "outliers"})
        table.columns.push_back({.name = name});
    for (const std::size_t i : r.marked) table.columns.push_back({.name = r.models[i].name});
    for (const GapBox& b : r.boxes) {
        std::vector<Cell> cells{Count{b.labels}, r.sets[static_cast<std::size_t>(b.set)].name};
        if (b.box) {
            for (const double x : {b.box->low_whisker, b.box->lower_quartile, b.box->median,
                                   b.box->upper_quartile, b.box->high_whisker})
                cells.push_back(number_or_nothing(std::optional(x)));
            cells.emplace_back(Count{b.box->outliers.size()});
        } else {
            cells.resize(cells.size() + 6, std::string(nothing));
        }
        for (const std::size_t i : r.marked) cells.push_back(number_or_nothing(b.points[i]));
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace assay::gap_tables
