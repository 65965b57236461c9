// Writes GitHub's tables for issues, pull requests and READMEs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/interval_sides.h"
#include "core/text.h"
#include "report/gates.h"
#include "report/renderers.h"

namespace assay {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("|\\`*_<[]~&$").find(c) != std::string_view::npos) out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

/// A paragraph whose lines remain lines.
std::string paragraph(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += (begin == 0 ? "" : "\\\n") + escaped(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out + "\n";
}

/// The notes are collapsed if they would push the next table off the page.
std::string notes_below(const std::vector<std::string>& notes) {
    constexpr std::size_t short_enough = 200;
    std::size_t length = 0;
    for (const std::string& note : notes) length += note.size();
    std::string out;
    if (length <= short_enough) {
        for (const std::string& note : notes) out += "\n" + escaped(note) + "\n";
        return out;
    }
    out = fmt::format("\n<details><summary>{}</summary>\n\n", how_many(notes.size(), "note"));
    for (const std::string& note : notes) out += "- " + escaped(note) + "\n";
    return out + "\n</details>\n";
}

std::string markdown_table(const Table& table) {
    std::string out = table.title.empty() ? "" : "**" + escaped(table.title) + "**\n\n";
    const std::vector<std::size_t> shown = columns_without_bars(table);
    const std::vector<Column> columns = shown_columns(table);
    std::string names = "|", rules = "|";
    for (const std::size_t c : shown) {
        names += " " + escaped(table.columns[c].name) + " |";
        rules += table.columns[c].numbers ? " ---: |" : " --- |";
    }
    out += names + "\n" + rules + "\n";
    for (const auto& row : table.rows) {
        if (row.empty()) continue;
        out += "|";
        for (const std::size_t c : shown)
            out += " " + (c < row.size() ? escaped(cell_text(row[c], columns[c])) : std::string()) +
                   " |";
        out += "\n";
    }
    return out + notes_below(table.notes);
}

/// The broken gates are first, preceded by their number.
std::string markdown_gates(std::vector<GateOutcome> outcomes) {
    const auto passed = std::stable_partition(outcomes.begin(), outcomes.end(),
                                              [](const GateOutcome& o) { return !o.passed; });
    const auto broken = static_cast<std::size_t>(passed - outcomes.begin());
    Table table = gate_table(outcomes);
    table.title = broken == 0
                      ? fmt::format("✅ {} passed", how_many(outcomes.size(), "gate"))
                      : fmt::format("❌ {} of {} failed", broken, how_many(outcomes.size(), "gate"));
    table.columns.insert(table.columns.begin(), {"", false});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        std::vector<Cell> marked;
        marked.emplace_back(std::string(i < broken ? "❌" : "✅"));
        for (Cell& cell : table.rows[i]) marked.push_back(std::move(cell));
        table.rows[i] = std::move(marked);
    }
    return markdown_table(table);
}

}  // namespace

std::string render_markdown(const Report& report) {
    std::string out;
    const auto part = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    if (!report.title.empty()) part("# " + escaped(report.title) + "\n");
    if (!report.gates.empty()) part(markdown_gates(report.gates));
    for_each_section(report.sections, [&](const Section& section, int depth) {
        if (!section.title.empty())
            part(std::string(static_cast<std::size_t>(depth) + 2, '#') + " " +
                 escaped(section.title) + "\n");
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block)) part(markdown_table(*table));
            if (const auto* text = std::get_if<std::string>(&block)) part(paragraph(*text));
        }
    });
    return out;
}

}  // namespace assay
