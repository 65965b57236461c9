#include "cli/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/csv.h"

namespace assay::cli {
namespace {

/// Code points: every byte that does not continue one.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

Table::Table(std::vector<Column> columns, std::string title)
    : title_(std::move(title)), columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

void Table::rule() {
    rows_.emplace_back();
}
void Table::footer(std::string text) {
    footers_.push_back(std::move(text));
}

std::vector<std::size_t> Table::column_widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = width_of(columns_[c].name);
        for (const auto& row : rows_) {
            if (!row.empty()) width = std::max(width, width_of(row[c]));
        }
        widths.push_back(width);
    }
    return widths;
}

std::string Table::block(const std::vector<std::size_t>& columns,
                         const std::vector<std::size_t>& widths, bool colour) const {
    const std::string bold = colour ? "\033[1m" : "";
    const std::string dim = colour ? "\033[2m" : "";
    const std::string plain = colour ? "\033[0m" : "";
    const auto line = [&](const auto& cell_of) {
        std::string out;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t c = columns[i];
            const std::string& cell = cell_of(c);
            const std::string pad(widths[c] - width_of(cell), ' ');
            out += (i == 0 ? "" : "  ") +
                   (columns_[c].align == Align::right ? pad + cell : cell + pad);
        }
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out;
    };

    std::size_t total = columns.empty() ? 0 : 2 * (columns.size() - 1);
    for (const std::size_t c : columns) total += widths[c];
    std::string ruler;
    for (std::size_t i = 0; i < total; ++i) ruler += "─";
    const std::string rule_line = dim + ruler + plain + "\n";

    std::string out = bold +
                      line([&](std::size_t c) -> const std::string& { return columns_[c].name; }) +
                      plain + "\n" + rule_line;
    for (const auto& row : rows_) {
        out += row.empty()
                   ? rule_line
                   : line([&](std::size_t c) -> const std::string& { return row[c]; }) + "\n";
    }
    return out;
}

std::string Table::text(bool colour, std::size_t width) const {
    const std::vector<std::size_t> widths = column_widths();
    std::vector<std::vector<std::size_t>> blocks;
    std::size_t used = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (blocks.empty() ||
            (width > 0 && blocks.back().size() > 1 && used + 2 + widths[c] > width)) {
            blocks.emplace_back();
            used = 0;
            if (c > 0) {
                blocks.back().push_back(0);
                used = widths[0];
            }
        }
        blocks.back().push_back(c);
        used += (blocks.back().size() > 1 ? 2 : 0) + widths[c];
    }

    std::string out =
        title_.empty() ? "" : (colour ? "\033[1m" : "") + title_ + (colour ? "\033[0m" : "") + "\n";
    for (std::size_t i = 0; i < blocks.size(); ++i)
        out += (i == 0 ? "" : "\n") + block(blocks[i], widths, colour);
    for (const std::string& footer : footers_)
        out += (colour ? "\033[2m" : "") + footer + (colour ? "\033[0m" : "") + "\n";
    return out;
}

std::string Table::csv() const {
    std::string out;
    CsvWriter writer(out);
    for (const Column& column : columns_) writer.field(column.name);
    writer.end_row();
    for (const auto& row : rows_) {
        if (!row.empty()) writer.row(row);
    }
    return out;
}

std::string bar(double share, int width) {
    static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8.0));
    std::string out;
    for (int i = 0; i < filled / 8; ++i) out += "█";
    int cells = filled / 8;
    if (filled % 8 != 0) {
        out += eighths[filled % 8];
        ++cells;
    }
    return out + std::string(static_cast<std::size_t>(std::max(0, width - cells)), ' ');
}

}  // namespace assay::cli
