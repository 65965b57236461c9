// Plans and results of runs, to read.
#include <fmt/format.h>

#include <algorithm>

#include "assay/quality/quba.h"
#include "assay/quality/run.h"
#include "core/text.h"

namespace assay::quality {
namespace {

using nlohmann::json;

std::string missing_text(const MissingDimension& missing) {
    return fmt::format("{}{}: {}", facts_of(missing.dimension).title,
                       missing.model.empty() ? "" : " of " + missing.model, missing.why);
}

/// The models of which every dimension is there, as a selector of rows; "": none.
std::string whole_rows(const QualityTable& table) {
    std::string rows;
    for (std::size_t m = 0; m < table.models.size(); ++m) {
        const bool whole = std::ranges::all_of(
            table.models[m].cells, [](const QualityCell& cell) { return cell.value.has_value(); });
        if (whole) rows += fmt::format("{}{}", rows.empty() ? "rows=" : ",", m + 1);
    }
    return rows;
}

/// The parts of many models are more than a person reads: they are in the file.
void shorten(Report& report, const QualityRunResult& result) {
    constexpr std::size_t most_models = 2;
    if (result.measured.models.size() <= most_models) return;
    for (Section& section : report.sections) {
        const auto gone = std::erase_if(section.blocks, [](const Block& block) {
            const Table* const table = std::get_if<Table>(&block);
            return table != nullptr && table->title == "Parts";
        });
        if (gone > 0) {
            section.blocks.emplace_back(
                "Parts of the dimensions, with their intervals: " + result.table.string() + ".");
        }
    }
}

Table fault_table(const std::vector<CheckedPair>& pairs) {
    Table table{.title = "What assay check found",
                .columns = {{"model", false}, {"finding", false}, {"", false}, {"advice", false}},
                .rows = {},
                .notes = {}};
    for (const CheckedPair& pair : pairs) {
        for (const Finding& finding : pair.findings) {
            if (finding.severity != Finding::Severity::error &&
                finding.severity != Finding::Severity::warning)
                continue;
            table.add({pair.model, std::string(name_of(finding.severity)), finding.title,
                       finding.advice});
        }
    }
    return table;
}

json findings_json(const std::vector<CheckedPair>& pairs) {
    json out = json::array();
    for (const CheckedPair& pair : pairs) {
        for (const Finding& finding : pair.findings) {
            if (finding.severity != Finding::Severity::error &&
                finding.severity != Finding::Severity::warning)
                continue;
            out.push_back({{"model", pair.model},
                           {"dataset", pair.dataset},
                           {"severity", name_of(finding.severity)},
                           {"id", finding.id},
                           {"title", finding.title},
                           {"detail", finding.detail},
                           {"advice", finding.advice}});
        }
    }
    return out;
}

/// QUBA of the models that have all dimensions.
void add_scores(Report& report, const QualityTable& table, double level) {
    const std::string rows = whole_rows(table);
    if (rows.empty()) return;
    QubaOptions how;
    how.where = {rows};
    how.level = level;
    Report scored = report_of(score_quality(table, how));
    for (Section& section : scored.sections) report.sections.push_back(std::move(section));
    if (!scored.warnings.empty()) {
        report.sections.push_back(
            {.title = "",
             .blocks = {std::string("Places among the 326 compare values that were measured in "
                                    "other ways: see what differs above.")},
             .sections = {}});
    }
    report.result["score"] = std::move(scored.result);
}

}  // namespace

Report report_of(const QualityPlan& plan) {
    Report report;
    report.title = "What would be done";
    Table table{.title = "",
                .columns = {{"step", false},
                            {"data set", false},
                            {"model", false},
                            {"images"},
                            {"passes"},
                            {"done %"},
                            {"about s"}},
                .rows = {},
                .notes = {}};
    json steps = json::array();
    for (const QualityStep& step : plan.steps) {
        table.add({step.name, step.dataset, step.model.empty() ? std::string("all") : step.model,
                   Count{step.images}, Count{step.passes},
                   Number{.value = step.done, .unit = Unit::proportion, .digits = 0},
                   Number{.value = step.seconds, .digits = step.seconds < 10 ? 1 : 0}});
        steps.push_back({{"step", step.name},
                         {"dataset", step.dataset},
                         {"model", step.model},
                         {"images", step.images},
                         {"passes", step.passes},
                         {"done", step.done},
                         {"seconds", step.seconds}});
    }
    table.notes = {
        fmt::format("About {:.0f} s with {}, by a probe of a batch of each model; reading "
                    "the stores at the end is not in it.",
                    plan.seconds, how_many(static_cast<std::uint64_t>(plan.threads), "thread")),
        "Passes of an image through a network; one with a gradient counts as three."};
    json missing = json::array();
    for (const MissingDimension& one : plan.missing) {
        table.notes.push_back("Missing: " + missing_text(one) + ".");
        missing.push_back(
            {{"dimension", facts_of(one.dimension).name}, {"model", one.model}, {"why", one.why}});
    }
    for (const std::string& note : plan.notes) table.notes.push_back(note + ".");
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {{"schema", "assay.quality_plan/1"}, {"threads", plan.threads},
                     {"seconds", plan.seconds},          {"steps", std::move(steps)},
                     {"missing", std::move(missing)},    {"notes", plan.notes}};
    return report;
}

Report report_of(const QualityRunResult& result) {
    Report report = report_of(result.measured);
    shorten(report, result);
    if (Table faults = fault_table(result.findings); !faults.rows.empty())
        report.sections.push_back({.title = "", .blocks = {std::move(faults)}, .sections = {}});
    add_scores(report, result.measured.table, result.measured.options.level);
    report.result["findings"] = findings_json(result.findings);
    report.warnings.insert(report.warnings.end(), result.warnings.begin(), result.warnings.end());
    report.partial |= result.partial;
    return report;
}

}  // namespace assay::quality
