// assay paper: every table and figure of a paper, for the user's own models.
#include "cli/cmd_paper.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "assay/error.h"
#include "assay/report/draw.h"
#include "cli/command.h"
#include "cli/paper_quality.h"
#include "cli/paper_result.h"
#include "cli/paper_rows.h"
#include "cli/paper_tables.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/json_limits.h"
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
assay paper mad assay.toml --out competition
assay paper quality assay.toml --out quality
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
    if (row.best_by_both) choice.models = best_by_both(study.ranked());
    return choice;
}

/// Contents of files by their ending.
using MadeFiles = std::vector<std::pair<std::string_view, std::string>>;

MadeFiles files_of(const PaperRow& row, PaperStudy& study) {
    MadeFiles files;
    if (row.table != nullptr) {
        const Table table = row.table(study);
        constexpr std::size_t rows_of_a_page = 40;
        files.emplace_back("csv", csv_of(table));
        files.emplace_back("tex", latex_table(table, table.rows.size() > rows_of_a_page));
    }
    if (row.drawing != nullptr)
        for (const PlotFormat format : study.settings().formats)
            files.emplace_back(name_of(format), row.drawing(study, format));
    if (row.plot.empty()) return files;
    const std::vector<Plot> plots =
        row.plots != nullptr ? row.plots(study)
                             : plots_of(row.plot, study.result(row.source), choice_of(row, study));
    // Plots of several results have long titles.
    constexpr double two_columns = 178;
    DrawOptions options;
    if (row.plots != nullptr && plots.size() > 1) options.width = two_columns;
    for (const PlotFormat format : study.settings().formats)
        files.emplace_back(name_of(format), draw(plots, format, options));
    return files;
}

/// Draws the sheets in a folder of their own, and moves them to the others: figure-7.png,
/// figure-7-2.png. Returns their names.
std::vector<std::string> write_sheets(const PaperRow& row, PaperStudy& study,
                                      const fs::path& folder) {
    const fs::path sheets = folder / "sheets";
    const mad::Gallery gallery = row.sheets(study, sheets);
    std::vector<std::string> names;
    for (const mad::GallerySheet& sheet : gallery.sheets) {
        names.push_back(names.empty() ? fmt::format("{}.png", row.id)
                                      : fmt::format("{}-{}.png", row.id, names.size() + 1));
        std::error_code problem;
        fs::rename(sheet.file, folder / names.back(), problem);
        if (problem)
            throw Error(ErrorCode::io, fmt::format("cannot rename {}: {}", sheet.file.string(),
                                                   problem.message()));
    }
    std::error_code ignored;  // an empty folder does no harm
    fs::remove(sheets, ignored);
    study.add_warnings(gallery.warnings);
    if (gallery.unreadable > 0) study.set_partial();
    return names;
}

/// Writes the row's files, all of them or none, and returns their names.
std::vector<std::string> write_row(const PaperRow& row, PaperStudy& study, const fs::path& folder) {
    std::vector<std::string> names;
    const MadeFiles files = files_of(row, study);
    if (row.sheets != nullptr) names = write_sheets(row, study, folder);
    for (const auto& [ending, bytes] : files) {
        names.push_back(fmt::format("{}.{}", row.id, ending));
        write_file_atomically(folder / names.back(), bytes);
    }
    return names;
}

/// The command that prints the same alone. Call it for a row that is made.
std::string command_of(const PaperRow& row, PaperStudy& study) {
    const std::string from = study.command(row.source);
    if (row.table != nullptr) {
        const bool ranked = row.table == paper_tables::best || row.table == paper_tables::models;
        if (row.table == paper_tables::within) return from + " --all";
        if (row.table == paper_quality::profiles)
            return fmt::format("{} --weights {} # and others", from, "accuracy");
        return ranked ? study.ranking_command() : from;
    }
    if (row.plot.empty()) return from;
    const std::string_view file = PaperStudy::file_of(row.source);
    const std::string result =
        row.source == PaperSource::figures          ? fmt::format("{} --figures {}", from, file)
        : row.source == PaperSource::quality_groups ? from
                                                    : fmt::format("{} --json -o {}", from, file);
    std::string command = fmt::format("{}; assay plot {} {}", result, row.plot, file);
    for (const std::string& model : choice_of(row, study).models)
        command += fmt::format(" --model {}", as_typed(model));
    command += fmt::format(" -o {}.svg", row.id);
    return row.plots == paper_quality::scatters
               ? fmt::format("{} --y {} # and others", command, "shape_bias")
               : command;
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
    const std::string_view missing = study.missing(row.source);
    if (!missing.empty()) {
        part.state = "no input";
        part.reason = std::string(missing);
        return part;
    }
    try {
        part.files = write_row(row, study, folder);
        part.command = command_of(row, study);
        part.state = "made";
    } catch (const NoInput& lacking) {
        part.state = "no input";
        part.reason = lacking.message();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::io) throw;
        part.state = "failed";
        part.reason = error.message();
    }
    return part;
}

