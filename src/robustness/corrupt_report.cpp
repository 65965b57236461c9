// The listing of a corrupted data set.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/robustness/corrupt_dataset.h"

namespace assay {
namespace {

using nlohmann::json;

std::string severity_list(const std::vector<int>& severities) {
    return fmt::format("{}", fmt::join(severities, " "));
}

std::string folder_of(const CorruptResult& result, const Corruption& c, int severity) {
    if (result.options.out.empty()) return "";
    return (result.options.out / c.name / std::to_string(severity)).string();
}

Table corruption_table(const CorruptResult& result) {
    Table table;
    table.title = fmt::format("Corruptions of {}", result.dataset);
    const bool made = !result.options.out.empty();
    table.columns = {{.name = "corruption", .numbers = false},
                     {.name = "group", .numbers = false},
                     {.name = "severities", .numbers = false}};
    if (made) table.columns.push_back({.name = "files"});
    table.columns.push_back({.name = "parameters by severity", .numbers = false});
    const std::uint64_t files =
        (result.images - result.left_out) * result.options.severities.size();
    bool ruled = false;
    for (const Corruption* c : result.corruptions) {
        if (c->extra && !ruled && c != result.corruptions.front()) table.rule();
        ruled = ruled || c->extra;
        std::vector<Cell> cells = {std::string(c->name), std::string(c->group),
                                   severity_list(result.options.severities)};
        if (made) cells.emplace_back(Count{files});
        cells.emplace_back(std::string(c->parameters));
        table.add(std::move(cells));
    }
    table.notes.push_back("Pipeline: " + describe_pipeline(result.options) + ".");
    if (result.was_there)
        table.notes.push_back(result.options.out.string() + " was finished before.");
    return table;
}

Table corruption_records(const CorruptResult& result) {
    Table table;
    for (const char* name : {"corruption", "group", "extra", "severity", "folder", "images"})
        table.columns.push_back({.name = name});
    for (const Corruption* c : result.corruptions) {
        for (const int severity : result.options.severities) {
            table.add({std::string(c->name), std::string(c->group), c->extra,
                       Count{static_cast<std::uint64_t>(severity)}, folder_of(result, *c, severity),
                       Count{result.options.out.empty() ? 0 : result.images - result.left_out}});
        }
    }
    return table;
}

}  // namespace

Report report_of(const CorruptResult& result) {
    const CorruptOptions& o = result.options;
    Report report;
    report.title = "Corrupted copies";
    report.sections = {{.title = "", .blocks = {corruption_table(result)}, .sections = {}}};
    report.records = corruption_records(result);
    json versions = json::array();
    for (const Corruption* c : result.corruptions) {
        for (const int severity : o.severities) {
            json version = {{"corruption", c->name},
                            {"group", c->group},
                            {"extra", c->extra},
                            {"severity", severity}};
            if (!o.out.empty()) {
                version["folder"] = folder_of(result, *c, severity);
                version["images"] = result.images - result.left_out;
            }
            versions.push_back(version);
        }
    }
    report.result = {{"schema", "assay.corrupt/1"},
                     {"dataset", result.dataset},
                     {"images", result.images},
                     {"left_out", result.left_out},
                     {"left_out_examples", result.examples},
                     {"files", result.written},
                     {"files_found", result.found},
                     {"was_there", result.was_there},
                     {"seed", o.seed},
                     {"resize", o.window.resize},
                     {"crop", o.window.crop},
                     {"jpeg_quality", o.jpeg_quality ? json(*o.jpeg_quality) : json()},
                     {"pipeline", describe_pipeline(o)},
                     {"out", o.out.empty() ? json() : json(o.out.string())},
                     {"sheet", o.sheet.empty() ? json() : json(o.sheet.string())},
                     {"versions", versions}};
    report.partial = result.left_out > 0;
    if (report.partial) {
        std::string text =
            fmt::format("{} of {} images are left out", result.left_out, result.images);
        for (const std::string& example : result.examples) text += "\n  " + example;
        report.warnings.push_back(text);
    }
    return report;
}

}  // namespace assay
