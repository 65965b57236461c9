#include "cli/gap_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/report.h"
#include "cli/progress.h"
#include "cli/table.h"

namespace assay::cli {
namespace {

constexpr std::size_t models_shown = 20;

double half_of(const GapValue& v) {
    return v.interval ? (v.interval->high - v.interval->low) / 2 : 0;
}

// Percent, with as many digits as the interval deserves; published tables have two.
std::string percent(const GapValue& v, bool with_half = false, bool sign = false) {
    if (!v.value) return "–";
    const double half = half_of(v);
    std::string text = half > 0 ? number_text(*v.value, half, Unit::proportion)
                                : fmt::format("{:.2f}", 100 * *v.value);
    if (sign && *v.value > 0) text = "+" + text;
    return with_half && half > 0 ? text + " ±" + number_text(half, half, Unit::proportion) : text;
}

std::string interval(const GapValue& v) {
    if (!v.interval) return "";
    return number_text(v.interval->low, half_of(v), Unit::proportion) + " – " +
           number_text(v.interval->high, half_of(v), Unit::proportion);
}

std::string_view title_of(GapMetric metric) {
    constexpr std::array<std::string_view, 3> titles{"top-1", "ReaL", "ASMA"};
    return titles[static_cast<std::size_t>(metric)];
}

std::string subgroup_text(const std::vector<std::uint32_t>& subgroups) {
    return fmt::format("{}", fmt::join(subgroups, ", "));
}

const GapValue& side(const GapPair& pair, std::size_t set) {
    return set == 0 ? pair.first : pair.second;
}

Table average_table(const GapReport& r) {
    Table table({{"metric"},
                 {r.sets[0].name + " %", Align::right},
                 {r.sets[1].name + " %", Align::right},
                 {"gap", Align::right},
                 {"interval", Align::right},
                 {"mean |gap|", Align::right},
                 {"sd between models", Align::right},
                 {fmt::format("|gap| < {:g}", 100 * r.options.margin), Align::right}},
                fmt::format("{} against {}: mean of {} model{}", r.sets[0].name, r.sets[1].name,
                            r.models.size(), r.models.size() == 1 ? "" : "s"));
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const GapPair& p = r.average.metrics[m];
        const auto& spread = r.average.between[m];
        const GapWithinMargin& within = r.average.within_margin[m];
        std::string count =
            within.models == 0 ? "–" : fmt::format("{} of {}", within.within, within.models);
        if (within.surely_within) {
            count += fmt::format(" ({} surely, {} open)", *within.surely_within,
                                 within.models - *within.surely_within - *within.surely_outside);
        }
        table.add({std::string(title_of(gap_metrics[m])), percent(p.first, true),
                   percent(p.second, true), percent(p.gap, true, true), interval(p.gap),
                   percent(p.absolute, true),
                   spread && spread->sd ? fmt::format("{:.2f}", 100 * *spread->sd) : "–", count});
    }
    std::set<std::string> said;
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const GapValue& gap = r.average.metrics[m].gap;
        if (!gap.value) {
            table.footer(fmt::format("{}: undefined: {}", title_of(gap_metrics[m]), gap.undefined));
        } else if (gap.models < r.models.size()) {
            table.footer(fmt::format("{}: of {} models; the others have no value",
                                     title_of(gap_metrics[m]), gap.models));
        }
        if (gap.value && !gap.interval && said.insert(gap.no_interval).second)
            table.footer("no interval: " + gap.no_interval);
    }
    if (r.source == "stores") {
        table.footer(fmt::format(
            "ASMA: mean agreement ({}) over the images with {} labels, label counts weighing "
            "the same.",
            name_of(r.options.agreement), subgroup_text(r.subgroups)));
        table.footer(fmt::format(
            "± and interval ({:g} %): over images, the same for all models. The spread between "
            "models is another thing.",
            100 * r.options.level));
    }
    return table;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? ""
                      : fmt::format("{} ({:.1f} %)", count_text(part),
                                    100 * static_cast<double>(part) / static_cast<double>(whole));
}

