// The listing of a corrupted data set.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "robustness/described_robustness.h"

namespace assay {
namespace {

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
    bool ruled = false;
    for (const Corruption* c : result.corruptions) {
        if (c->extra && !ruled && c != result.corruptions.front()) table.rule();
        ruled = ruled || c->extra;
        std::vector<int> severities;
        for (const CorruptionVersion& v : result.versions)
            if (v.corruption == c) severities.push_back(v.severity);
        std::vector<Cell> cells = {std::string(c->name), std::string(c->group),
                                   severities.empty() ? "none fits" : severity_list(severities)};
        if (made) cells.emplace_back(Count{(result.images - result.left_out) * severities.size()});
        cells.emplace_back(std::string(parameters_of(*c, *result.options.profile)));
        table.add(std::move(cells));
    }
    table.notes.push_back("Pipeline: " + describe_pipeline(result.options) + ".");
    if (result.was_there)
        table.notes.push_back(result.options.out.string() + " was finished before.");
    return table;
}

/// One corruption at one severity.
struct MadeVersion {
    const Corruption* corruption;
    int severity;
    std::string folder;
    std::optional<std::uint64_t> images;  ///< no value if no images are made
};

std::vector<MadeVersion> made_versions(const CorruptResult& result) {
    std::vector<MadeVersion> versions;
    for (const CorruptionVersion& v : result.versions) {
        versions.push_back(
            {v.corruption, v.severity, folder_of(result, *v.corruption, v.severity), {}});
        if (!result.options.out.empty()) versions.back().images = result.images - result.left_out;
    }
    return versions;
}

std::optional<std::string> path_or_none(const std::filesystem::path& path) {
    return path.empty() ? std::nullopt : std::optional(path.string());
}

ResultType result_type(ResultOf<MadeVersion>) {
    static constexpr auto rows = describe_result<MadeVersion>(
        {.name = "MadeVersion",
         .help = "One corruption at one severity",
         .columns = "corruption,group,extra,severity,folder,images=images_or_0"},
        {
            part<&MadeVersion::corruption, &Corruption::name>({.name = "corruption"}),
            part<&MadeVersion::corruption, &Corruption::group>({}),
            part<&MadeVersion::corruption, &Corruption::extra>(
                {.help = "True if it is not among the 15 of the paper"}),
            part<&MadeVersion::severity>({}),
            part<&MadeVersion::folder>({.help = "With `--out`", .omitted = true}),
            part<&MadeVersion::images>({.help = "With `--out`", .omitted = true}),
            part({.name = "images_or_0", .only_csv = true},
                 [](const MadeVersion& made) { return made.images.value_or(0); }),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<CorruptResult>) {
    static constexpr auto rows = describe_result<CorruptResult>(
        {.name = "CorruptResult",
         .help = "Corrupted copies of a data set",
         .schema = "assay.corrupt/1"},
        {
            part<&CorruptResult::dataset>({.help = "Its name"}),
            part<&CorruptResult::images>(
                {.help = "Images of the data set, including those in `left_out`"}),
            part<&CorruptResult::left_out>({.help = "Images that cannot be read or are too small"}),
            part<&CorruptResult::examples>(
                {.help = "The first such images", .name = "left_out_examples"}),
            part<&CorruptResult::written>({.help = "All that exist", .name = "files"}),
            part<&CorruptResult::found>(
                {.help = "Of those, left by an earlier run", .name = "files_found"}),
            part<&CorruptResult::was_there>({.help = "The data set was finished before"}),
            part<&CorruptResult::versions_left_out>(
                {.help = "Versions whose kernels are larger than the images, with the smallest "
                         "side that they fit"}),
            part({.help = "Whose parameters: `imagenet`, `tiny-imagenet` or `cifar`",
                  .name = "profile"},
                 [](const CorruptResult& r) { return std::string(name_of(*r.options.profile)); }),
            part<&CorruptResult::options, &CorruptOptions::seed>({}),
            part<&CorruptResult::options, &CorruptOptions::window, &CorruptionWindow::resize>({}),
            part<&CorruptResult::options, &CorruptOptions::window, &CorruptionWindow::crop>({}),
            part<&CorruptResult::options, &CorruptOptions::jpeg_quality>({.help = "Null: PNG"}),
            part({.help = "In words", .name = "pipeline"},
                 [](const CorruptResult& r) { return describe_pipeline(r.options); }),
            part({.help = "The folder that was made", .name = "out"},
                 [](const CorruptResult& r) { return path_or_none(r.options.out); }),
            part({.help = "The picture of one image under every corruption", .name = "sheet"},
                 [](const CorruptResult& r) { return path_or_none(r.options.sheet); }),
            part({.name = "versions"}, [](const CorruptResult& r) { return made_versions(r); }),
        });
    return rows;
}

Report report_of(const CorruptResult& result) {
    Report report;
    report.title = "Corrupted copies";
    report.sections = {{.title = "", .blocks = {corruption_table(result)}, .sections = {}}};
    report.records = table_of(made_versions(result));
    report.result = json_of(result);
    report.partial = result.left_out > 0 || !result.versions_left_out.empty();
    if (!result.versions_left_out.empty()) {
        report.warnings.push_back(
            fmt::format("versions skipped, because the images are smaller than this: {}",
                        fmt::join(result.versions_left_out, ", ")));
    }
    if (result.left_out > 0) {
        std::string text =
            fmt::format("{} of {} images are skipped", result.left_out, result.images);
        for (const std::string& example : result.examples) text += "\n  " + example;
        report.warnings.push_back(text);
    }
    return report;
}

}  // namespace assay
