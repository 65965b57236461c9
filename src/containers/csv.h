// Comma- or tab-separated tables (RFC 4180): a reader that walks over text in memory, and a writer
// that only quotes fields that need quotes.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"

namespace assay {

struct CsvOptions {
    /// 0 detects it in the first row, outside quotes: the more frequent of comma and tab. Without
    /// these, it is a semicolon if present, else comma.
    char delimiter = '\0';
    /// The first row names the columns, and every other row must have as many fields. Without a
    /// header, rows may differ in length.
    bool header = true;
};

/// Reads one row at a time. Fields are views into the text. A field with doubled quotes is in a
/// buffer that is valid until the next row. Rows end with LF, CRLF or CR; empty lines are skipped;
/// a UTF-8 byte order mark is dropped. Nothing is trimmed. There may be at most 65,536 columns, and
/// 16 MiB per field. `text` must outlive the reader.
class CsvReader {
public:
    /// Reads the header. `source` names the table in messages (a file's name). Throws bad_input for
    /// UTF-16, damaged quotes, a missing header or a zero byte.
    CsvReader(std::string_view text, std::string source, CsvOptions options = {});

    const std::vector<std::string>& columns() const noexcept { return columns_; }
    char delimiter() const noexcept { return delimiter_; }
    /// The first of `names` that is a column, ignoring ASCII case and surrounding blanks. Throws
    /// bad_input if two columns have that name.
    std::optional<std::size_t> find_column(std::initializer_list<std::string_view> names) const;
    /// The same, but throws bad_input if no column matches, and lists the available columns.
    std::size_t column(std::initializer_list<std::string_view> names) const;

    /// Moves to the next row. Returns false at the end. Throws bad_input: damaged quotes, or a
    /// number of fields that differs from the header.
    bool next();
    std::size_t fields() const noexcept { return fields_.size(); }
    std::string_view operator[](std::size_t column) const {
        return fields_.at(column).view(scratch_);
    }
    /// The line number, from 1, at which the current row begins.
    std::size_t line() const noexcept { return row_line_; }
    /// Formats the place as "labels.csv line 17".
    std::string where() const;
    /// An error about the current row: "labels.csv line 17: `message`".
    Error error(std::string_view message) const;

private:
    struct Field {
        std::string_view text;
        std::size_t scratch_begin = 0, scratch_size = 0;
        bool in_scratch = false;
        std::string_view view(const std::string& scratch) const {
            return in_scratch ? std::string_view(scratch).substr(scratch_begin, scratch_size)
                              : text;
        }
    };
    bool read_row();
    void read_quoted();
    void read_plain();
    bool at_row_end() const;
    void end_line();

    std::string_view text_;
    std::string source_;
    char delimiter_ = ',';
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t row_line_ = 1;
    std::vector<std::string> columns_;
    std::vector<Field> fields_;
    std::string scratch_;
};

/// Appends rows to a text. A field is quoted if it contains a delimiter (comma or tab), a quote, CR
/// or LF. It is also quoted if it begins with a byte order mark, or is empty and alone in its row.
/// CsvReader reads back the same bytes.
class CsvWriter {
public:
    explicit CsvWriter(std::string& out, char delimiter = ',') : out_(out), delimiter_(delimiter) {}
    void field(std::string_view text);
    void end_row();
    void row(std::span<const std::string> fields);
    void row(std::initializer_list<std::string_view> fields);

private:
    std::string& out_;
    char delimiter_;
    std::size_t in_row_ = 0;
    bool first_was_empty_ = false;
};

}  // namespace assay
