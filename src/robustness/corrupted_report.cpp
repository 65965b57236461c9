// Accuracy under corruptions, to read.
#include <fmt/format.h>

#include <utility>

#include "assay/robustness/corrupted_accuracy.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

Table model_summary(const CorruptedAccuracyResult& result) {
    Table table;
    table.title = "Accuracy under corruptions";
    table.columns = {{.name = "model", .numbers = false},
                     {.name = "images"},
                     {.name = "clean %", .show = Show::value_and_half},
                     {.name = "corrupted %", .show = Show::value_and_half},
                     {.name = "relative", .show = Show::value_and_half},
                     {.name = "mCE", .show = Show::value_and_half}};
    for (const CorruptedModel& m : result.models) {
        const bool whole = m.paper.accuracy.value.has_value();
        const CorruptedMean& mean = whole ? m.paper : m.present;
        table.add({m.model, Count{m.images}, m.clean, mean.accuracy, mean.relative, m.mce});
    }
    table.notes.emplace_back(
        "corrupted: mean over the corruptions of the paper, each the mean over its severities; "
        "relative: divided by the clean accuracy of the same images; mCE: mean of error / "
        "AlexNet's "
        "error.");
    for (const CorruptedModel& m : result.models) {
        if (!m.paper.accuracy.value) {
            table.notes.push_back(fmt::format("{}: of the present corruptions only: {}.", m.model,
                                              m.paper.accuracy.undefined));
        }
    }
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    return table;
}

Table by_corruption(const CorruptedModel& model) {
    Table table;
    table.title = fmt::format("{}: accuracy by severity, %", model.model);
    table.columns = {{.name = "corruption", .numbers = false}};
    for (int severity = 1; severity <= corruption_severities; ++severity)
        table.columns.push_back({.name = std::to_string(severity)});
    table.columns.push_back({.name = "mean", .show = Show::value_and_half});
    table.columns.push_back({.name = "relative", .show = Show::value_and_half});
    bool ruled = false;
    for (const auto& row : model.corruptions) {
        if (row.corruption->extra && !ruled && &row != &model.corruptions.front()) table.rule();
        ruled = ruled || row.corruption->extra;
        std::vector<Cell> cells(1 + corruption_severities);
        cells[0] = std::string(row.corruption->name);
        for (const CorruptedVersion& v : model.versions) {
            if (v.corruption == row.corruption)
                cells[static_cast<std::size_t>(v.severity)] = v.accuracy;
        }
        cells.emplace_back(row.mean.accuracy);
        cells.emplace_back(row.mean.relative);
        table.add(std::move(cells));
    }
    return table;
}

/// Beside the clean top-1 all that is corrupted, from the means to the single versions.
void add_values(Report& report, const std::string& clean, const CorruptedModel& model) {
    const auto add = [&](std::vector<std::string> what, const Estimate& value) {
        what.insert(what.begin(), {clean, model.model});
        report.values.push_back({std::move(what), value});
    };
    add({"clean_top1"}, model.clean);
    add({"corrupted", "mce"}, model.mce);
    for (const auto& [name, mean] : {std::pair{"", &model.present}, {"paper_", &model.paper}}) {
        add({"corrupted", fmt::format("{}accuracy", name)}, mean->accuracy);
        add({"corrupted", fmt::format("{}relative", name)}, mean->relative);
    }
    for (const auto& row : model.corruptions) {
        const std::string name = fmt::format("all_{}", row.corruption->name);
        add({"corrupted", name, "accuracy"}, row.mean.accuracy);
        add({"corrupted", name, "relative"}, row.mean.relative);
    }
    for (const CorruptedVersion& version : model.versions)
        add({"corrupted", fmt::format("{}_{}", version.corruption->name, version.severity),
             "accuracy"},
            version.accuracy);
}

json mean_json(const CorruptedMean& mean) {
    return {{"accuracy", to_json(mean.accuracy)}, {"relative", to_json(mean.relative)}};
}

}  // namespace

Report report_of(const CorruptedAccuracyResult& result) {
    Report report;
    report.title = "Robustness to common corruptions";
    Section section{.title = "", .blocks = {model_summary(result)}, .sections = {}};
    for (const char* name : {"model", "corruption", "extra", "severity", "dataset", "images"})
        report.records.columns.push_back({.name = name});
    report.records.columns.push_back({.name = "accuracy", .show = Show::every_part});
    json models = json::array();
    for (const CorruptedModel& m : result.models) {
        section.blocks.emplace_back(by_corruption(m));
        add_values(report, result.clean, m);
        json versions = json::array(), means = json::array();
        for (const CorruptedVersion& v : m.versions) {
            report.records.add({m.model, std::string(v.corruption->name), v.corruption->extra,
                                Count{static_cast<std::uint64_t>(v.severity)}, v.dataset,
                                Count{m.images}, v.accuracy});
            versions.push_back({{"corruption", v.corruption->name},
                                {"severity", v.severity},
                                {"dataset", v.dataset},
                                {"accuracy", to_json(v.accuracy)}});
        }
        for (const auto& row : m.corruptions) {
            json mean = mean_json(row.mean);
            mean["corruption"] = row.corruption->name;
            mean["extra"] = row.corruption->extra;
            means.push_back(mean);
        }
        models.push_back({{"model", m.model},
                          {"images", m.images},
                          {"clean", to_json(m.clean)},
                          {"paper", mean_json(m.paper)},
                          {"present", mean_json(m.present)},
                          {"mce", to_json(m.mce)},
                          {"corruptions", means},
                          {"versions", versions}});
    }
    report.sections.push_back(std::move(section));
    report.result = {{"schema", "assay.corrupted_accuracy/1"},
                     {"clean", result.clean},
                     {"models", models},
                     {"notes", result.notes},
                     {"warnings", result.warnings}};
    report.warnings = result.warnings;
    report.partial = result.partial;
    return report;
}

}  // namespace assay