Table histogram_table(const GapReport& r) {
    Table table({{"valid labels", Align::right},
                 {"images of " + r.sets[0].name, Align::right},
                 {"of " + r.sets[1].name, Align::right},
                 {""}},
                "Label counts");
    const auto add = [&](const std::string& name, std::uint64_t one, std::uint64_t two) {
        table.add({name, share_text(one, r.sets[0].images), share_text(two, r.sets[1].images),
                   bar(static_cast<double>(one) /
                           static_cast<double>(std::max<std::uint64_t>(1, r.sets[0].images)),
                       10) +
                       " " +
                       bar(static_cast<double>(two) /
                               static_cast<double>(std::max<std::uint64_t>(1, r.sets[1].images)),
                           10)});
    };
    for (std::size_t g = 0; g < r.sets[0].with_labels.size(); ++g)
        add(std::to_string(g + 1), r.sets[0].with_labels[g], r.sets[1].with_labels[g]);
    add(fmt::format("> {}", r.sets[0].with_labels.size()), r.sets[0].more, r.sets[1].more);
    add("none", r.sets[0].none, r.sets[1].none);
    table.footer("Images without a valid label are left out by ReaL and ASMA; top-1 keeps them.");
    return table;
}

Table subgroup_table(const GapReport& r) {
    Table table({{"labels", Align::right},
                 {"top-1 gap", Align::right},
                 {"ReaL gap", Align::right},
                 {r.sets[0].name + " %", Align::right},
                 {r.sets[1].name + " %", Align::right},
                 {"gap", Align::right},
                 {"interval", Align::right}},
                fmt::format("By label count: mean over the models; last columns: agreement ({})",
                            name_of(r.options.agreement)));
    for (const GapSubgroup& s : r.average.subgroups) {
        table.add({std::to_string(s.labels), percent(s.top1.gap, true, true),
                   percent(s.real.gap, true, true), percent(s.agreement.first, true),
                   percent(s.agreement.second, true), percent(s.agreement.gap, false, true),
                   interval(s.agreement.gap)});
    }
    std::set<std::string> said;
    for (const GapSubgroup& s : r.average.subgroups) {
        const std::string& reason = s.agreement.gap.undefined;
        if (!s.agreement.gap.value && said.insert(reason).second) table.footer(reason);
    }
    return table;
}

Table decomposition_table(const GapReport& r) {
    const GapDecomposition& d = r.average.decomposition;
    Table table(
        {{"part of the top-1 gap"}, {"points", Align::right}, {"interval", Align::right}, {""}},
        "How much of the top-1 gap do label counts explain?");
    table.add({"gap", percent(r.average.metrics[0].gap, false, true),
               interval(r.average.metrics[0].gap), ""});
    table.rule();
    table.add(
        {"composition", percent(d.composition, false, true), interval(d.composition),
         fmt::format("goes when {}'s label counts are made {}'s", r.sets[1].name, r.sets[0].name)});
    table.add({"within label counts", percent(d.within, false, true), interval(d.within),
               "stays at equal label counts"});
    if (d.unmatched.value && std::abs(*d.unmatched.value) > 0)
        table.footer(
            fmt::format("of the composition, {} points are label counts that only one of them has",
                        percent(d.unmatched, true, true)));
    table.footer(d.share.value ? fmt::format("explained by label counts: {} % of the gap{}",
                                             percent(d.share, true),
                                             d.share.interval ? " (" + interval(d.share) + ")" : "")
                               : "share explained: " + d.share.undefined);
    return table;
}

std::string rank_text(const GapRank& rank) {
    if (rank.rank == 0) return "–";
    return rank.low == 0 ? std::to_string(rank.rank)
                         : fmt::format("{} [{}–{}]", rank.rank, rank.low, rank.high);
}

std::string change_text(const std::optional<std::int64_t>& change) {
    return change ? fmt::format("{:+}", *change) : "–";
}

// A published table may lack a metric altogether.
bool has(const GapReport& r, GapMetric metric) {
    return std::any_of(r.models.begin(), r.models.end(), [metric](const GapModel& model) {
        const GapPair& p = model.metrics[static_cast<std::size_t>(metric)];
        return p.first.value || p.second.value;
    });
}

