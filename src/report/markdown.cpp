// For issues, pull requests and READMEs: GitHub's tables.
#include <algorithm>

#include "report/renderers.h"

namespace assay {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<') out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

/// A paragraph; its lines stay lines.
std::string paragraph(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += (begin == 0 ? "" : "\\\n") + escaped(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out + "\n";
}

std::string markdown_table(const Table& table) {
    std::string out = table.title.empty() ? "" : "**" + escaped(table.title) + "**\n\n";
    const std::vector<std::size_t> shown = columns_without_bars(table);
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
            out += " " +
                   (c < row.size() ? escaped(cell_text(row[c], table.columns[c])) : std::string()) +
                   " |";
        out += "\n";
    }
    for (const std::string& note : table.notes) out += "\n" + escaped(note) + "\n";
    return out;
}

}  // namespace

std::string render_markdown(const Report& report) {
    std::string out;
    const auto part = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    if (!report.title.empty()) part("# " + escaped(report.title) + "\n");
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
