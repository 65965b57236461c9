// The format of a file of labels: a table with separators, a table with blanks, or separate lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "containers/csv.h"
#include "data/label_columns.h"

namespace assay {

struct LabelTable {
    enum class Kind : std::uint8_t {
        csv,     ///< columns by `delimiter`
        blanks,  ///< columns separated by one or more blanks
        lines    ///< no columns: each line is a label, or a file and its labels
    };
    Kind kind = Kind::lines;
    char delimiter = '\0';
    std::size_t skipped = 0;      ///< lines before the table (CelebA's number of rows)
    std::size_t added_lines = 0;  ///< lines of the text that the file does not have
    TableSample sample{};         ///< for a table; if `sample.header`, its first row has the names
};

/// Determines the format from the first rows. `named_table` means that the file has a table's
/// extension (has_table_extension()), so its first row is a header unless it names an image. Throws
/// bad_input as CsvReader.
LabelTable look_at_table(std::string_view text, std::string source, bool named_table,
                         const ClassList* classes);

/// The rows of a table with blanks as separators. `text` must outlive the rows.
class BlankRows {
public:
    BlankRows(std::string_view text, const LabelTable& table);
    bool next();
    std::string_view operator[](std::size_t column) const { return words_[column]; }
    std::size_t line() const noexcept { return line_ - table_.added_lines; }

private:
    bool next_line(std::string_view& line);
    std::string_view rest_;
    const LabelTable& table_;
    std::vector<std::string_view> words_;
    std::size_t line_ = 0;
};

/// The rows of a table with another separator, each as long as the first. `text` must outlive
/// them.
class SeparatedRows {
public:
    SeparatedRows(std::string_view text, const LabelTable& table)
        : reader_(text, table.sample.source,
                  {.delimiter = table.delimiter, .header = table.sample.header}),
          columns_(table.sample.names.size()),
          added_lines_(table.added_lines) {}
    /// Throws bad_input for a row of another length.
    bool next();
    std::string_view operator[](std::size_t column) const { return reader_[column]; }
    std::size_t line() const noexcept { return reader_.line() - added_lines_; }

private:
    CsvReader reader_;
    std::size_t columns_, added_lines_;
};

/// Calls read(rows) with the rows below the header, for either kind of table.
template <class Read>
void read_table(std::string_view text, const LabelTable& table, Read&& read) {
    if (table.kind == LabelTable::Kind::blanks) {
        BlankRows rows(text, table);
        read(rows);
    } else {
        SeparatedRows rows(text, table);
        read(rows);
    }
}

}  // namespace assay
