// A table for people, and the same rows as CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace assay::cli {

enum class Align { left, right };

/// Cells are UTF-8; widths count code points (no wide characters are used). Rows may be shorter
/// than the header.
class Table {
public:
    struct Column {
        std::string name;
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns, std::string title = "");

    void add(std::vector<std::string> cells);
    /// A thin line between groups of rows (text only).
    void rule();
    /// A line below the table (text only).
    void footer(std::string text);
    std::size_t rows() const noexcept { return rows_.size(); }

    /// Aligned text. `colour`: bold header, dim rules (use stdout_is_terminal()). A table wider
    /// than `width` (0: any width) is broken into blocks of columns, each with the first column
    /// again.
    std::string text(bool colour = false, std::size_t width = 0) const;
    /// RFC 4180, header first.
    std::string csv() const;

private:
    std::vector<std::size_t> column_widths() const;
    std::string block(const std::vector<std::size_t>& columns,
                      const std::vector<std::size_t>& widths, bool colour) const;

    std::string title_;
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;  ///< an empty row stands for a rule
    std::vector<std::string> footers_;
};

/// "█████▌    " of `width` cells for a share in [0, 1].
std::string bar(double share, int width);

}  // namespace assay::cli
