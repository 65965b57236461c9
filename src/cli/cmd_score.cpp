// assay score: kept scores -> metrics with intervals.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scoring.h"
#include "cli/table.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay score runs
assay score runs/val/resnet50 --per-class
assay score runs --metrics top1,ece:bins=20,ace --json
assay score runs/val --labels real.json --metrics real
assay score runs/imagenet-r --class-map imagenet-r
assay score runs/val/resnet50 --gate "low(top1) >= 0.75" --gate "ece <= 0.05"
)";

std::string class_name(const ScoreReport& report, std::int32_t c) {
    return c < 0 ? "(no target)" : report.per_class.at(static_cast<std::size_t>(c)).name;
}

void add_notes(Table& table, const ScoreReport& report) {
    for (const Measurement& m : report.measurements) {
        if (!m.value) table.footer(fmt::format("{}: undefined: {}", metric_text(m.key), m.undefined));
        if (m.calibrated_null) {
            table.footer(fmt::format("{}: {:.3g} if the classifier were calibrated (mean of {} draws); p = {:.2g}",
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
    std::string title = fmt::format("{} on {}: {} items", report.model, report.dataset, count_text(c.items));
    if (c.partial()) {
        title +=
            fmt::format(", {} without scores ({} unreadable, {} not finite, {} missing)",
                        count_text(c.unreadable + c.not_finite + c.missing), c.unreadable, c.not_finite, c.missing);
    }
    if (!report.map.empty()) title += fmt::format(", asked over {}", report.map);
    const bool groups = std::any_of(report.measurements.begin(), report.measurements.end(),
                                    [](const Measurement& m) { return !m.key.subgroup.empty(); });
    std::vector<Table::Column> columns{
        {"metric"}, {"value", Align::right}, {"interval", Align::right}, {"n", Align::right}, {"definition"}};
    if (groups) columns.insert(columns.begin(), {"items"});
    Table table(columns, title);
    std::string last;
    for (const Measurement& m : report.measurements) {
        const bool percent = in_percent(m.key.metric);
        std::vector<std::string> cells{metric_text(m.key) + (percent ? " %" : ""), value_text(m),
                                       interval_text(m.interval, percent), count_text(m.n), m.key.definition};
        if (groups) cells.insert(cells.begin(), m.key.subgroup.empty() ? "all" : m.key.subgroup);
        if (m.key.subgroup != last) table.rule();
        last = m.key.subgroup;
        table.add(std::move(cells));
    }
    add_notes(table, report);
    return table;
}

// Items that entered: one number, or the fewest and the most when the metrics differ (label sets, unlabelled items).
std::string items_text(const ScoreReport& report) {
    std::uint64_t fewest = UINT64_MAX;
    std::uint64_t most = 0;
    for (const Measurement& m : report.measurements) {
        if (!m.key.subgroup.empty()) continue;
        fewest = std::min(fewest, m.n);
        most = std::max(most, m.n);
    }
    return fewest >= most ? count_text(most) : count_text(fewest) + " – " + count_text(most);
}

// Several stores of one data set: a model a line.
Table league_table(const std::vector<const ScoreReport*>& reports) {
    std::vector<Table::Column> columns{{"model"}};
    for (const Measurement& m : reports[0]->measurements) {
        if (m.key.subgroup.empty())
            columns.push_back({metric_text(m.key) + (in_percent(m.key.metric) ? " %" : ""), Align::right});
    }
    columns.push_back({"n", Align::right});
    Table table(columns, reports[0]->dataset);
    for (const ScoreReport* report : reports) {
        std::vector<std::string> cells{report->model};
        for (const Measurement& m : report->measurements) {
            if (m.key.subgroup.empty()) cells.push_back(value_text(m));
        }
        cells.push_back(items_text(*report));
        table.add(std::move(cells));
    }
    table.footer(
        "± is half of the interval; `assay score STORE` shows one model with intervals, definitions and notes.");
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
                   c.accuracy ? number_text(*c.accuracy, half, true) : "–", interval_text(c.interval, true),
                   c.confidence ? number_text(*c.confidence, 0.01, true) : "", c.accuracy ? bar(*c.accuracy, 12) : ""});
    }
    return table;
}

Table confusion_table(const ScoreReport& report) {
    Table table({{"truth"}, {"answered"}, {"count", Align::right}, {"of the class", Align::right}},
                fmt::format("{} on {}: most frequent confusions", report.model, report.dataset));
    for (const Confusion& c : report.confusions) {
        const auto n = report.per_class.at(static_cast<std::size_t>(c.truth)).n;
        table.add({class_name(report, c.truth), class_name(report, c.predicted), count_text(c.count),
                   fmt::format("{:.1f} %", 100.0 * static_cast<double>(c.count) / static_cast<double>(n))});
    }
    return table;
}

std::string exact(double x) {
    return fmt::format("{}", x);
}  // shortest text that reads back the same

Table measurement_csv(const std::vector<ScoreReport>& reports) {
    Table table({{"model"},
                 {"dataset"},
                 {"subgroup"},
                 {"metric"},
                 {"definition"},
                 {"parameters"},
                 {"value"},
                 {"low"},
                 {"high"},
                 {"level"},
                 {"method"},
                 {"n"},
                 {"left_out"},
                 {"undefined"},
                 {"note"}});
    for (const ScoreReport& report : reports) {
        for (const Measurement& m : report.measurements) {
            std::string parameters;
            for (const auto& [key, value] : m.key.parameters)
                parameters += (parameters.empty() ? "" : " ") + key + "=" + value;
            table.add({m.key.model, m.key.dataset, m.key.subgroup, m.key.metric, m.key.definition, parameters,
                       m.value ? exact(*m.value) : "", m.interval ? exact(m.interval->low) : "",
                       m.interval ? exact(m.interval->high) : "", m.interval ? exact(m.interval->level) : "",
                       m.interval ? m.interval->method : "", std::to_string(m.n), std::to_string(m.left_out),
                       m.undefined, m.note});
        }
    }
    return table;
}

Table class_csv(const std::vector<ScoreReport>& reports) {
    Table table({{"model"},
                 {"dataset"},
                 {"class"},
                 {"name"},
                 {"n"},
                 {"correct"},
                 {"accuracy"},
                 {"low"},
                 {"high"},
                 {"confidence"},
                 {"target_probability"}});
    for (const ScoreReport& report : reports) {
        for (const ClassResult& c : report.per_class) {
            table.add({report.model, report.dataset, c.id, c.name, std::to_string(c.n), std::to_string(c.correct),
                       c.accuracy ? exact(*c.accuracy) : "", c.interval ? exact(c.interval->low) : "",
                       c.interval ? exact(c.interval->high) : "", c.confidence ? exact(*c.confidence) : "",
                       c.target_probability ? exact(*c.target_probability) : ""});
        }
    }
    return table;
}

struct Shown {
    bool per_class = false;
    std::size_t confusions = 0;
};

json as_json(const std::vector<ScoreReport>& reports, const std::vector<GateResult>& gates, const Shown& shown) {
    json out = {{"schema", "assay.scores/1"},
                {"measurements", json::array()},
                {"stores", json::array()},
                {"gates", json::array()}};
    for (const ScoreReport& report : reports) {
        json store = to_json(report);
        for (auto& m : store.at("measurements")) out["measurements"].push_back(std::move(m));
        store.erase("measurements");
        if (!shown.per_class) store.erase("per_class");
        if (shown.confusions == 0) store.erase("confusions");
        out["stores"].push_back(std::move(store));
    }
    for (const GateResult& gate : gates) out["gates"].push_back(to_json(gate));
    return out;
}

std::string as_text(const std::vector<ScoreReport>& reports, const std::vector<GateResult>& gates, const Shown& shown,
                    bool colour) {
    std::string text;
    const auto append = [&](const Table& table) { text += (text.empty() ? "" : "\n") + table.text(colour); };
    std::map<std::string, std::vector<const ScoreReport*>> by_dataset;
    for (const ScoreReport& report : reports) by_dataset[report.dataset].push_back(&report);
    for (const auto& [dataset, list] : by_dataset) {
        const bool groups = std::any_of(list[0]->measurements.begin(), list[0]->measurements.end(),
                                        [](const Measurement& m) { return !m.key.subgroup.empty(); });
        if (list.size() > 1 && !groups) {
            text += (text.empty() ? "" : "\n") + league_table(list).text(colour, stdout_width());
        } else {
            for (const ScoreReport* report : list) append(store_table(*report));
        }
    }
    for (const ScoreReport& report : reports) {
        if (shown.per_class) append(class_table(report));
        if (shown.confusions > 0) append(confusion_table(report));
    }
    return text + gates_text(gates, colour);
}

}  // namespace

