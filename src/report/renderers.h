// One function per format of a report, and the code that they share for cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

std::string render_text(const Report& report, const RenderOptions& options);
/// Writes `records`, or the first table of the report. Numbers are not rounded, and estimates have
/// their own columns.
std::string render_csv(const Report& report);
std::string render_markdown(const Report& report);
/// Writes tables as `tabular` with the rules of the package booktabs.
std::string render_latex(const Report& report);
/// One table of it. `over_pages`: as `longtable` of the package of that name, which breaks over
/// pages and repeats its header.
std::string latex_table(const Table& table, bool over_pages);

/// For people: "–" for an estimate without a value, and "" for an empty cell. `column`: one of
/// shown_columns(), because ± needs equal sides in the whole column.
std::string cell_text(const Cell& cell, const Column& column);
/// Bars are only for terminals. Returns the columns for papers and pages.
std::vector<std::size_t> columns_without_bars(const Table& table);
/// Returns a bar "█████▌    " of `width` characters for a proportion.
std::string bar_text(double proportion, int width);

/// Calls `visit` with every section in reading order and its depth, the outermost at 0.
template <class Visit>
void for_each_section(const std::vector<Section>& sections, Visit&& visit, int depth = 0) {
    for (const Section& section : sections) {
        visit(section, depth);
        for_each_section(section.sections, visit, depth + 1);
    }
}

}  // namespace assay
