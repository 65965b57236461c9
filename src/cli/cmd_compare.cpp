// assay compare: models on the same images, paired; gates for a release.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scoring.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay compare runs/val/resnet50 runs/val/resnet50-v2
assay compare runs/val/a runs/val/b runs/val/c --metrics top1,nll,ece
assay compare runs/val/old runs/val/new --gate "top1.delta >= -0.005" --gate "high(ece.delta) <= 0.01"
assay compare runs/val/old runs/val/new --disagreements 50 --json
)";

std::string class_name(const PairReport& report, std::int32_t c) {
    if (c < 0) return "(no target)";
    const auto index = static_cast<std::size_t>(c);
    return index < report.classes.size() ? report.classes.name(index) : std::to_string(c);
}

// In words, where the interval leaves no doubt about the sign.
std::string verdict(const PairedMetric& m, double level) {
    if (!m.difference || !m.p_holm || !metric_named(m.candidate.key.metric).judges) return "";
    if (*m.p_holm >= 1 - level) return "no difference shown";
    return (*m.difference > 0) == m.candidate.higher_is_better ? "better" : "worse";
}

Table pair_table(const PairReport& report, bool several) {
    const std::string size = count_text(report.items);
    std::vector<Table::Column> columns{{"metric"},
                                       {report.baseline, Align::right},
                                       {report.candidate, Align::right},
                                       {"difference", Align::right},
                                       {"interval", Align::right},
                                       {"p", Align::right}};
    if (several) columns.push_back({"p (Holm)", Align::right});
    columns.push_back({"candidate is"});
    const std::string pair =
        report.dataset == report.candidate_dataset
            ? fmt::format("{} against {} on {}", report.candidate, report.baseline, report.dataset)
            : fmt::format("{} on {} against {} on {}", report.candidate, report.candidate_dataset,
                          report.baseline, report.dataset);
    Table table(columns, fmt::format("{}: {} items in common", pair, size));
    for (const PairedMetric& m : report.metrics) {
        const bool percent = in_percent(m.candidate.key.metric);
        const double half = m.interval ? (m.interval->high - m.interval->low) / 2 : 0;
        std::string difference = m.difference ? number_text(*m.difference, half, percent) : "–";
        if (m.difference && *m.difference > 0) difference = "+" + difference;
        std::vector<std::string> cells{metric_text(m.candidate.key) + (percent ? " %" : ""),
                                       value_text(m.baseline),
                                       value_text(m.candidate),
                                       difference,
                                       interval_text(m.interval, percent),
                                       p_text(m.p)};
        if (several) cells.push_back(p_text(m.p_holm));
        cells.push_back(verdict(m, m.interval ? m.interval->level : 0.95));
        table.add(std::move(cells));
    }
    for (const PairedMetric& m : report.metrics) {
        if (!m.undefined.empty())
            table.footer(fmt::format("{}: {}", metric_text(m.candidate.key), m.undefined));
    }
    table.footer(fmt::format(
        "same answer {:.1f} %; both right {}, both wrong {}, only {} right {}, only {} right {}",
        100.0 * static_cast<double>(report.same_answer) / static_cast<double>(report.items),
        count_text(report.both_right), count_text(report.both_wrong), report.baseline,
        count_text(report.only_baseline_right), report.candidate,
        count_text(report.only_candidate_right)));
    table.footer(std::string("p: exact McNemar test for accuracies, else from the paired spread") +
                 (several ? "; `better` and `worse` after Holm's correction over the candidates, "
                            "metric by metric."
                          : "."));
    return table;
}

Table disagreement_table(const PairReport& report) {
    Table table({{"item"},
                 {"label"},
                 {report.baseline},
                 {"", Align::right},
                 {report.candidate},
                 {"", Align::right}},
                "Where they disagree, the surest first (* right)");
    for (const Disagreement& d : report.disagreements) {
        std::string labels;
        for (const std::int32_t c : d.labels)
            labels += (labels.empty() ? "" : ", ") + class_name(report, c);
        table.add({d.id, labels, class_name(report, d.baseline) + (d.baseline_right ? " *" : ""),
                   fmt::format("{:.0f} %", 100 * d.baseline_confidence),
                   class_name(report, d.candidate) + (d.candidate_right ? " *" : ""),
                   fmt::format("{:.0f} %", 100 * d.candidate_confidence)});
    }
    return table;
}

