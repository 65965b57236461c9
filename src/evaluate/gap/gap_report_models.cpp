// Makes tables of the statements about all models: orders and lines.
#include <set>

#include <fmt/format.h>

#include "evaluate/gap/gap_report_tables.h"

namespace assay::gap_tables {
namespace {

using Show = Column::Show;

const std::string& set_name(const GapReport& r, int set) {
    return r.sets[static_cast<std::size_t>(set)].name;
}

// On another scale, the intercept is not a proportion.
Cell percent_of_scale(const GapLine& line) {
    if (line.scale == GapScale::points) return percent(line.intercept);
    return line.intercept;
}

Cell correlation(const Estimate& v) {
    if (v.value && !v.interval) return Number{*v.value, Unit::number, 4};
    return v;
}

}  // namespace

Table orders(const GapReport& r) {
    Table table;
    table.title = "How far two orders of these models agree";
    table.columns = {text_column("orders"),
                     text_column(""),
                     {.name = "Kendall tau-b", .show = Show::value_and_interval},
                     {.name = "Spearman rho", .show = Show::value_and_interval},
                     {.name = "models"}};
    std::set<std::string> said;
    bool true_values = false;
    for (const GapOrder& o : r.orders) {
        const auto end = [&](GapMetric m, int set) {
            return fmt::format("{} {}", title_of(m), set_name(r, set));
        };
        table.add({end(o.a, o.a_set), end(o.b, o.b_set), correlation(o.kendall),
                   correlation(o.spearman), Count{o.models}});
        note_once(table, said, o.kendall.value ? o.kendall.note : o.kendall.undefined);
        note_once(table, said, o.spearman.note);
        true_values = true_values || o.kendall.interval || o.spearman.interval;
    }
    if (true_values)
        table.notes.emplace_back(
            "Correlations with an interval are those of the models' true values; noise in the "
            "images pulls observed correlations towards 0.");
    return table;
}

Table lines(const GapReport& r) {
    Table table;
    table.title =
        fmt::format("{} as a line of {}, over the models", set_name(r, 1), set_name(r, 0));
    table.columns = {text_column("metric"),
                     {.name = "mean gap, points", .show = Show::value_and_interval},
                     {.name = "slope", .show = Show::value_and_interval},
                     {.name = "intercept %", .show = Show::value_and_interval},
                     {.name = "mean gap, models like these", .show = Show::value_and_interval},
                     {.name = "slope, models like these", .show = Show::value_and_interval},
                     {.name = "models"}};
    std::set<std::string> said;
    bool of_these = false, like_these = false;
    const auto add = [&](const GapLine& line) {
        of_these = of_these || line.mean_gap.interval || line.slope.interval;
        like_these = like_these || line.mean_gap_like.interval || line.slope_like.interval;
        std::string name(title_of(line.metric));
        if (line.scale != GapScale::points)
            name += fmt::format(" ({})",
                                words_of(line.scale)[static_cast<std::size_t>(line.scale)].second);
        table.add({name, percent(line.mean_gap), line.slope, percent_of_scale(line),
                   line.mean_gap_like, line.slope_like, Count{line.models}});
        note_once(table, said, line.slope.value ? line.slope.note : line.slope.undefined);
        if (line.slope.interval && !line.slope_like.value)
            note_once(table, said, line.slope_like.undefined);
        if (line.curvature && line.curvature->curved) {
            table.notes.push_back(
                fmt::format("{}: the points follow a curve, with a slope from {:.2f} to {:.2f}; no "
                            "single line fits them{}",
                            name, line.curvature->low_slope, line.curvature->high_slope,
                            line.scale == GapScale::points ? " (try --scale probit)" : ""));
        }
    };
    for (const GapLine& line : r.lines) add(line);
    for (const GapLine& line : r.scaled_lines) add(line);
    if (of_these)
        table.notes.emplace_back(
            "mean gap, slope and intercept are for these models on new images of the same kind. "
            "The ends of the intercept's interval belong to those of the slope's.");
    if (like_these)
        table.notes.emplace_back(
            "\"models like these\" treats the models as a random sample, too; name models that are "
            "variants of each other with --families.");
    return table;
}

}  // namespace assay::gap_tables
