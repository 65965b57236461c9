// assay quality merge: merges tables of quality dimensions.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "assay/error.h"
#include "assay/quality/merge.h"
#include "cli/cmd_quality.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view quality_merge_examples = R"(
assay quality merge quality.csv new.json -o quality.json
assay quality merge quality.json runs/quality.json -o newer.json --replace "measured again in May"
assay quality merge quality.csv published -o all.csv --key architecture,training
)";

bool has_shares(const quality::QualityTable& table) {
    return std::ranges::any_of(table.models, [](const quality::QualityModel& model) {
        return std::ranges::any_of(
            model.cells, [](const quality::QualityCell& cell) { return !cell.shares.empty(); });
    });
}

}  // namespace

int quality_merge(std::vector<std::string> arguments) {
    auto app = make_app("quality merge",
                        "Merge the rows of several tables. Rows of the same model are joined cell "
                        "by cell, and contradictions are refused.",
                        quality_merge_examples);
    std::vector<std::string> files;
    quality::MergeOptions options;
    Output output;
    app->add_option("tables", files,
                    "csv or json files (one file: convert it to the other form), or published: the "
                    "326 models of the paper")
        ->required()
        ->type_name("TABLE");
    app->add_option("--key", options.key,
                    "Tags that distinguish rows with the same name, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("TAG,...");
    app->add_option("--replace", options.replace,
                    "If rows contradict each other, use the later one; NOTE says why, and is kept "
                    "in the table with the earlier value")
        ->type_name("NOTE");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (!output.to_stdout() && !output.chosen && output.format == ReportFormat::text) {
        throw Error(
            ErrorCode::usage,
            fmt::format("-o {}: unknown extension; use .csv or .json, or add --csv or --json",
                        output.file.string()));
    }
    std::vector<quality::QualityTable> tables;
    for (const std::string& file : files) {
        tables.push_back(file == "published" ? quality::published_models()
                                             : quality::read_quality_table(file));
    }
    const quality::MergeResult result = quality::merge_tables(tables, options);
    if (output.csv && has_shares(result.table)) {
        warn(
            "csv cannot store which images models share, so their errors will count as "
            "independent; write json to keep this");
    }
    output.print(report_of(result));
    return Status::done;
}

}  // namespace assay::cli
