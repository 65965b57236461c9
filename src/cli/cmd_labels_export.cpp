// assay labels export: people's answers from the labelling page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/labelling/folder.h"
#include "cli/cmd_labels.h"
#include "cli/command.h"
#include "cli/outputs.h"

namespace assay::cli {
namespace {

constexpr std::string_view labels_export_examples = R"(
assay labels export study --out answers.csv
assay labels export study | gzip > answers.csv.gz
)";

}  // namespace

int labels_export(std::vector<std::string> arguments) {
    auto app = make_app(
        "labels export",
        "Write the answers of a folder of questions: votes for `assay labels aggregate`, or for "
        "grids selections for `assay replicate frequencies`. Blocked annotators are skipped.",
        labels_export_examples);
    std::filesystem::path folder, file = "-";
    Output output;
    app->add_option("folder", folder, "Folder of questions")->required()->type_name("FOLDER");
    app->add_option("--out", file, "Write the csv to this file (-: stdout, instead of the report)")
        ->type_name("FILE")
        ->capture_default_str();
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const bool printed = is_stdout(file) && output.to_stdout();
    if (printed && output.format != ReportFormat::text)
        throw Error(ErrorCode::usage, "--format and --out - both print to stdout; name a file");

    const labelling::FolderSummary summary = labelling::folder_summary(folder);
    ResultStream csv(file);
    labelling::write_answers_csv(folder, [&](std::string_view piece) { csv.write(piece); });
    csv.commit();
    if (summary.blocked > 0)
        warn(fmt::format("{} blocked, and skipped",
                         summary.blocked == 1 ? "1 annotator is"
                                              : fmt::format("{} annotators are", summary.blocked)));
    if (!printed) output.print(report_of(summary));
    if (!is_stdout(file) && summary.answers > 0) {
        const std::string next =
            summary.task == labelling::Task::grid ? "replicate frequencies" : "labels aggregate";
        note(fmt::format("next: assay {} {}", next, as_typed(file.string())));
    }
    return Status::done;
}

}  // namespace assay::cli
