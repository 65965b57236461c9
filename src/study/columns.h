// Describes the tables of a study, with each column and its allowed values. The SQL that creates
// the tables, the checks of `assay verify` and the checks of input are derived from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::study {

enum class Holds : std::uint8_t {
    number,  ///< a whole number from `least` to `most`
    row,     ///< the key of a row of the table `of`
    word,    ///< one of the words in `of`, separated by blanks
    line,    ///< UTF-8 without control characters
    text,    ///< a line that may contain newlines and tabs
    path,    ///< any bytes except NUL, because file names need not be text
    hash,    ///< a hash in the form of core/hash.h
    second,  ///< a time in UTC, as utc_now() writes it
    moment,  ///< a time in UTC, as utc_moment_now() writes it
    secret,  ///< 1 to 200 printable ASCII characters, never shown in messages
};

enum class StudyKind : std::uint8_t { competition, questions };

/// The table version that introduced an element, for each kind of study.
struct Since {
    std::int64_t competition = 1, questions = 1;
    constexpr std::int64_t of(StudyKind kind) const {
        return kind == StudyKind::competition ? competition : questions;
    }
};

struct Column {
    std::string_view name;
    Holds holds = Holds::line;
    std::int64_t least = 0, most = INT64_MAX;
    std::string_view of = {};
    bool optional = false;  ///< may be null
    bool unique = false;    ///< no two rows have the same value
    /// The text is a path if the column `path_by` has one of the words in `path_names`.
    std::string_view path_by = {}, path_names = {};
    std::string_view missing_text = {};  ///< SQL for the value in rows of older versions, as "''"
    Since since = {};
};

struct Table {
    std::string_view name;
    std::span<const Column> columns;
    std::string_view key = {};        ///< primary key, "a" or "a, b"; "" if there is none
    std::string_view unique = {};     ///< columns whose combination is unique
    std::string_view rule = {};       ///< SQL that must be true for each row
    std::string_view one_where = {};  ///< among the rows for which this SQL is true, these columns
                                      ///< are unique:
    std::string_view one_of = {};     ///< ... these columns
    std::string_view index = {};      ///< another column with an index
    Since since = {};
};

bool is_number(Holds holds);
/// The n-th word, from 0, that a column may contain, and the number of a text's word.
std::string_view word_of(const Column& column, std::size_t n);
std::optional<std::size_t> place_of_word(const Column& column, std::string_view text);
/// Describes allowed values for messages: "0 to 200", "a time in UTC such as 2026-11-23T01:02:03Z".
std::string allowed_in(const Column& column);
/// True if a text or number of the right type is allowed. References to other tables are not
/// checked.
bool may_hold(const Column& column, std::string_view text);
bool may_hold(const Column& column, std::int64_t number);
/// A text of any bytes for messages, escaped, on one line, and truncated if long.
std::string shown_text(std::string_view text);
/// The column with its meaning in rows whose `path_by` is `name`.
Column column_by(const Column& column, std::string_view name);
/// Throws bad_input, with `what`, the text and the allowed values, if the text is not allowed.
void check_held(const Column& column, std::string_view text, const std::string& what);
/// True if the text is UTF-8 without control characters. `lines` allows newlines and tabs.
bool is_plain_text(std::string_view text, bool lines);

/// Statements that create a table with its indices. `IF NOT EXISTS` keeps an existing table.
std::string sql_of_table(const Table& table, std::span<const Table> all);
/// One column in the form for CREATE TABLE and ALTER TABLE.
std::string sql_of_column(const Table& table, const Column& column, std::span<const Table> all);

}  // namespace assay::study
