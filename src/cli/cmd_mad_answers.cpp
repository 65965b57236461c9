// assay mad answers, block and export: read people's answers, block annotators, and export
// everything.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/mad/questions.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_answers_examples = R"(
assay mad answers mad anna.csv ben.csv
assay mad answers mad answers.csv --annotator anna
assay mad answers mad project-1-at-2026-11-23.json
)";
constexpr std::string_view mad_block_examples = R"(
assay mad block mad anna --reason "says yes to everything"
assay mad block mad anna --undo
)";
constexpr std::string_view mad_export_examples = R"(
assay mad export mad --out exported
assay mad export mad --out exported --prefix "/data/local-files/?d=crawl/"
)";

}  // namespace

int mad_answers(std::vector<std::string> arguments) {
    auto app = make_app("mad answers",
                        "Import people's answers from csv (question or image and label, annotator, "
                        "answer) or Label Studio's exports (JSON, JSON-MIN, CSV). A file is "
                        "imported as a whole or not at all. The same file twice adds nothing.",
                        mad_answers_examples);
    std::filesystem::path folder;
    std::vector<std::filesystem::path> files;
    std::string annotator;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("files", files, "Files of answers")->required()->type_name("FILE");
    app->add_option("--annotator", annotator,
                    "Annotator of the answers, if the file does not name one")
        ->type_name("NAME");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    mad::Competition competition = mad::Competition::open(folder, mad::Competition::Access::write);
    output.print(report_of(read_answers_into(competition, files, annotator)));
    return Status::done;
}

int mad_block(std::vector<std::string> arguments) {
    auto app = make_app("mad block",
                        "Exclude an annotator from all results. Their answers are kept, and --undo "
                        "includes them again.",
                        mad_block_examples);
    std::filesystem::path folder;
    std::string name, reason;
    bool undo = false;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("annotator", name, "Its name")->required()->type_name("NAME");
    app->add_flag("--undo", undo, "Include their answers again");
    app->add_option("--reason", reason, "Reason, stored with the decision")->type_name("TEXT");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    mad::Competition competition = mad::Competition::open(folder, mad::Competition::Access::write);
    output.print(report_of(block_annotator(competition, name, !undo, reason)));
    return Status::done;
}

int mad_export(std::vector<std::string> arguments) {
    auto app = make_app("mad export",
                        "Write everything in a competition: csv tables for pandas and "
                        "spreadsheets, and annotated tasks for Label Studio.",
                        mad_export_examples);
    std::filesystem::path folder, out;
    std::string prefix;
    bool users = false;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("--out", out, "Output folder, new or from an earlier export")
        ->required()
        ->type_name("FOLDER");
    app->add_option("--prefix", prefix,
                    "Prefix of each image's path in the tasks: the place where Label Studio finds "
                    "the images")
        ->type_name("TEXT");
    app->add_flag("--users", users,
                  "In annotations.json, make annotators whose names are e-mail addresses users; "
                  "Label Studio must know all of them");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const mad::Competition competition = mad::Competition::open(folder);
    output.print(mad::report_of_export(export_competition(competition, out, prefix, users)));
    return Status::done;
}

}  // namespace assay::cli
