#include "study/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "study/times.h"

namespace assay::study {
namespace {

constexpr std::string_view hash_begins = "xxh128:";
constexpr std::size_t hash_digits = 32;
constexpr std::size_t longest_secret = 200;

bool is_hash(std::string_view text) {
    if (!text.starts_with(hash_begins)) return false;
    text.remove_prefix(hash_begins.size());
    return text.size() == hash_digits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::optional<std::size_t> place_in_words(std::string_view words, std::string_view text) {
    std::optional<std::size_t> found;
    std::size_t n = 0;
    for_each_part(words, " ", [&](std::string_view word) {
        if (word == text) found = n;
        ++n;
    });
    return found;
}

bool is_secret(std::string_view text) {
    return !text.empty() && text.size() <= longest_secret &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string listed_words(std::string_view words) {
    std::string text;
    for_each_part(words, " ", [&](std::string_view word) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
    });
    return text;
}

std::string_view key_of(std::string_view table, std::span<const Table> all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Table& one) { return one.name == table; });
    return found == all.end() ? "" : found->key;
}

}  // namespace

bool is_number(Holds holds) {
    return holds == Holds::number || holds == Holds::row;
}

std::string_view word_of(const Column& column, std::size_t n) {
    std::string_view found;
    for_each_part(column.of, " ", [&](std::string_view word) {
        if (n-- == 0) found = word;
    });
    return found;
}

std::optional<std::size_t> place_of_word(const Column& column, std::string_view text) {
    return place_in_words(column.of, text);
}

bool is_plain_text(std::string_view text, bool lines) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 && !(lines && (byte == '\n' || byte == '\t'))) return false;
        if (byte == 0x7F) return false;
        // The characters U+0080 to U+009F.
        if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
            return false;
    }
    return is_utf8(text);
}

std::string allowed_in(const Column& column) {
    switch (column.holds) {
        case Holds::number:
            if (column.least == INT64_MIN && column.most == INT64_MAX) return "a whole number";
            if (column.most == INT64_MAX)
                return fmt::format("a whole number from {}", column.least);
            return fmt::format("a whole number from {} to {}", column.least, column.most);
        case Holds::row:
            return fmt::format("the number of a row of table {}", column.of);
        case Holds::word:
            return listed_words(column.of);
        case Holds::line:
            return "text in UTF-8 without control characters";
        case Holds::text:
            return "text in UTF-8 without control characters but line ends and tabs";
        case Holds::path:
            return "the name of a file or folder, without a zero byte";
        case Holds::hash:
            return fmt::format("{} and {} hexadecimal digits", hash_begins, hash_digits);
        case Holds::second:
            return "a time in UTC such as 2026-11-23T01:02:03Z";
        case Holds::moment:
            return "a time in UTC such as 2026-11-23T01:02:03.456789Z";
        case Holds::secret:
            return fmt::format("1 to {} printable ASCII characters", longest_secret);
    }
    return "";
}

bool may_hold(const Column& column, std::string_view text) {
    switch (column.holds) {
        case Holds::word:
            return place_of_word(column, text).has_value();
        case Holds::line:
            return is_plain_text(text, false);
        case Holds::text:
            return is_plain_text(text, true);
        case Holds::path:
            return text.find('\0') == std::string_view::npos;
        case Holds::hash:
            return is_hash(text);
        case Holds::second:
            return is_utc_second(text);
        case Holds::moment:
            return is_utc_moment(text);
        case Holds::secret:
            return is_secret(text);
        case Holds::number:
        case Holds::row:
            break;
    }
    return false;
}

bool may_hold(const Column& column, std::int64_t number) {
    if (column.holds == Holds::row) return true;
    return column.holds == Holds::number && number >= column.least && number <= column.most;
}

std::string shown_text(std::string_view text) {
    // The check is applied again, because truncation may cut a character.
    return without_controls(shortened(without_controls(text)));
}

Column column_by(const Column& column, std::string_view name) {
    Column by_name = column;
    if (place_in_words(column.path_names, name)) by_name.holds = Holds::path;
    return by_name;
}

void check_held(const Column& column, std::string_view text, const std::string& what) {
    if (may_hold(column, text)) return;
    refuse(fmt::format("{} is `{}`; allowed: {}", what, shown_text(text), allowed_in(column)));
}

std::string sql_of_column(const Table& table, const Column& column, std::span<const Table> all) {
    std::string sql =
        fmt::format("{} {}", column.name, is_number(column.holds) ? "INTEGER" : "TEXT");
    if (table.key == column.name) sql += " PRIMARY KEY";
    if (!column.optional && !(table.key == column.name && is_number(column.holds)))
        sql += " NOT NULL";
    if (column.unique) sql += " UNIQUE";
    if (!column.missing_text.empty()) sql += fmt::format(" DEFAULT {}", column.missing_text);
    // SQLite only enforces choices with few values, not measurements.
    constexpr std::int64_t most_choices = 200;
    if (column.holds == Holds::number && column.most <= most_choices)
        sql += fmt::format(" CHECK ({} BETWEEN {} AND {})", column.name, column.least, column.most);
    if (column.holds == Holds::word) {
        std::string words;
        for_each_part(column.of, " ", [&](std::string_view word) {
            words += fmt::format("{}'{}'", words.empty() ? "" : ", ", word);
        });
        sql += fmt::format(" CHECK ({} IN ({}))", column.name, words);
    }
    if (column.holds == Holds::row)
        sql += fmt::format(" REFERENCES {} ({})", column.of, key_of(column.of, all));
    return sql;
}

std::string sql_of_table(const Table& table, std::span<const Table> all) {
    const bool composed = table.key.find(',') != std::string_view::npos;
    std::string sql = fmt::format("CREATE TABLE IF NOT EXISTS {} (", table.name);
    for (const Column& column : table.columns) {
        sql += &column == table.columns.data() ? "\n    " : ",\n    ";
        sql += sql_of_column(table, column, all);
    }
    if (composed) sql += fmt::format(",\n    PRIMARY KEY ({})", table.key);
    if (!table.unique.empty()) sql += fmt::format(",\n    UNIQUE ({})", table.unique);
    if (!table.rule.empty()) sql += fmt::format(",\n    CHECK ({})", table.rule);
    sql += composed ? "\n) STRICT, WITHOUT ROWID;\n" : "\n) STRICT;\n";
    if (!table.one_of.empty())
        sql += fmt::format("CREATE UNIQUE INDEX IF NOT EXISTS {0}_counts ON {0} ({1}) WHERE {2};\n",
                           table.name, table.one_of, table.one_where);
    if (!table.index.empty())
        sql += fmt::format("CREATE INDEX IF NOT EXISTS {0}_{1} ON {0} ({1});\n", table.name,
                           table.index);
    return sql;
}

}  // namespace assay::study
