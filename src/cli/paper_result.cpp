#include "cli/paper_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "assay/describe_result.h"
#include "core/result_table.h"

namespace assay::cli {
namespace {

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

/// A cell of Markdown.
std::string markdown_cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return one_line(std::move(out));
}

}  // namespace

ResultType result_type(ResultOf<PaperPart>) {
    static constexpr auto rows = describe_result<PaperPart>(
        {.name = "PaperPart",
         .help = "A table or a figure of the paper",
         .columns = "row,number,state,shows,command,reason"},
        {
            part<&PaperPart::row>({.help = "The name of its files"}),
            part<&PaperPart::number>({.help = "The paper's own"}),
            part<&PaperPart::shows>({}),
            part<&PaperPart::state>({.script = R"("made" | "no input" | "not yet" | "failed")"}),
            part<&PaperPart::files>({}),
            part<&PaperPart::command>({.help = "What prints the same alone", .omitted = true}),
            part<&PaperPart::reason>({.help = "Why it was not made", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<PaperResult>) {
    static constexpr auto rows = describe_result<PaperResult>(
        {.name = "PaperResult", .help = "What `assay paper` made", .schema = "assay.paper/1"},
        {
            part<&PaperResult::paper>({}),
            part<&PaperResult::folder>({}),
            part<&PaperResult::rows>({.help = "In the paper's order"}),
            part<&PaperResult::results>({.help = "Files with the results behind the rows"}),
            part<&PaperResult::warnings>({.help = "Warnings of the evaluations, each once"}),
        });
    return rows;
}

Report report_of(const PaperResult& result) {
    Report report;
    report.records = table_of(result.rows);
    Table table;
    table.columns = {{.name = "row", .numbers = false},
                     {.name = "state", .numbers = false},
                     {.name = "files, or why there are none", .numbers = false}};
    for (const PaperPart& part : result.rows)
        table.add(
            {part.row, part.state,
             part.files.empty() ? part.reason : fmt::format("{}", fmt::join(part.files, ", "))});
    table.notes.push_back(fmt::format("{}/README.md says what each one shows", result.folder));
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.warnings = result.warnings;
    report.result = json_of(result);
    report.partial = result.partial;
    return report;
}

std::string overview_of(const PaperResult& result, std::string_view title) {
    std::string out = fmt::format("# {}\n\n", title);
    out +=
        "| row | in the paper | shows | files | the same alone |\n| --- | --- | --- | --- | --- "
        "|\n";
    for (const PaperPart& part : result.rows) {
        std::string files;
        for (const std::string& file : part.files)
            files += fmt::format("{}[{}]({})", files.empty() ? "" : ", ", file, file);
        if (files.empty()) files = fmt::format("{}: {}", part.state, part.reason);
        out += fmt::format("| {} | {} | {} | {} | {} |\n", part.row, part.number,
                           markdown_cell(part.shows), markdown_cell(files),
                           part.command.empty() ? "" : "`" + markdown_cell(part.command) + "`");
    }
    out +=
        "\nTables are csv for programs, with the ends of intervals, and LaTeX with the rules of "
        "the package booktabs. Tables of more than 40 rows break over pages with the package "
        "longtable.\n";
    if (!result.results.empty())
        out += fmt::format("\nThe results behind them: {}.\n", fmt::join(result.results, ", "));
    if (!result.warnings.empty()) out += "\nWarnings of the evaluations:\n\n";
    for (const std::string& text : result.warnings) out += fmt::format("- {}\n", one_line(text));
    return out;
}

}  // namespace assay::cli
