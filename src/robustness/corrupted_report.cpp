// Writes the report on accuracy under corruptions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "robustness/described_robustness.h"

namespace assay {
namespace {

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
        "corrupted: mean over the paper's corruptions, each over its severities; relative: divided "
        "by clean accuracy on the same images; mCE: mean of error / AlexNet's error.");
    for (const CorruptedModel& m : result.models) {
        if (m.paper.accuracy.value && !m.mce.value)
            table.notes.push_back(fmt::format("{}: no mCE: {}.", m.model, m.mce.undefined));
        if (!m.paper.accuracy.value) {
            table.notes.push_back(fmt::format("{}: mean over the available corruptions only: {}.",
                                              m.model, m.paper.accuracy.undefined));
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

/// Adds all corrupted values after the clean top-1, from the means to the single versions.
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

/// Writes a row of csv.
struct VersionOfModel {
    const CorruptedModel* model;
    const CorruptedVersion* version;
};

}  // namespace

ResultType result_type(ResultOf<CorruptedVersion>) {
    static constexpr auto rows = describe_result<CorruptedVersion>(
        {.name = "CorruptedVersion", .help = "One data set of corrupted images"},
        {
            part<&CorruptedVersion::corruption, &Corruption::name>({.name = "corruption"}),
            part<&CorruptedVersion::severity>({}),
            part<&CorruptedVersion::dataset>({}),
            part<&CorruptedVersion::accuracy>({.help = "Top-1"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CorruptedMean>) {
    static constexpr auto rows = describe_result<CorruptedMean>(
        {.name = "CorruptedMean",
         .help = "A mean over versions: each corruption counts once, each of its severities "
                 "equally"},
        {
            part<&CorruptedMean::accuracy>({}),
            part<&CorruptedMean::relative>(
                {.help = "Divided by the clean accuracy of the same images"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CorruptedModel::ByCorruption>) {
    using ByCorruption = CorruptedModel::ByCorruption;
    static constexpr auto rows = describe_result<ByCorruption>(
        {.name = "MeanOfCorruption", .help = "Accuracy over the severities with predictions"},
        {
            part<&ByCorruption::corruption, &Corruption::name>({.name = "corruption"}),
            part<&ByCorruption::corruption, &Corruption::extra>(
                {.help = "True if it is not among the 15 of the paper"}),
            part<&ByCorruption::mean>({.inlined = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<CorruptedModel>) {
    static constexpr auto rows = describe_result<CorruptedModel>(
        {.name = "CorruptedModel"},
        {
            part<&CorruptedModel::model>({}),
            part({.help = "Whose parameters the corruptions have: `imagenet`, `tiny-imagenet` or "
                          "`cifar`; absent if no record names them",
                  .name = "profile",
                  .omitted = true},
                 [](const CorruptedModel& m) {
                     return m.profile ? std::optional(std::string(name_of(*m.profile)))
                                      : std::nullopt;
                 }),
            part<&CorruptedModel::images>({.help = "That the clean data set and all others have"}),
            part<&CorruptedModel::clean>({.help = "Top-1 of these images"}),
            part<&CorruptedModel::versions>({}),
            part<&CorruptedModel::corruptions>({}),
            part<&CorruptedModel::paper>(
                {.help = "Over the 15 x 5 of the paper; undefined if one is missing"}),
            part<&CorruptedModel::present>({.help = "Over those of the 15 that have predictions"}),
            part<&CorruptedModel::mce>(
                {.help =
                     "Mean over the 15 of error / AlexNet's error, of ImageNet-C's parameters"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CorruptedAccuracyResult>) {
    static constexpr auto rows = describe_result<CorruptedAccuracyResult>(
        {.name = "CorruptedResult",
         .help = "Accuracy under corruptions",
         .schema = "assay.corrupted_accuracy/1"},
        {
            part<&CorruptedAccuracyResult::clean>({.help = "Name of the clean data set"}),
            part<&CorruptedAccuracyResult::models>({}),
            part<&CorruptedAccuracyResult::notes>({}),
            part<&CorruptedAccuracyResult::warnings>({}),
        });
    return rows;
}

namespace {

ResultType result_type(ResultOf<VersionOfModel>) {
    static constexpr auto rows = describe_result<VersionOfModel>(
        {.name = "VersionOfModel",
         .columns = "model,corruption,extra,severity,dataset,images,accuracy*"},
        {
            part<&VersionOfModel::model, &CorruptedModel::model>({}),
            part<&VersionOfModel::version>({.inlined = true}),
            part<&VersionOfModel::version, &CorruptedVersion::corruption, &Corruption::extra>({}),
            part<&VersionOfModel::model, &CorruptedModel::images>({}),
        });
    return rows;
}

}  // namespace

Report report_of(const CorruptedAccuracyResult& result) {
    Report report;
    report.title = "Robustness to common corruptions";
    Section section{.title = "", .blocks = {model_summary(result)}, .sections = {}};
    report.records = result_table<VersionOfModel>();
    for (const CorruptedModel& m : result.models) {
        section.blocks.emplace_back(by_corruption(m));
        add_values(report, result.clean, m);
        for (const CorruptedVersion& v : m.versions)
            add_row(report.records, VersionOfModel{&m, &v});
    }
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.partial;
    return report;
}

}  // namespace assay
