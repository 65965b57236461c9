// Reports on plans and results of runs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

std::string missing_text(const MissingDimension& missing) {
    return fmt::format("{}{}: {}", facts_of(missing.dimension).title,
                       missing.model.empty() ? "" : " of " + missing.model, missing.why);
}

/// The models that have every dimension, as a selector of rows; "" if there are none.
std::string whole_rows(const QualityTable& table) {
    std::string rows;
    for (std::size_t m = 0; m < table.models.size(); ++m) {
        const bool whole = std::ranges::all_of(
            table.models[m].cells, [](const QualityCell& cell) { return cell.value.has_value(); });
        if (whole) rows += fmt::format("{}{}", rows.empty() ? "rows=" : ",", m + 1);
    }
    return rows;
}

/// The parts of many models are too long for a person to read, so they are only in the file.
void shorten(Report& report, const QualityRunResult& result) {
    constexpr std::size_t most_models = 2;
    if (result.measured.models.size() <= most_models) return;
    for (Section& section : report.sections) {
        const auto gone = std::erase_if(section.blocks, [](const Block& block) {
            const Table* const table = std::get_if<Table>(&block);
            return table != nullptr && table->title == "Parts";
        });
        if (gone > 0) {
            section.blocks.emplace_back("Measurements behind the dimensions, with intervals: " +
                                        result.table.string() + ".");
        }
    }
}

Table fault_table(const std::vector<CheckedPair>& pairs) {
    Table table{.title = "Findings of assay check",
                .columns = {{"model", false}, {"finding", false}, {"", false}, {"advice", false}},
                .rows = {},
                .notes = {}};
    for (const ShownFinding& fault : found_faults(pairs)) {
        table.add({fault.pair->model, std::string(name_of(fault.finding->severity)),
                   fault.finding->title, fault.finding->advice});
    }
    return table;
}

/// QUBA for the models that have all dimensions.
std::optional<QubaResult> score_of(const QualityTable& table, double level) {
    const std::string rows = whole_rows(table);
    if (rows.empty()) return std::nullopt;
    QubaOptions how;
    how.where = {rows};
    how.level = level;
    return score_quality(table, how);
}

void add_scores(Report& report, const QubaResult& score) {
    report.sections.push_back(section_of(score));
    if (!score.warnings.empty()) {
        report.sections.push_back(
            {.title = "",
             .blocks = {std::string("Places among the 326 models compare values that were measured "
                                    "in different ways: see the differences above.")},
             .sections = {}});
    }
}

}  // namespace

ResultType result_type(ResultOf<QualityStep>) {
    static constexpr auto rows = describe_result<QualityStep>(
        {.name = "QualityStep",
         .columns = "step,data set=dataset,model=whose,images,passes,done %=done,about s=seconds"},
        {
            part<&QualityStep::name>({.name = "step"}),
            part<&QualityStep::dataset>({.help = "Whose images"}),
            part<&QualityStep::model>({.help = "Empty for all together"}),
            part<&QualityStep::images>({.help = "Images of the data set"}),
            part<&QualityStep::passes>(
                {.help =
                     "Passes of images through a network; one with a gradient counts as three"}),
            part<&QualityStep::done>({.help = "Proportion that earlier runs did"}),
            part<&QualityStep::seconds>({.help = "Estimated time of the rest, from the probe"}),
            part({.name = "whose", .only_csv = true},
                 [](const QualityStep& step) {
                     return step.model.empty() ? std::string("all") : step.model;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<MissingDimension>) {
    static constexpr auto rows = describe_result<MissingDimension>(
        {.name = "MissingDimension"}, {
                                          part<&MissingDimension::dimension>({}),
                                          part<&MissingDimension::model>({.help = "Empty: any"}),
                                          part<&MissingDimension::why>({}),
                                      });
    return rows;
}

ResultType result_type(ResultOf<QualityPlan>) {
    static constexpr auto rows = describe_result<QualityPlan>(
        {.name = "QualityPlan",
         .help = "The steps of `assay quality run` and their estimated time",
         .schema = "assay.quality_plan/1"},
        {
            part<&QualityPlan::threads>({}),
            part<&QualityPlan::seconds>({.help = "Of all steps"}),
            part<&QualityPlan::steps>({}),
            part<&QualityPlan::missing>({.help = "Dimensions that the run will not measure"}),
            part<&QualityPlan::notes>({}),
        });
    return rows;
}

Report report_of(const QualityPlan& plan) {
    Report report;
    report.title = "The steps";
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
    for (const QualityStep& step : plan.steps) {
        table.add({step.name, step.dataset, step.model.empty() ? std::string("all") : step.model,
                   Count{step.images}, Count{step.passes},
                   Number{.value = step.done, .unit = Unit::proportion, .digits = 0},
                   Number{.value = step.seconds, .digits = step.seconds < 10 ? 1 : 0}});
    }
    table.notes = {
        fmt::format("About {:.0f} s with {}, estimated from one batch of each model; it excludes "
                    "reading the stores at the end.",
                    plan.seconds, how_many(static_cast<std::uint64_t>(plan.threads), "thread")),
        "Passes of an image through a network; one with a gradient counts as three."};
    for (const MissingDimension& one : plan.missing)
        table.notes.push_back("Missing: " + missing_text(one) + ".");
    for (const std::string& note : plan.notes) table.notes.push_back(note + ".");
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.records = table_of(plan.steps);
    report.result = json_of(plan);
    return report;
}

Report report_of(const QualityRunResult& result) {
    Report report = report_without_json(result.measured);
    shorten(report, result);
    if (Table faults = fault_table(result.findings); !faults.rows.empty())
        report.sections.push_back({.title = "", .blocks = {std::move(faults)}, .sections = {}});
    const QualityTable& table = result.measured.table;
    const std::optional<QubaResult> score = score_of(table, result.measured.options.level);
    if (score) add_scores(report, *score);
    report.result =
        json_of(ShownQuality{&table, &result.measured, &result, score ? &*score : nullptr});
    report.warnings.insert(report.warnings.end(), result.warnings.begin(), result.warnings.end());
    report.partial |= result.partial;
    return report;
}

}  // namespace assay::quality
