// assay export: writes every item of stored predictions, one item per line.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/export.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "core/text.h"

namespace assay::cli {
namespace {

constexpr std::string_view export_examples = R"(
assay export runs/val/resnet50 --csv -o items.csv
assay export runs --jsonl --top 1 -o items.jsonl
assay export runs --parquet -o items.parquet
assay export runs/val/resnet50 --arrow --scores -o items.arrow
assay export runs/val/resnet50 --labels real.json -o items.csv
assay export runs/val/resnet50 -o items.csv --probabilities probabilities.npy
)";

ExportOptions::Format format_by_name(const std::filesystem::path& file) {
    using Format = ExportOptions::Format;
    const std::string ending = lower_extension(file.string());
    if (ending == ".parquet") return Format::parquet;
    if (ending == ".arrow" || ending == ".feather") return Format::arrow;
    if (ending == ".jsonl" || ending == ".ndjson") return Format::jsonl;
    return Format::csv;
}

}  // namespace

int cmd_export(std::vector<std::string> arguments) {
    auto app = make_app(
        "export",
        "Write one row per item: id, label, predicted class, whether it is correct, confidence, "
        "margin, loss and the best classes. Formats: csv (pandas, FiftyOne), JSON lines, Parquet, "
        "Arrow; the matrix of probabilities for cleanlab. Status 3: some items have no scores.",
        export_examples);
    ExportOptions options;
    std::filesystem::path file, probabilities;
    app->add_option("path", options.paths, "RUNS folder, one of its data sets, or stores")
        ->required()
        ->type_name("RUNS");
    auto* csv = app->add_flag_callback(
        "--csv", [&] { options.format = ExportOptions::Format::csv; },
        "A csv with a header (the default)");
    app->add_flag_callback(
           "--jsonl", [&] { options.format = ExportOptions::Format::jsonl; },
           "A JSON object on each line")
        ->excludes(csv);
    const auto columns = [&](const char* name, ExportOptions::Format format, const char* help) {
        app->add_flag_callback(
               name, [&options, format] { options.format = format; }, help)
            ->excludes(csv)
            ->excludes(app->get_option("--jsonl"));
    };
    columns("--parquet", ExportOptions::Format::parquet,
            "Parquet, with typed columns: pandas, polars, DuckDB, Spark");
    columns("--arrow", ExportOptions::Format::arrow,
            "An Arrow file (Feather version 2), which programs can map into memory");
    app->get_option("--arrow")->excludes(app->get_option("--parquet"));
    add_options(*app, options);
    app->add_option("--probabilities", probabilities,
                    "Also the probabilities of one store: items x classes float32, for numpy")
        ->type_name("FILE.npy");
    app->add_option("-o,--output", file,
                    "Write to FILE instead of stdout (-: stdout); .parquet, .arrow, .feather and "
                    ".jsonl choose the format")
        ->type_name("FILE");
    if (!parse(*app, std::move(arguments))) return Status::done;
    const bool chosen = app->count("--csv") + app->count("--jsonl") + app->count("--parquet") +
                            app->count("--arrow") >
                        0;
    if (!chosen) options.format = format_by_name(file);
    const bool binary = options.format == ExportOptions::Format::parquet ||
                        options.format == ExportOptions::Format::arrow;
    if (binary && is_stdout(file) && ::isatty(STDOUT_FILENO) == 1)
        throw Error(ErrorCode::usage, "this format is binary: name a file with -o");

    if (!probabilities.empty()) {
        ResultStream out(probabilities);
        export_probabilities(options, [&](std::string_view text) { out.write(text); });
        out.commit();
    }
    ResultStream out(file);
    ProgressLine line("export", "items");
    const ExportResult result = export_items(
        options, [&](std::string_view text) { out.write(text); }, line);
    out.commit();
    line.finish();
    for (const std::string& text : result.notes) note(text);
    for (const std::string& text : result.warnings) warn(text);
    if (result.without_scores > 0)
        warn(std::to_string(result.without_scores) +
             " items have no scores: their column `status` says why");
    return result.without_scores > 0 ? Status::partial : Status::done;
}

}  // namespace assay::cli
