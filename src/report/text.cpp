// For a terminal or a log. Columns are aligned, and wide tables are folded into blocks that repeat
// the first column. Texts that are wider than a block are broken between their words.
#include <algorithm>
#include <utility>

#include "core/interval_sides.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "report/gates.h"
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
        for (const Column& column : table.columns) {
            names_.push_back(without_controls(column.name));
            widths_.push_back(text_width(names_.back()));
        }
        const std::vector<Column> shown = shown_columns(table);
        for (const auto& row : table.rows) {
            auto& cells = cells_.emplace_back();
            for (std::size_t c = 0; c < row.size(); ++c) {
                cells.push_back(without_controls(cell_text(row[c], shown[c])));
                widths_[c] = std::max(widths_[c], text_width(cells[c]));
            }
            if (!row.empty()) cells.resize(table.columns.size());
        }
    }

    std::string text(std::size_t width) {
        fit(width);
        std::string out;
        const auto paragraph = [&](const std::string& style, const std::string& words) {
            out += style;
            out += folded(without_controls(words), width, 2) + style_.plain + "\n";
        };
        if (!table_.title.empty()) paragraph(style_.bold, table_.title);
        bool first = true;
        for (const auto& columns : blocks(width)) {
            out += (first ? "" : "\n") + block(columns);
            first = false;
        }
        for (const std::string& note : table_.notes) paragraph(style_.dim, note);
        return out;
    }

private:
    /// Columns of texts that are wider than a block next to the first column become as narrow as a
    /// block. The first column itself becomes half as wide as all.
    void fit(std::size_t width) {
        constexpr std::size_t narrowest = 20;
        for (std::size_t c = 0; width > 0 && c < widths_.size(); ++c) {
            if (table_.columns[c].numbers) continue;
            const std::size_t taken = c == 0 ? width / 2 : widths_[0] + 2;
            const std::size_t most =
                std::max(narrowest, width > taken ? width - taken : std::size_t{0});
            if (widths_[c] <= most) continue;
            std::size_t widest = text_width(names_[c]);
            for (const auto& row : cells_) {
                if (row.empty()) continue;
                for (const std::string& line : folded_lines(row[c], most))
                    widest = std::max(widest, text_width(line));
            }
            widths_[c] = widest;
        }
    }

    /// The columns of each block. Every block except the first repeats column 0.
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

        std::string out = style_.bold + line(columns, names_) + style_.plain + "\n" + ruler;
        for (const auto& row : cells_) out += row.empty() ? ruler : lines(columns, row);
        return out;
    }

    /// Writes a row with as many lines as its longest cell needs.
    std::string lines(const std::vector<std::size_t>& columns,
                      const std::vector<std::string>& cells) const {
        std::vector<std::vector<std::string>> parts(cells.size());
        std::size_t most = 1;
        for (const std::size_t c : columns) {
            // Numbers and fitting texts are unchanged, including double blanks.
            parts[c] = table_.columns[c].numbers ? std::vector{cells[c]}
                                                 : folded_lines(cells[c], widths_[c]);
            most = std::max(most, parts[c].size());
        }
        std::string out;
        for (std::size_t i = 0; i < most; ++i) {
            std::vector<std::string> one(cells.size());
            for (const std::size_t c : columns) {
                if (i < parts[c].size()) one[c] = parts[c][i];
            }
            out += line(columns, one) + "\n";
        }
        return out;
    }

    std::string line(const std::vector<std::size_t>& columns,
                     const std::vector<std::string>& cells) const {
        std::string out;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t c = columns[i];
            const std::size_t used = text_width(cells[c]);
            const std::string pad(widths_[c] > used ? widths_[c] - used : 0, ' ');
            out += (i == 0 ? "" : "  ") +
                   (table_.columns[c].numbers ? pad + cells[c] : cells[c] + pad);
        }
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out;
    }

    const Table& table_;
    const Style& style_;
    std::vector<std::string> names_;  ///< names of the columns
    std::vector<std::vector<std::string>> cells_;
    std::vector<std::size_t> widths_;
};

}  // namespace

std::string render_text(const Report& report, const RenderOptions& options) {
    const Style style(options.colour);
    std::string out;
    const auto part = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    if (!report.title.empty())
        part(style.bold + without_controls(report.title) + style.plain + "\n");
    for_each_section(report.sections, [&](const Section& section, int) {
        if (!section.title.empty())
            part(style.bold + without_controls(section.title) + style.plain + "\n");
        for (const Block& block : section.blocks) {
            if (const auto* table = std::get_if<Table>(&block))
                part(TextTable(*table, style).text(options.width));
            if (const auto* text = std::get_if<std::string>(&block))
                part(without_controls(*text) + "\n");
        }
    });
    if (!report.gates.empty()) part(TextTable(gate_table(report.gates), style).text(options.width));
    return out;
}

}  // namespace assay
