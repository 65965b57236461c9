// assay report: writes all measurements to one readable file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/report/document.h"
#include "assay/report/page.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scoring.h"
#include "core/paths.h"

namespace assay::cli {
namespace {

constexpr std::string_view report_examples = R"(
assay report runs
assay report runs --out resnets.html --title "ResNets of May" --tags models.csv
assay report runs --clean val --thumbnails 200
assay report runs competition quality.csv gap.json --out report
assay report runs --labels real.json --json -o report.json
)";

/// Runs before anything is computed.
void check_names(const Output& output, const std::filesystem::path& out) {
    if (output.file.extension() == ".html")
        throw Error(ErrorCode::usage,
                    fmt::format("-o {0} is for the printed result; write the page with --out {0}",
                                output.file.string()));
    if (out == "-")
        throw Error(ErrorCode::usage,
                    "--out - is not possible: the page needs a file or a folder; --json prints its "
                    "data to stdout");
}

/// Describes the written files for people.
std::string written(const std::filesystem::path& out) {
    if (is_folder(out)) {
        return fmt::format("The report is {}. Keep its folder next to it.",
                           (out / "report.html").string());
    }
    constexpr double bytes_of_a_megabyte = 1e6, bytes_of_a_kilobyte = 1e3;
    const auto bytes = static_cast<double>(file_bytes(out));
    return bytes < bytes_of_a_megabyte ? fmt::format("The report is {}: {:.0f} kB.", out.string(),
                                                     bytes / bytes_of_a_kilobyte)
                                       : fmt::format("The report is {}: {:.1f} MB.", out.string(),
                                                     bytes / bytes_of_a_megabyte);
}

}  // namespace

int cmd_report(std::vector<std::string> arguments) {
    auto app =
        make_app("report",
                 "Write all results to one HTML file that opens offline: metrics with intervals, "
                 "the best of each column, models not significantly worse, confusions, "
                 "disagreements. It also shows corruptions, competitions, quality, and results "
                 "that commands wrote with --json. Status 3: something is missing from it.",
                 report_examples);
    ReportOptions options;
    std::filesystem::path out = "report.html";
    Output output;
    app->add_option("path", options.paths,
                    "RUNS folders, data sets or stores in them, competitions, adversarial images, "
                    "csv tables of quality dimensions, JSON that commands wrote")
        ->required()
        ->type_name("PATH");
    auto* named = app->add_option("--out", out,
                                  "File that ends in .html, or a new folder whose page links to "
                                  "its thumbnails")
                      ->type_name("FILE|FOLDER")
                      ->capture_default_str();
    app->add_option("--title", options.title, "Title of the page (default: the paths' names)")
        ->type_name("TEXT");
    app->add_option("--tags", options.tags,
                    "csv with a column `model`; the page can filter by its other columns")
        ->check(CLI::ExistingFile)
        ->type_name("CSV");
    app->add_option("--clean", options.clean,
                    "Clean data set of the corrupted versions (default: found by their names)")
        ->type_name("DATASET");
    auto* const thumbnails = app->add_option("--thumbnails", options.thumbnails,
                                             "Add small copies of at most N of its images")
                                 ->type_name("N")
                                 ->check(CLI::Range(0, 100'000))
                                 ->capture_default_str();
    app->add_option("--thumbnail-side", options.thumbnail_side,
                    "Longer side of the small copies, pixels")
        ->type_name("PIXELS")
        ->check(CLI::Range(32, 512))
        ->needs(thumbnails)
        ->capture_default_str();
    add_measure_options(*app, options.measure, false);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.command = command_line();
    options.threads = options.measure.threads;
    // A request for the document does not include the page, unless the page is named.
    const bool page = !output.json || named->count() > 0;
    check(options);
    check_names(output, out);
    if (page) check_report_place(out);
    ProgressLine line("report", "items");
    const ReportDocument document = make_report(options, *self_comm(), line);
    line.finish();
    for (const std::string& text : document.notes) note(text);
    Report report = summary_of(document);
    if (page) {
        write_report(document, out);
        report.sections.front().blocks.emplace_back(written(out));
    }
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
