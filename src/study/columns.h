// How tables of a study are described: each column once, with what it may hold. The SQL that makes
// the tables, what `assay verify` checks and what is refused on its way in follow from it.
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
    word,    ///< one of the words in `of`, which are separated by blanks
    line,    ///< UTF-8 without control characters
    text,    ///< likewise, but line ends and tabs
    path,    ///< any bytes but NUL: names of files need not be text
    hash,    ///< as core/hash.h writes it
    second,  ///< a time in UTC, as utc_now() writes it
    moment,  ///< a time in UTC, as utc_moment_now() writes it
    secret,  ///< 1 to 200 printable ASCII characters, which no message shows
};

enum class StudyKind : std::uint8_t { competition, questions };

/// The version of the tables that brought something, for each kind of study.
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
    /// Where the column `path_by` has one of the words of `path_names`, the text is a path.
    std::string_view path_by = {}, path_names = {};
    std::string_view missing_text = {};  ///< SQL: what rows of older versions get, as "''"
    Since since = {};
};

struct Table {
    std::string_view name;
    std::span<const Column> columns;
    std::string_view key = {};        ///< primary key, "a" or "a, b"; "": none
    std::string_view unique = {};     ///< columns that no two rows share
    std::string_view rule = {};       ///< SQL that holds for each row
    std::string_view one_where = {};  ///< of the rows for which this holds (SQL), no two share ...
    std::string_view one_of = {};     ///< ... these columns
    std::string_view index = {};      ///< one more column that is looked up by
    Since since = {};
};

bool is_number(Holds holds);
/// Of the words that a column may hold, the n-th from 0, and which of them a text is.
std::string_view word_of(const Column& column, std::size_t n);
std::optional<std::size_t> place_of_word(const Column& column, std::string_view text);
/// "0 to 200", "a time in UTC such as 2026-11-23T01:02:03Z": for messages.
std::string allowed_in(const Column& column);
/// Whether a text or number of the right type may stand there. Rows of other tables are not
/// looked at.
bool may_hold(const Column& column, std::string_view text);
bool may_hold(const Column& column, std::int64_t number);
/// A text of any bytes for messages: escaped, on one line, and cut where it is long.
std::string shown_text(std::string_view text);
/// The same column where the row's `path_by` is `name`.
Column column_by(const Column& column, std::string_view name);
/// Throws bad_input, naming `what`, the text and what is allowed: it may not stand there.
void check_held(const Column& column, std::string_view text, const std::string& what);
/// UTF-8 without control characters; `lines`: line ends and tabs are allowed.
bool is_plain_text(std::string_view text, bool lines);

/// Statements that make a table with its indices. `IF NOT EXISTS`: a table that is there stays.
std::string sql_of_table(const Table& table, std::span<const Table> all);
/// One column, as in CREATE TABLE and ALTER TABLE.
std::string sql_of_column(const Table& table, const Column& column, std::span<const Table> all);

}  // namespace assay::study
