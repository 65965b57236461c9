// `assay score` for people.
#include "cli/score_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/progress.h"
#include "cli/scoring.h"

namespace assay::cli {
namespace {

std::string class_name(const ScoreReport& report, std::int32_t c) {
    return c < 0 ? "(no target)" : report.per_class.at(static_cast<std::size_t>(c)).name;
}

// Values by label count have a table of their own.
bool by_label_count(const Measurement& m) {
    return m.key.metric == "subgroup_accuracy";
}

void add_notes(Table& table, const ScoreReport& report) {
    for (const Measurement& m : report.measurements) {
        if (!m.value)
            table.footer(fmt::format("{}: undefined: {}", metric_text(m.key), m.undefined));
        if (m.calibrated_null) {
            table.footer(fmt::format(
                "{}: {:.3g} if the classifier were calibrated (mean of {} draws); p = {:.2g}",
                metric_text(m.key), m.calibrated_null->mean, m.calibrated_null->draws,
                m.calibrated_null->p));
        }
        if (m.value && !m.note.empty() && m.key.subgroup.empty())
            table.footer(fmt::format("{}: {}", metric_text(m.key), m.note));
    }
}

// One store: a metric a line.
Table store_table(const ScoreReport& report) {
    const ScoreCounts& c = report.counts;
    std::string title =
        fmt::format("{} on {}: {} items", report.model, report.dataset, count_text(c.items));
    if (c.partial()) {
        title += fmt::format(", {} without scores ({} unreadable, {} not finite, {} missing)",
                             count_text(c.unreadable + c.not_finite + c.missing), c.unreadable,
                             c.not_finite, c.missing);
    }
    if (!report.map.empty()) title += fmt::format(", asked over {}", report.map);
    const bool groups = std::any_of(report.measurements.begin(), report.measurements.end(),
                                    [](const Measurement& m) { return !m.key.subgroup.empty(); });
    std::vector<Table::Column> columns{{"metric"},
                                       {"value", Align::right},
                                       {"interval", Align::right},
                                       {"n", Align::right},
                                       {"definition"}};
    if (groups) columns.insert(columns.begin(), {"items"});
    Table table(columns, title);
    std::string last;
    for (const Measurement& m : report.measurements) {
        if (by_label_count(m)) continue;
        const bool percent = in_percent(m.key.metric);
        std::vector<std::string> cells{metric_text(m.key) + (percent ? " %" : ""), value_text(m),
                                       interval_text(m.interval, percent), count_text(m.n),
                                       m.key.definition};
        if (groups) cells.insert(cells.begin(), m.key.subgroup.empty() ? "all" : m.key.subgroup);
        if (m.key.subgroup != last) table.rule();
        last = m.key.subgroup;
        table.add(std::move(cells));
    }
    add_notes(table, report);
    return table;
}

// Items that entered: one number, or the fewest and the most when the metrics differ (label sets,
// unlabelled items).
std::string items_text(const ScoreReport& report) {
    std::uint64_t fewest = UINT64_MAX;
    std::uint64_t most = 0;
    for (const Measurement& m : report.measurements) {
        if (!m.key.subgroup.empty() || by_label_count(m)) continue;
        fewest = std::min(fewest, m.n);
        most = std::max(most, m.n);
    }
    return fewest >= most ? count_text(most) : count_text(fewest) + " – " + count_text(most);
}

// Several stores of one data set: a model a line.
Table league_table(const std::vector<const ScoreReport*>& reports) {
    std::vector<Table::Column> columns{{"model"}};
    for (const Measurement& m : reports[0]->measurements) {
        if (m.key.subgroup.empty() && !by_label_count(m))
            columns.push_back(
                {metric_text(m.key) + (in_percent(m.key.metric) ? " %" : ""), Align::right});
    }
    columns.push_back({"n", Align::right});
    Table table(columns, reports[0]->dataset);
    for (const ScoreReport* report : reports) {
        std::vector<std::string> cells{report->model};
        for (const Measurement& m : report->measurements) {
            if (m.key.subgroup.empty() && !by_label_count(m)) cells.push_back(value_text(m));
        }
        cells.push_back(items_text(*report));
        table.add(std::move(cells));
    }
    table.footer(
        "± is half of the interval; `assay score STORE` shows one model with intervals, "
        "definitions and notes.");
    return table;
}

std::vector<std::string> subgroup_definitions(const ScoreReport& report) {
    std::vector<std::string> list;
    for (const Measurement& m : report.measurements) {
        if (by_label_count(m) &&
            std::find(list.begin(), list.end(), m.key.definition) == list.end())
            list.push_back(m.key.definition);
    }
    return list;
}

// A label count a line.
Table label_count_table(const ScoreReport& report, const std::string& definition) {
    std::vector<Table::Column> columns{{"labels", Align::right},
                                       {"n", Align::right},
                                       {"accuracy %", Align::right},
                                       {"interval", Align::right},
                                       {""}};
    const bool groups = std::any_of(report.measurements.begin(), report.measurements.end(),
                                    [](const Measurement& m) { return !m.key.subgroup.empty(); });
    if (groups) columns.insert(columns.begin(), {"items"});
    Table table(columns, fmt::format("{} on {}: by label count ({})", report.model, report.dataset,
                                     definition));
    std::string last;
    for (const Measurement& m : report.measurements) {
        if (!by_label_count(m) || m.key.definition != definition) continue;
        std::vector<std::string> cells{m.key.parameters.at("g"), count_text(m.n), value_text(m),
                                       interval_text(m.interval, true),
                                       m.value ? bar(*m.value, 12) : ""};
        if (groups) cells.insert(cells.begin(), m.key.subgroup.empty() ? "all" : m.key.subgroup);
        if (m.key.subgroup != last) table.rule();
        last = m.key.subgroup;
        table.add(std::move(cells));
    }
    if (!report.label_counts.empty() && report.label_counts[0] > 0)
        table.footer(fmt::format("{} items have no valid label and are left out",
                                 count_text(report.label_counts[0])));
    return table;
}

// Several stores: a model a line, a label count a column.
Table label_count_league(const std::vector<const ScoreReport*>& reports,
                         const std::string& definition) {
    const auto chosen = [&](const Measurement& m) {
        return by_label_count(m) && m.key.definition == definition && m.key.subgroup.empty();
    };
    std::vector<int> counts;
    for (const ScoreReport* report : reports) {
        for (const Measurement& m : report->measurements) {
            if (chosen(m)) counts.push_back(std::stoi(m.key.parameters.at("g")));
        }
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    std::vector<Table::Column> columns{{"model"}};
    for (const int g : counts)
        columns.push_back({fmt::format("{} label{} %", g, g == 1 ? "" : "s"), Align::right});
    Table table(columns, fmt::format("{}: by label count ({})", reports[0]->dataset, definition));
    for (const ScoreReport* report : reports) {
        std::vector<std::string> cells{report->model};
        for (const int g : counts) {
            std::string cell = "–";
            for (const Measurement& m : report->measurements) {
                if (chosen(m) && m.key.parameters.at("g") == std::to_string(g))
                    cell = value_text(m);
            }
            cells.push_back(cell);
        }
        table.add(std::move(cells));
    }
    std::string items;
    const auto& sizes = reports[0]->label_counts;
    for (const int g : counts) {
        const auto at = static_cast<std::size_t>(g);
        items += fmt::format("{}{}: {}", items.empty() ? "" : ", ", g,
                             at < sizes.size() ? count_text(sizes[at]) : "0");
    }
    table.footer("items by label count, in " + reports[0]->model + "'s store: " + items);
    return table;
}

Table class_table(const ScoreReport& report) {
    Table table({{"class"},
                 {"name"},
                 {"n", Align::right},
                 {"right", Align::right},
                 {"accuracy %", Align::right},
                 {"interval", Align::right},
                 {"confidence %", Align::right},
                 {""}},
                fmt::format("{} on {}: classes", report.model, report.dataset));
    for (const ClassResult& c : report.per_class) {
        const double half = c.interval ? (c.interval->high - c.interval->low) / 2 : 0;
        table.add({c.id, c.name == c.id ? "" : c.name, count_text(c.n), count_text(c.correct),
                   c.accuracy ? number_text(*c.accuracy, half, true) : "–",
                   interval_text(c.interval, true),
                   c.confidence ? number_text(*c.confidence, 0.01, true) : "",
                   c.accuracy ? bar(*c.accuracy, 12) : ""});
    }
    return table;
}

Table confusion_table(const ScoreReport& report) {
    Table table({{"truth"}, {"answered"}, {"count", Align::right}, {"of the class", Align::right}},
                fmt::format("{} on {}: most frequent confusions", report.model, report.dataset));
    for (const Confusion& c : report.confusions) {
        const auto n = report.per_class.at(static_cast<std::size_t>(c.truth)).n;
        table.add({class_name(report, c.truth), class_name(report, c.predicted),
                   count_text(c.count),
                   fmt::format("{:.1f} %",
                               100.0 * static_cast<double>(c.count) / static_cast<double>(n))});
    }
    return table;
}

}  // namespace

std::string reports_text(const std::vector<ScoreReport>& reports, const Shown& shown, bool colour) {
    std::string text;
    const auto append = [&](const Table& table) {
        text += (text.empty() ? "" : "\n") + table.text(colour);
    };
    std::map<std::string, std::vector<const ScoreReport*>> by_dataset;
    for (const ScoreReport& report : reports) by_dataset[report.dataset].push_back(&report);
    for (const auto& [dataset, list] : by_dataset) {
        const bool groups =
            std::any_of(list[0]->measurements.begin(), list[0]->measurements.end(),
                        [](const Measurement& m) { return !m.key.subgroup.empty(); });
        if (list.size() > 1 && !groups) {
            text += (text.empty() ? "" : "\n") + league_table(list).text(colour, stdout_width());
            for (const auto& id : subgroup_definitions(*list[0]))
                text += "\n" + label_count_league(list, id).text(colour, stdout_width());
        } else {
            for (const ScoreReport* report : list) {
                append(store_table(*report));
                for (const auto& id : subgroup_definitions(*report))
                    append(label_count_table(*report, id));
            }
        }
    }
    for (const ScoreReport& report : reports) {
        if (shown.per_class) append(class_table(report));
        if (shown.confusions > 0) append(confusion_table(report));
    }
    return text;
}

Table across_table(const std::vector<AcrossResult>& results) {
    const bool groups = std::any_of(results.begin(), results.end(), [](const AcrossResult& r) {
        return !r.mean.key.subgroup.empty();
    });
    std::vector<Table::Column> columns{{"model"},
                                       {"metric"},
                                       {"mean", Align::right},
                                       {"interval", Align::right},
                                       {"deviation", Align::right},
                                       {"least", Align::right},
                                       {"greatest", Align::right},
                                       {"data sets", Align::right},
                                       {"definition"}};
    if (groups) columns.insert(columns.begin() + 1, {"items"});
    Table table(columns,
                results.empty() ? "" : "means over the data sets " + results[0].mean.key.dataset);
    std::string last;
    for (const AcrossResult& r : results) {
        const Measurement& m = r.mean;
        const bool percent = in_percent(m.key.metric), first = m.key.model != last;
        if (first && !last.empty()) table.rule();
        last = m.key.model;
        const double spread = r.deviation.value_or(0);
        const auto number = [&](double x) {
            return m.value ? number_text(x, spread, percent) : "";
        };
        std::vector<std::string> cells{first ? m.key.model : "",
                                       metric_text(m.key) + (percent ? " %" : ""),
                                       value_text(m),
                                       interval_text(m.interval, percent),
                                       r.deviation ? number(*r.deviation) : "",
                                       number(r.low),
                                       number(r.high),
                                       std::to_string(r.datasets.size()),
                                       m.key.definition};
        if (groups)
            cells.insert(cells.begin() + 1, m.key.subgroup.empty() ? "all" : m.key.subgroup);
        table.add(std::move(cells));
    }
    for (const AcrossResult& r : results) {
        if (!r.mean.value)
            table.footer(fmt::format("{}: {}: undefined: {}", r.mean.key.model,
                                     metric_text(r.mean.key), r.mean.undefined));
    }
    table.footer(
        "the interval takes the data sets as a sample of such sets (Student's t): it does not hold "
        "what they share, "
        "such "
        "as the images they are cut from");
    return table;
}

}  // namespace assay::cli
