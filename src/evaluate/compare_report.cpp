// Writes reports on comparisons, for people and as one flat table.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/evaluate/compare.h"
#include "assay/report.h"
#include "core/result_table.h"
#include "evaluate/compare_groups.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/measurement_text.h"

namespace assay {
namespace {

bool counts_clusters(const PairReport& report) {
    return std::ranges::any_of(
        report.metrics, [](const PairedMetric& m) { return m.test == "jackknife.t.clusters"; });
}

/// Describes the tests of the differences.
std::string_view tests_text(const PairReport& report) {
    if (counts_clusters(report))
        return "p: Student's t test of the paired differences between clusters";
    if (std::ranges::any_of(report.metrics,
                            [](const PairedMetric& m) { return m.test == "influence.t"; }))
        return "p: Student's t test of the weighted paired differences";
    return "p: exact McNemar test for accuracies, otherwise from the paired differences";
}

using Show = Column::Show;

std::string class_name(const PairReport& report, std::int32_t c) {
    if (c < 0) return "(no target)";
    const auto index = static_cast<std::size_t>(c);
    return index < report.classes.size() ? report.classes.name(index) : std::to_string(c);
}

Cell p_cell(const std::optional<double>& p) {
    return p ? Cell(PValue{*p}) : Cell();
}

std::string models_text(const PairReport& r) {
    return r.dataset == r.candidate_dataset
               ? fmt::format("{} against {} on {}", r.candidate, r.baseline, r.dataset)
               : fmt::format("{} on {} against {} on {}", r.candidate, r.candidate_dataset,
                             r.baseline, r.dataset);
}

/// Describes whether the two models err on the same items.
std::string consistency_text(const Estimate& kappa) {
    if (!kappa.value) return "error consistency is undefined: " + kappa.undefined;
    const double half = half_width(kappa);
    std::string text =
        "error consistency (kappa of being correct) " + number_text(*kappa.value, half, kappa.unit);
    if (kappa.interval) {
        text += fmt::format(" ({} – {})", number_text(kappa.interval->low, half, kappa.unit),
                            number_text(kappa.interval->high, half, kappa.unit));
    }
    return text + " (0: errors coincide by chance only; 1: errors on the same items)";
}

/// The family of Holm's correction for a pair, and its size.
struct HolmFamily {
    std::string_view what;
    std::ptrdiff_t size = 0;
};

HolmFamily family_of(const PairReport& report, const std::vector<PairReport>& pairs) {
    const bool derived = report.candidate_derived.any();
    const auto size = std::count_if(pairs.begin(), pairs.end(), [&](const PairReport& pair) {
        return pair.candidate_derived.any() == derived;
    });
    if (size == std::ssize(pairs)) return {"candidates", size};
    return {derived ? "candidates that are derived" : "candidates that are models", size};
}

Table differences_table(const PairReport& report, const HolmFamily& family) {
    const bool several = family.size > 1;
    Table table;
    table.title =
        fmt::format("{}: {} items in common", models_text(report), count_text(report.items));
    table.columns = {{"metric", false},
                     {report.baseline, true, Show::value_and_half},
                     {report.candidate, true, Show::value_and_half},
                     {.name = "difference", .sign = true},
                     {"interval", true, Show::interval},
                     {"p"}};
    if (several) table.columns.push_back({"p (Holm)"});
    table.columns.push_back({"candidate is", false});
    for (const PairedMetric& m : report.metrics) {
        std::vector<Cell> cells{metric_heading(m.candidate),
                                Estimate(m.baseline),
                                Estimate(m.candidate),
                                m.difference,
                                m.difference,
                                p_cell(m.p)};
        if (several) cells.push_back(p_cell(m.p_holm));
        cells.emplace_back(std::string(name_of(m.verdict)));
        table.add(std::move(cells));
    }
    for (const PairedMetric& m : report.metrics) {
        if (!m.difference.value)
            table.notes.push_back(
                fmt::format("{}: {}", metric_text(m.candidate.key), m.difference.undefined));
    }
    table.notes.insert(table.notes.end(), report.notes.begin(), report.notes.end());
    table.notes.push_back(fmt::format(
        "same prediction {:.1f} %; both correct {}, both incorrect {}, only {} correct {}, only {} "
        "correct {}",
        100.0 * static_cast<double>(report.same_prediction) / static_cast<double>(report.items),
        count_text(report.both_correct), count_text(report.both_incorrect), report.baseline,
        count_text(report.only_baseline_correct), report.candidate,
        count_text(report.only_candidate_correct)));
    table.notes.push_back(consistency_text(report.error_consistency));
    table.notes.push_back(
        std::string(tests_text(report)) +
        (several ? fmt::format("; `better` and `worse` after Holm's correction over the {}, "
                               "metric by metric.",
                               family.what)
                 : "."));
    return table;
}

Table disagreement_table(const PairReport& report) {
    Table table;
    table.title = "Where they disagree, the most confident first (* correct)";
    table.columns = {{"item", false}, {"label", false},          {report.baseline, false},
                     {"%"},           {report.candidate, false}, {"%"}};
    for (const Disagreement& d : report.disagreements) {
        std::string labels;
        for (const std::int32_t c : d.labels)
            labels += (labels.empty() ? "" : ", ") + class_name(report, c);
        table.add({d.id, labels, class_name(report, d.baseline) + (d.baseline_correct ? " *" : ""),
                   Number{d.baseline_confidence, Unit::proportion, 0},
                   class_name(report, d.candidate) + (d.candidate_correct ? " *" : ""),
                   Number{d.candidate_confidence, Unit::proportion, 0}});
    }
    return table;
}

/// Writes a row of csv.
struct ComparedRow {
    const PairReport* pair;
    const PairedMetric* metric;
};
ResultType result_type(ResultOf<ComparedRow>) {
    static constexpr auto pair = &ComparedRow::pair;
    static constexpr auto rows = describe_result<ComparedRow>(
        {.name = "ComparedRow",
         .columns = "baseline,candidate,dataset,metric=of.metric,definition=of.definition,"
                    "baseline_value=of.baseline,candidate_value=of.candidate,"
                    "difference=of.difference,low=of.difference.interval.low,"
                    "high=of.difference.interval.high,level=of.difference.interval.level,"
                    "method=of.difference.interval.method,p=of.p,p_holm=of.p_holm,test=of.test,"
                    "n=of.candidate.n,undefined=of.difference.undefined,candidate_dataset,"
                    "verdict=of.verdict,subgroup=of.candidate.subgroup"},
        {
            part<pair, &PairReport::baseline>({}),
            part<pair, &PairReport::candidate>({}),
            part<pair, &PairReport::dataset>({}),
            part<pair, &PairReport::candidate_dataset>({}),
            part({.name = "of"},
                 [](const ComparedRow& row) -> const PairedMetric& { return *row.metric; }),
        });
    return rows;
}

Table records_of(const std::vector<PairReport>& pairs) {
    Table table = result_table<ComparedRow>();
    for (const PairReport& pair : pairs) {
        for (const PairedMetric& m : pair.metrics) add_row(table, ComparedRow{&pair, &m});
        for (const ComparedByGroup& result : pair.groups) {
            for (const PairedMetric& m : result.groups) add_row(table, ComparedRow{&pair, &m});
        }
    }
    return table;
}

/// The values of one pair: they are over the items that both have, so that a model's own values
/// differ between pairs.
void add_values(Report& report, const PairReport& pair) {
    const auto add = [&](const std::string& what, const Estimate& value) {
        report.values.push_back(
            {{pair.candidate_dataset, pair.candidate + " against " + pair.baseline, what}, value});
    };
    for (const PairedMetric& m : pair.metrics) {
        const std::string name = metric_text(m.candidate.key);
        add(name, m.candidate);
        add(name + " baseline", m.baseline);
        add(name + " delta", m.difference);
    }
    for (const ComparedByGroup& result : pair.groups) {
        add(fmt::format("worst({}) delta", result.metric), result.worst);
        for (const PairedMetric& m : result.groups)
            add(fmt::format("{}[{}] delta", result.metric, m.candidate.key.subgroup), m.difference);
    }
    add("error_consistency", pair.error_consistency);
}

}  // namespace

Report report_of(const CompareResult& result) {
    Report report;
    Section& section = report.sections.emplace_back();
    for (const PairReport& pair : result.pairs) {
        const HolmFamily family = family_of(pair, result.pairs);
        section.blocks.emplace_back(differences_table(pair, family));
        for (Block& block : evaluate::compared_group_blocks(
                 pair, models_text(pair), family.size > 1 ? family.what : std::string_view()))
            section.blocks.push_back(std::move(block));
        if (!pair.disagreements.empty()) section.blocks.emplace_back(disagreement_table(pair));
    }
    for (const PairReport& pair : result.pairs) add_values(report, pair);
    report.gates = outcomes_of(result.gates);
    report.records = records_of(result.pairs);
    report.result = to_json(result);
    report.warnings = result.warnings;
    report.partial = result.partial();
    return report;
}

}  // namespace assay