Table model_table(const GapReport& r, const GapShown& shown) {
    const std::string &one = r.sets[0].name, &two = r.sets[1].name;
    const bool parts = r.source == "stores";
    std::vector<Table::Column> columns{{"model"}};
    for (const GapMetric m : gap_metrics) {
        if (!has(r, m)) continue;
        for (const std::string& set : {one, two})
            columns.push_back({fmt::format("{} {}", title_of(m), set), Align::right});
        columns.push_back({fmt::format("{} gap", title_of(m)), Align::right});
    }
    if (parts) columns.push_back({"within", Align::right});
    Table table(columns, "Models, by top-1 on " + one + " (percent)");
    const std::size_t count =
        shown.all_models ? r.models.size() : std::min(models_shown, r.models.size());
    const auto add = [&](const GapModel& model) {
        std::vector<std::string> cells{model.name};
        for (const GapMetric m : gap_metrics) {
            if (!has(r, m)) continue;
            const GapPair& p = model.metrics[static_cast<std::size_t>(m)];
            cells.push_back(percent(p.first));
            cells.push_back(percent(p.second));
            cells.push_back(percent(p.gap, true, true));
        }
        if (parts) cells.push_back(percent(model.decomposition.within, false, true));
        table.add(std::move(cells));
    };
    for (std::size_t i = 0; i < count; ++i) add(r.models[i]);
    bool ruled = false;
    for (const std::size_t i : r.marked) {
        if (i < count) continue;
        if (!ruled) table.rule();
        ruled = true;
        add(r.models[i]);
    }
    if (count < r.models.size())
        table.footer(
            fmt::format("the first {} of {}; --all shows every model, --csv and --json hold them",
                        count, r.models.size()));
    if (parts) table.footer("within: the top-1 gap at equal label counts.");
    return table;
}

Table rank_table(const GapReport& r, std::size_t set) {
    Table table({{"model"},
                 {"ASMA %", Align::right},
                 {"rank", Align::right},
                 {"by top-1", Align::right},
                 {"change", Align::right},
                 {"rank on " + r.sets[1 - set].name, Align::right}},
                fmt::format("Best {} by ASMA on {}", r.best[set].size(), r.sets[set].name));
    for (const std::size_t i : r.best[set]) {
        const GapModel& model = r.models[i];
        table.add({model.name, percent(side(model.metrics[2], set), true),
                   rank_text(model.ranks[2][set]), rank_text(model.ranks[0][set]),
                   change_text(model.rank_change[set]), rank_text(model.ranks[2][1 - set])});
    }
    table.footer(
        "Equal values share the smaller rank (1, 2, 2, 4); change: rank by top-1 minus rank by "
        "ASMA.");
    return table;
}

std::string correlation(const GapValue& v) {
    if (!v.value) return "–";
    if (!v.interval) return fmt::format("{:.4f}", *v.value);
    return fmt::format(
        "{} ({})", number_text(*v.value, half_of(v), Unit::number),
        fmt::format("{} – {}", number_text(v.interval->low, half_of(v), Unit::number),
                    number_text(v.interval->high, half_of(v), Unit::number)));
}

Table order_table(const GapReport& r) {
    Table table({{"orders"},
                 {""},
                 {"Kendall tau-b", Align::right},
                 {"Spearman rho", Align::right},
                 {"models", Align::right}},
                "How far two orders of the models agree");
    std::set<std::string> said;
    for (const GapOrder& o : r.orders) {
        const auto end = [&](GapMetric m, int set) {
            return fmt::format("{} {}", title_of(m), r.sets[static_cast<std::size_t>(set)].name);
        };
        table.add({end(o.a, o.a_set), end(o.b, o.b_set), correlation(o.kendall),
                   correlation(o.spearman), std::to_string(o.kendall.models)});
        const std::string& reason = o.kendall.value ? o.kendall.no_interval : o.kendall.undefined;
        if (!reason.empty() && said.insert(reason).second)
            table.footer((o.kendall.value ? "no interval: " : "") + reason);
    }
    return table;
}