int cmd_score(std::vector<std::string> words) {
    auto app =
        make_app("score",
                 "Compute metrics, each with its interval and definition, from kept scores. `assay list metrics` shows "
                 "them all. Status 1: a gate is broken; 3: some items have no scores.",
                 examples);
    std::vector<std::string> paths;
    std::string subgroup;
    ScoringFlags flags;
    Shown shown;
    Output output;
    app->add_option("path", paths, "RUNS folder, one of its data sets, or one store")->required()->type_name("PATH");
    app->add_option("--subgroup", subgroup, "Every metric again for each value of this attribute of the data set")
        ->type_name("ATTR");
    app->add_flag("--per-class", shown.per_class, "A line for every class (with --csv: instead of the metrics)");
    app->add_option("--confusion", shown.confusions, "The N most frequent confusions")->type_name("N");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(words))) return Status::done;

    const std::vector<Gate> gates = flags.gates();
    std::vector<ScoreReport> reports;
    std::vector<GateResult> judged;
    const auto comm = self_comm();
    for (const std::string& path : paths) {
        for (const auto& folder : find_stores(path)) {
            with_note("scoring `" + folder.string() + "`", [&] {
                const PredictionStore store = PredictionStore::open(folder);
                ScoreOptions options = flags.options_for(store);
                options.subgroup = subgroup;
                options.confusions = shown.confusions;
                reports.push_back(score_store(store, options, *comm));
            });
            for (const Gate& gate : gates) judged.push_back(check_gate(gate, reports.back().measurements));
            for (const auto& text : reports.back().warnings) warn(reports.back().model + ": " + text);
        }
    }
    if (output.json) {
        output.write(as_json(reports, judged, shown).dump(2) + "\n");
    } else if (output.csv) {
        output.write((shown.per_class ? class_csv(reports) : measurement_csv(reports)).csv());
    } else {
        output.write(as_text(reports, judged, shown, output.file.empty() && stdout_is_terminal()));
    }
    if (std::any_of(reports.begin(), reports.end(), [](const ScoreReport& r) { return r.counts.partial(); }))
        return Status::partial;
    return all_passed(judged) ? Status::done : Status::gate_broken;
}

}  // namespace assay::cli
