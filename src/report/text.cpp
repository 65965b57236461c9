// For a terminal or a log: aligned columns, wide tables folded into blocks that repeat the first
// column.
#include <algorithm>

#include "report/renderers.h"

namespace assay {
namespace {

struct Style {
    explicit Style(bool colour)
        : bold(colour ? "\033[1m" : ""),
          dim(colour ? "\033[2m" : ""),
          plain(colour ? "\033[0m" : "") {}
    std::string bold, dim, plain;
};

class TextTable {
public:
    TextTable(const Table& table, const Style& style) : table_(table), style_(style) {
        for (const Column& column : table.columns) widths_.push_back(text_width(column.name));
        for (const auto& row : table.rows) {
            auto& cells = cells_.emplace_back();
            for (std::size_t c = 0; c < row.size(); ++c) {
                cells.push_back(cell_text(row[c], table.columns[c]));
                widths_[c] = std::max(widths_[c], text_width(cells[c]));
            }
            if (!row.empty()) cells.resize(table.columns.size());
        }
    }

    std::string text(std::size_t width) const {
        std::string out =
            table_.title.empty() ? "" : style_.bold + table_.title + style_.plain + "\n";
        bool first = true;
        for (const auto& columns : blocks(width)) {
            out += (first ? "" : "\n") + block(columns);
            first = false;
        }
        for (const std::string& note : table_.notes) out += style_.dim + note + style_.plain + "\n";
        return out;
    }

private:
    /// The columns of each block; every block but the first begins with column 0 again.
    std::vector<std::vector<std::size_t>> blocks(std::size_t width) const {
        std::vector<std::vector<std::size_t>> out;
        std::size_t used = 0;
        for (std::size_t c = 0; c < widths_.size(); ++c) {
            if (out.empty() ||
                (width > 0 && out.back().size() > 1 && used + 2 + widths_[c] > width)) {
                out.emplace_back();
                used = 0;
                if (c > 0) {
                    out.back().push_back(0);
                    used = widths_[0];
                }
            }
            used += (out.back().empty() ? 0 : 2) + widths_[c];
            out.back().push_back(c);
        }
        return out;
    }

    std::string block(const std::vector<std::size_t>& columns) const {
        std::size_t total = columns.empty() ? 0 : 2 * (columns.size() - 1);
        for (const std::size_t c : columns) total += widths_[c];
        std::string ruler = style_.dim;
        for (std::size_t i = 0; i < total; ++i) ruler += "─";
        ruler += style_.plain + "\n";

        std::vector<std::string> names;
        for (const Column& column : table_.columns) names.push_back(column.name);
        std::string out = style_.bold + line(columns, names) + style_.plain + "\n" + ruler;
        for (const auto& row : cells_) out += row.empty() ? ruler : line(columns, row) + "\n";
        return out;
    }

    std::string line(const std::vector<std::size_t>& columns,
                     const std::vector<std::string>& cells) const {
        std::string out;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t c = columns[i];
            const std::string pad(widths_[c] - text_width(cells[c]), ' ');
            out += (i == 0 ? "" : "  ") +
                   (table_.columns[c].numbers ? pad + cells[c] : cells[c] + pad);
        }
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out;
    }

    const Table& table_;
    const Style& style_;
    std::vector<std::vector<std::string>> cells_;
    std::vector<std::size_t> widths_;
};

}  // namespace

std::string render_text(const Report& report, const RenderOptions& options) {
    const Style style(options.colour);
    std::string out;
    const auto part = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    if (!report.title.empty()) part(style.bold + report.title + style.plain + "\n");
    for_each_section(report.sections, [&](const Section& section, int) {
        if (!section.title.empty()) part(style.bold + section.title + style.plain + "\n");
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block))
                part(TextTable(*table, style).text(options.width));
            if (const auto* text = std::get_if<std::string>(&block)) part(*text + "\n");
        }
    });
    return out;
}

}  // namespace assay
