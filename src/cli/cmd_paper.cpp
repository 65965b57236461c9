// assay paper: every table and figure of a paper, for the user's own models.
#include "cli/cmd_paper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "assay/error.h"
#include "assay/report/draw.h"
#include "cli/command.h"
#include "cli/paper_result.h"
#include "cli/paper_rows.h"
#include "cli/paper_tables.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "report/renderers.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view paper_examples = R"(
assay paper multilabel assay.toml --out paper
assay paper multilabel assay.toml --out paper --force
assay paper replication assay.toml --out bias --json
)";

/// Records which folders this command made, and may replace.
constexpr std::string_view paper_mark = "paper.json";

std::string csv_of(Table table) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const bool estimates = std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
            return c < row.size() && std::holds_alternative<Estimate>(row[c]);
        });
        if (estimates) table.columns[c].show = Column::Show::every_part;
    }
    Report report;
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    return render(report, ReportFormat::csv);
}

PlotChoice choice_of(const PaperRow& row, PaperStudy& study) {
    PlotChoice choice;
    if (row.ranks_composites) choice.models = best_by_both(study.gap());
    return choice;
}

/// Writes the row's files, and returns their names.
std::vector<std::string> write_row(const PaperRow& row, PaperStudy& study, const fs::path& folder) {
    std::vector<std::string> files;
    const auto write = [&](std::string_view ending, std::string_view bytes) {
        files.push_back(fmt::format("{}.{}", row.id, ending));
        write_file_atomically(folder / files.back(), bytes);
    };
    if (row.table != nullptr) {
        const Table table = row.table(study);
        constexpr std::size_t rows_of_a_page = 40;
        write("csv", csv_of(table));
        write("tex", latex_table(table, table.rows.size() > rows_of_a_page));
        return files;
    }
    const std::vector<Plot> plots =
        plots_of(row.plot, study.result(row.source), choice_of(row, study));
    for (const PlotFormat format : study.settings().formats)
        write(name_of(format), draw(plots, format));
    return files;
}

/// The command that prints the same alone. Call it for a row that is made.
std::string command_of(const PaperRow& row, PaperStudy& study) {
    const std::string from = study.command(row.source);
    if (row.table != nullptr) {
        const bool ranked = row.table == paper_tables::best || row.table == paper_tables::models;
        return ranked ? study.ranking_command() : from;
    }
    const std::string_view file = PaperStudy::file_of(row.source);
    const std::string result = row.source == PaperSource::figures
                                   ? fmt::format("{} --figures {}", from, file)
                                   : fmt::format("{} --json -o {}", from, file);
    std::string command = fmt::format("{}; assay plot {} {}", result, row.plot, file);
    for (const std::string& model : choice_of(row, study).models)
        command += fmt::format(" --model {}", as_typed(model));
    return command + fmt::format(" -o {}.svg", row.id);
}

PaperPart made_part(const PaperRow& row, PaperStudy& study, const fs::path& folder) {
    PaperPart part{.row = std::string(row.id),
                   .number = std::string(row.number),
                   .shows = std::string(row.shows),
                   .state = "not yet",
                   .files = {},
                   .command = "",
                   .reason = std::string(row.not_yet)};
    if (!row.not_yet.empty()) return part;
    std::string_view missing = study.missing(row.source);
    if (missing.empty() && row.ranks_composites && study.settings().composites.empty())
        missing = "set composites in [paper]";
    if (!missing.empty()) {
        part.state = "no input";
        part.reason = std::string(missing);
        return part;
    }
    try {
        part.files = write_row(row, study, folder);
        part.command = command_of(row, study);
        part.state = "made";
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::io) throw;
        part.state = "failed";
        part.reason = error.message();
    }
    return part;
}

void check_paper_folder(const fs::path& out, bool force) {
    if (!is_there(out)) return;
    if (!is_folder(out))
        throw Error(ErrorCode::usage,
                    fmt::format("--out {} is a file; name a new folder", out.string()));
    if (is_empty_folder(out)) return;
    if (!is_there(out / paper_mark))
        throw Error(ErrorCode::usage,
                    fmt::format("the folder {} contains other files than those of `assay paper`; "
                                "name a new folder",
                                out.string()));
    if (!force)
        throw Error(ErrorCode::usage,
                    fmt::format("the folder {} exists; replace it with --force", out.string()));
}

/// Puts the complete folder in the place of an earlier one, in one step if the file system can.
void put_in_place(FolderAside& aside, const fs::path& out) {
    if (is_there(out)) {
        if (renameat2(AT_FDCWD, aside.path().c_str(), AT_FDCWD, out.c_str(), RENAME_EXCHANGE) == 0)
            return;  // `aside` removes the earlier folder
        std::error_code failed;
        fs::remove_all(out, failed);
    }
    aside.keep();
}

PaperResult made_paper(const Paper& paper, PaperStudy& study, const fs::path& out) {
    PaperResult result{
        .paper = std::string(paper.name), .folder = out.string(), .rows = {}, .results = {}};
    FolderAside aside(out);
    std::map<std::string, std::string> failed;  // rows by reason: those of one result fail together
    bool any = false;
    for (const PaperRow& row : paper.rows) {
        throw_if_stopped();
        result.rows.push_back(made_part(row, study, aside.path()));
        const PaperPart& part = result.rows.back();
        any = any || part.state == "made";
        if (part.state != "failed") continue;
        result.partial = true;
        std::string& rows = failed[part.reason];
        rows += (rows.empty() ? "" : ", ") + part.row;
    }
    if (!any && !failed.empty()) throw Error(ErrorCode::bad_input, failed.begin()->first);
    for (const auto& [reason, rows] : failed) warn(fmt::format("{}: {}", rows, reason));
    result.partial = result.partial || study.partial();
    for (const auto& [file, content] : study.results()) {
        write_file_atomically(aside.path() / file, json_text(content));
        result.results.push_back(file);
    }
    write_file_atomically(aside.path() / paper_mark, json_text(json_of(result)));
    write_file_atomically(aside.path() / "README.md", overview_of(result, paper.title));
    put_in_place(aside, out);
    return result;
}

}  // namespace

int cmd_paper(std::vector<std::string> arguments) {
    auto app = make_app("paper",
                        "Make the tables (csv, LaTeX) and the figures of a paper for your own "
                        "models. The table [paper] of an assay.toml names their stored "
                        "predictions. Status 3: some could not be made.",
                        paper_examples);
    std::string name;
    fs::path file, out;
    bool force = false;
    Output output;
    app->add_option("paper", name, "multilabel or replication")
        ->required()
        ->type_name("{multilabel,replication}");
    app->add_option("config", file, "The configuration")->required()->type_name("TOML");
    app->add_option("--out", out, "New folder for the tables, the figures and an overview")
        ->required()
        ->type_name("FOLDER");
    app->add_flag("--force", force, "Replace the folder of an earlier call");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const Paper& paper = paper_named(name);
    if (!out.has_filename()) out = out.parent_path();
    check_paper_folder(out, force);
    PaperStudy study(with_note(fmt::format("reading `{}`", file.string()),
                               [&] { return read_paper_config(file); }));
    bool any = false;
    for (const PaperRow& row : paper.rows)
        any = any || (row.not_yet.empty() && study.missing(row.source).empty());
    if (!any)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: [paper] names no input of `{}`; set {}", file.string(), paper.name,
                        paper.name == "replication" ? "original, replication, v1 and v2"
                                                    : "v1 and v2, or table"));
    const PaperResult result = made_paper(paper, study, out);
    output.print(report_of(result));
    return result.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