Table box_table(const GapReport& r) {
    std::vector<Table::Column> columns{{"labels", Align::right}, {"data set"}};
    for (const char* name :
         {"low whisker", "quartile", "median", "quartile", "high whisker", "outliers"})
        columns.push_back({name, Align::right});
    for (const std::size_t i : r.marked) columns.push_back({r.models[i].name, Align::right});
    Table table(columns, "Agreement by label count, over the models (percent)");
    const auto text = [](double x) { return fmt::format("{:.2f}", 100 * x); };
    for (const GapBox& b : r.boxes) {
        std::vector<std::string> cells{std::to_string(b.labels),
                                       r.sets[static_cast<std::size_t>(b.set)].name};
        if (b.box) {
            for (const double x : {b.box->low_whisker, b.box->lower_quartile, b.box->median,
                                   b.box->upper_quartile, b.box->high_whisker})
                cells.push_back(text(x));
            cells.push_back(std::to_string(b.box->outliers.size()));
        } else {
            cells.resize(cells.size() + 6, "–");
        }
        for (const std::size_t i : r.marked)
            cells.push_back(b.points[i] ? text(*b.points[i]) : "–");
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace

std::string gap_text(const GapReport& report, const GapShown& shown) {
    std::string text;
    const auto append = [&](const Table& table) {
        text += (text.empty() ? "" : "\n") + table.text(shown.colour, shown.width);
    };
    append(average_table(report));
    if (report.source == "stores") {
        append(histogram_table(report));
        append(decomposition_table(report));
    }
    if (!report.average.subgroups.empty() && report.source == "stores")
        append(subgroup_table(report));
    append(model_table(report, shown));
    for (std::size_t set = 0; set < 2; ++set) {
        if (report.models.size() > 1 && !report.best[set].empty()) append(rank_table(report, set));
    }
    append(order_table(report));
    if (!report.boxes.empty() && report.models.size() > 1) append(box_table(report));
    return text;
}

std::string gap_csv(const GapReport& report) {
    std::vector<Table::Column> columns{{"model"}};
    const auto pair_columns = [&](const std::string& name) {
        for (const char* ending : {"_v1", "_v2", "_gap"}) {
            for (const char* part : {"", "_low", "_high"})
                columns.push_back({name + ending + part});
        }
    };
    for (const GapMetric m : gap_metrics) pair_columns(std::string(name_of(m)));
    for (const char* name : {"composition", "within"}) {
        for (const char* part : {"", "_low", "_high"})
            columns.push_back({name + std::string(part)});
    }
    for (const GapMetric m : gap_metrics) {
        for (const char* set : {"_rank_v1", "_rank_v2"})
            columns.push_back({std::string(name_of(m)) + set});
    }
    for (const char* name : {"rank_change_v1", "rank_change_v2", "not_scored_v1", "not_scored_v2"})
        columns.push_back({name});
    for (const std::uint32_t g : report.subgroups) pair_columns(fmt::format("subgroup{}", g));
    Table table(columns);
    const auto exact = [](const std::optional<double>& x) {
        return x ? fmt::format("{}", *x) : std::string();
    };
    for (const GapModel& model : report.models) {
        std::vector<std::string> cells{model.name};
        const auto add = [&](const GapValue& v) {
            cells.push_back(exact(v.value));
            cells.push_back(v.interval ? exact(v.interval->low) : "");
            cells.push_back(v.interval ? exact(v.interval->high) : "");
        };
        const auto add_pair = [&](const GapPair& p) {
            add(p.first);
            add(p.second);
            add(p.gap);
        };
        for (const GapPair& p : model.metrics) add_pair(p);
        add(model.decomposition.composition);
        add(model.decomposition.within);
        for (const auto& metric : model.ranks) {
            for (const GapRank& rank : metric)
                cells.push_back(rank.rank > 0 ? std::to_string(rank.rank) : "");
        }
        for (const auto& change : model.rank_change)
            cells.push_back(change ? std::to_string(*change) : "");
        for (const std::uint64_t n : model.not_scored) cells.push_back(std::to_string(n));
        for (const GapSubgroup& s : model.subgroups) add_pair(s.agreement);
        table.add(std::move(cells));
    }
    return table.csv();
}

}  // namespace assay::cli