/// True if an earlier call made the folder. Other tools write files of this name, too.
bool is_paper_folder(const fs::path& folder) {
    const fs::path mark = folder / paper_mark;
    if (!is_there(mark)) return false;
    try {
        constexpr std::uint64_t most_bytes = 16 << 20;
        const nlohmann::json found = parse_json(read_text(mark, most_bytes), 8);
        return found.is_object() && found.value("schema", nlohmann::json()) ==
                                        result_type(ResultOf<PaperResult>{}).facts.schema;
    } catch (const Error&) {
        return false;
    }
}

void check_paper_folder(const fs::path& out, bool force) {
    if (!is_there(out)) return;
    if (!is_folder(out))
        throw Error(ErrorCode::usage,
                    fmt::format("--out {} is a file; name a new folder", out.string()));
    if (is_empty_folder(out)) return;
    if (!is_paper_folder(out))
        throw Error(ErrorCode::usage,
                    fmt::format("the folder {} contains other files than those of `assay paper`; "
                                "name a new folder",
                                out.string()));
    if (!force)
        throw Error(ErrorCode::usage,
                    fmt::format("the folder {} exists; replace it with --force", out.string()));
}

/// A folder is replaced by renaming, which has these limits.
void check_can_be_renamed(const fs::path& out) {
    std::error_code problem;
    const fs::path here = fs::current_path(problem);
    const fs::path below = here.lexically_relative(fs::canonical(out, problem));
    if (!problem && !below.empty() && *below.begin() != "..")
        throw Error(ErrorCode::usage,
                    fmt::format("the current folder is in {}, which this call would replace; type "
                                "`cd {}`, and name the folder from there",
                                out.string(), as_typed(out.parent_path().string())));
    struct stat folder = {};
    struct stat parent = {};
    if (::stat(out.c_str(), &folder) == 0 && ::stat(out.parent_path().c_str(), &parent) == 0 &&
        folder.st_dev != parent.st_dev)
        throw Error(ErrorCode::usage,
                    fmt::format("another file system is mounted at {}; name a new folder in it",
                                out.string()));
}

/// The folder that --out names, after links. Throws usage if it cannot be made or replaced.
fs::path paper_folder(const fs::path& given, bool force) {
    fs::path out = absolute_path(given);
    if (!out.has_filename()) out = out.parent_path();
    std::error_code problem;
    if (fs::is_symlink(out, problem)) {
        if (!is_there(out))
            throw Error(ErrorCode::usage,
                        fmt::format("--out {} is a link to a folder that does not exist; name a "
                                    "new folder",
                                    out.string()));
        out = fs::canonical(out, problem);
        if (problem)
            throw Error(ErrorCode::io,
                        fmt::format("cannot follow {}: {}", given.string(), problem.message()));
    }
    check_paper_folder(out, force);
    if (is_there(out)) check_can_be_renamed(out);
    return out;
}

/// Puts the complete folder in the place of an earlier one. If this fails, the earlier one stays.
void put_in_place(FolderAside& aside, const fs::path& out, bool force) {
    check_paper_folder(out, force);  // another program may have made it since the first check
    try {
        aside.replace();
    } catch (const Error& error) {
        throw Error(error.code(), error.message() + "; name a new folder with --out");
    }
}

/// `shown` is the folder as typed.
PaperResult made_paper(const Paper& paper, PaperStudy& study, const fs::path& out,
                       const fs::path& shown, bool force) {
    PaperResult result{.paper = std::string(paper.name),
                       .folder = shown.string(),
                       .rows = {},
                       .results = {},
                       .warnings = {}};
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
    result.warnings = study.warnings();
    write_file_atomically(aside.path() / paper_mark, json_text(json_of(result)));
    write_file_atomically(aside.path() / "README.md", overview_of(result, paper.title));
    put_in_place(aside, out, force);
    return result;
}

}  // namespace

int cmd_paper(std::vector<std::string> arguments) {
    auto app = make_app("paper",
                        "Make the tables (csv, LaTeX) and the figures of a paper for your own "
                        "models. The table [paper] of an assay.toml names their stored "
                        "predictions, a competition or a table of quality. Status 3: some could "
                        "not be made.",
                        paper_examples);
    std::string name;
    fs::path file, out;
    bool force = false;
    Output output;
    app->add_option("paper", name,
                    "multilabel, replication, mad (a competition) or quality (nine dimensions)")
        ->required()
        ->type_name("{multilabel,replication,mad,quality}");
    app->add_option("config", file, "The configuration")->required()->type_name("TOML");
    app->add_option("--out", out, "New folder for the tables, the figures and an overview")
        ->required()
        ->type_name("FOLDER");
    app->add_flag("--force", force, "Replace the folder of an earlier call");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const Paper& paper = paper_named(name);
    if (!out.has_filename()) out = out.parent_path();
    const fs::path folder = paper_folder(out, force);
    PaperStudy study(with_note(fmt::format("reading `{}`", file.string()),
                               [&] { return read_paper_config(file); }));
    bool any = false;
    for (const PaperRow& row : paper.rows)
        any = any || (row.not_yet.empty() && study.missing(row.source).empty());
    if (!any)
        throw Error(ErrorCode::bad_input, fmt::format("{}: [paper] names no input of `{}`; set {}",
                                                      file.string(), paper.name, paper.inputs));
    const PaperResult result = made_paper(paper, study, folder, out, force);
    output.print(report_of(result));
    return result.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