Table pair_csv(const std::vector<PairReport>& reports) {
    Table table({{"baseline"},
                 {"candidate"},
                 {"dataset"},
                 {"metric"},
                 {"definition"},
                 {"baseline_value"},
                 {"candidate_value"},
                 {"difference"},
                 {"low"},
                 {"high"},
                 {"level"},
                 {"method"},
                 {"p"},
                 {"p_holm"},
                 {"test"},
                 {"n"},
                 {"undefined"},
                 {"candidate_dataset"}});
    const auto exact = [](std::optional<double> x) {
        return x ? fmt::format("{}", *x) : std::string();
    };
    for (const PairReport& report : reports) {
        for (const PairedMetric& m : report.metrics) {
            const auto& i = m.interval;
            table.add({report.baseline, report.candidate, report.dataset, m.candidate.key.metric,
                       m.candidate.key.definition, exact(m.baseline.value),
                       exact(m.candidate.value), exact(m.difference), i ? exact(i->low) : "",
                       i ? exact(i->high) : "", i ? exact(i->level) : "", i ? i->method : "",
                       exact(m.p), exact(m.p_holm), m.test, std::to_string(m.candidate.n),
                       m.undefined, report.candidate_dataset});
        }
    }
    return table;
}

PredictionStore the_store(const std::string& path) {
    const auto found = find_stores(path);
    if (found.size() != 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format("`{}` holds {} stores; the baseline is one of them: name it, e.g. `{}`",
                        path, found.size(), found.front().string()));
    }
    return PredictionStore::open(found.front());
}

struct CompareCommand {
    std::string baseline_path;
    std::vector<std::string> paths;
    std::size_t disagreements = 10;
    ScoringFlags flags;
    Output output;

    /// False: --help was asked for, and given. Throws usage and bad_input.
    bool read(std::vector<std::string> arguments);
};

bool CompareCommand::read(std::vector<std::string> arguments) {
    auto app = make_app("compare",
                        "Compare candidates with a baseline on the images that both scored: paired "
                        "differences with intervals, "
                        "exact tests, and where they disagree. Images and classes are matched by "
                        "their ids. Status 1: a gate is "
                        "broken; 3: some items have no scores.",
                        examples);
    app->add_option("baseline", baseline_path, "Store of the baseline")
        ->required()
        ->type_name("STORE");
    app->add_option("candidates", paths, "Stores of the candidates")
        ->required()
        ->type_name("STORE");
    app->add_option("--disagreements", disagreements, "Items listed for each pair")
        ->capture_default_str()
        ->type_name("N");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return false;
    flags.check(true);
    return true;
}

}  // namespace

void check_compare_arguments(std::vector<std::string> arguments) {
    CompareCommand().read(std::move(arguments));
}

int cmd_compare(std::vector<std::string> arguments) {
    CompareCommand command;
    if (!command.read(std::move(arguments))) return Status::done;
    const ScoringFlags& flags = command.flags;
    const Output& output = command.output;

    const std::vector<Gate> gates = flags.gates();
    const PredictionStore baseline = the_store(command.baseline_path);
    std::vector<PredictionStore> stores;
    for (const std::string& path : command.paths) {
        for (const auto& folder : find_stores(path)) {
            if (folder != baseline.folder()) stores.push_back(PredictionStore::open(folder));
        }
    }
    if (stores.empty())
        throw Error(ErrorCode::usage,
                    "no candidate besides the baseline `" + command.baseline_path + "`");
    std::vector<const PredictionStore*> candidates;
    for (const PredictionStore& store : stores) candidates.push_back(&store);

    CompareOptions options;
    options.score = flags.options_for(baseline);
    warn_of_unnamed(options.score.unnamed, baseline.rows(), flags.labels());
    options.disagreements = command.disagreements;
    const auto reports = compare_stores(baseline, candidates, options, *self_comm());

    std::vector<GateResult> judged;
    bool partial = false;
    for (const PairReport& report : reports) {
        for (const Gate& gate : gates) judged.push_back(check_gate(gate, report));
        for (const auto& text : report.warnings) warn(text);
        partial = partial || report.not_scored > 0;
    }
    if (output.json) {
        json out = {
            {"schema", "assay.comparisons/1"}, {"pairs", json::array()}, {"gates", json::array()}};
        for (const PairReport& report : reports) out["pairs"].push_back(to_json(report));
        for (const GateResult& gate : judged) out["gates"].push_back(to_json(gate));
        output.write(json_text(out));
    } else if (output.csv) {
        output.write(pair_csv(reports).csv());
    } else {
        const bool colour = output.to_stdout() && stdout_is_terminal();
        std::string text;
        for (const PairReport& report : reports) {
            text +=
                (text.empty() ? "" : "\n") + pair_table(report, reports.size() > 1).text(colour);
            if (!report.disagreements.empty())
                text += "\n" + disagreement_table(report).text(colour);
        }
        output.write(text + gates_text(judged, colour));
    }
    if (partial) return Status::partial;
    return all_passed(judged) ? Status::done : Status::gate_broken;
}

}  // namespace assay::cli
