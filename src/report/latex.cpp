// Writes output for papers: one tabular per table, with booktabs' rules, without the surrounding
// environment.
#include <algorithm>
#include <string_view>

#include "core/interval_sides.h"
#include "report/gates.h"
#include "report/renderers.h"

namespace assay {
namespace {

std::string escaped(std::string_view text) {
    struct Replacement {
        std::string_view from, to;
    };
    static constexpr Replacement replacements[] = {
        {"\\", "\\textbackslash{}"},
        {"&", "\\&"},
        {"%", "\\%"},
        {"$", "\\$"},
        {"#", "\\#"},
        {"_", "\\_"},
        {"{", "\\{"},
        {"}", "\\}"},
        {"~", "\\textasciitilde{}"},
        {"^", "\\textasciicircum{}"},
        {"<", "$<$"},
        {">", "$>$"},
        {"±", "$\\pm$"},
        {"–", "--"},
        {"…", "\\ldots{}"},
        {"≥", "$\\geq$"},
        {"≤", "$\\leq$"},
        {"→", "$\\rightarrow$"},
        {"×", "$\\times$"},
        {"·", "$\\cdot$"},
        {"✓", "$\\surd$"},  // exists in every TeX, unlike \\checkmark
        {"✗", "$\\times$"},
    };
    std::string out;
    while (!text.empty()) {
        const Replacement* found = nullptr;
        for (const Replacement& r : replacements) {
            if (text.starts_with(r.from)) found = &r;
        }
        if (found != nullptr) {
            out += found->to;
            text.remove_prefix(found->from.size());
        } else {
            out += text.front() == '\n' || text.front() == '\r' ? ' ' : text.front();
            text.remove_prefix(1);
        }
    }
    return out;
}

/// A paragraph whose lines remain lines.
std::string paragraph(std::string_view text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += (begin == 0 ? "" : " \\newline\n") + escaped(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out + "\n";
}

/// One line: text after a line end would be part of the paper.
std::string comment(std::string text) {
    for (char& c : text) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    return "% " + text + "\n";
}

}  // namespace

std::string latex_table(const Table& table, bool over_pages) {
    const std::vector<std::size_t> shown = columns_without_bars(table);
    const std::vector<Column> columns = shown_columns(table);
    std::string out = table.title.empty() ? "" : comment(table.title);
    const std::string environment = over_pages ? "longtable" : "tabular";
    out += "\\begin{" + environment + "}{";
    for (const std::size_t c : shown) out += table.columns[c].numbers ? 'r' : 'l';
    out += "}\n\\toprule\n";
    const auto line = [&](const auto& text_of) {
        for (std::size_t i = 0; i < shown.size(); ++i)
            out += (i == 0 ? "" : " & ") + escaped(text_of(shown[i]));
        out += " \\\\\n";
    };
    line([&](std::size_t c) { return table.columns[c].name; });
    out += "\\midrule\n";
    if (over_pages) out += "\\endhead\n\\bottomrule\n\\endfoot\n";
    for (const auto& row : table.rows) {
        if (row.empty()) {
            out += "\\midrule\n";
            continue;
        }
        line([&](std::size_t c) {
            return c < row.size() ? cell_text(row[c], columns[c]) : std::string();
        });
    }
    if (!over_pages) out += "\\bottomrule\n";  // the footer of every page has it
    out += "\\end{" + environment + "}\n";
    for (const std::string& note : table.notes) out += comment(note);
    return out;
}

std::string render_latex(const Report& report) {
    std::string out = report.title.empty() ? "" : comment(report.title);
    const auto part = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    for_each_section(report.sections, [&](const Section& section, int) {
        if (!section.title.empty()) part(comment(section.title));
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block)) part(latex_table(*table, false));
            if (const auto* text = std::get_if<std::string>(&block)) part(paragraph(*text));
        }
    });
    if (!report.gates.empty()) part(latex_table(gate_table(report.gates), false));
    return out;
}

}  // namespace assay
