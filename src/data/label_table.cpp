#include "data/label_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/text.h"
#include "data/column_words.h"

namespace assay {
namespace {

using Rows = std::vector<std::vector<std::string>>;
constexpr std::size_t sampled_rows = 256;

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

bool is_row_number(std::string_view cell) {
    std::uint64_t ignored = 0;
    return parse_number(cell, ignored);
}

/// The first rows, with any number of cells. `text` is cut at the end of a line.
Rows rows_by(std::string_view text, const std::string& source, char delimiter) {
    Rows rows;
    CsvReader reader(text, source, {.delimiter = delimiter, .header = false});
    while (rows.size() <= sampled_rows && reader.next()) {
        rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c) rows.back().emplace_back(reader[c]);
    }
    return rows;
}

/// Empty if a line has too many words for a table.
Rows rows_by_blanks(std::string_view text) {
    constexpr std::size_t most_columns = 65'536;
    Rows rows;
    while (!text.empty() && rows.size() <= sampled_rows) {
        const std::size_t end = text.find('\n');
        std::vector<std::string> words;
        for_each_part(text.substr(0, end), " \t\r", [&](std::string_view word) {
            if (words.size() <= most_columns) words.emplace_back(word);
        });
        if (words.size() > most_columns) return {};
        if (!words.empty()) rows.push_back(std::move(words));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return rows;
}

bool equally_long(const Rows& rows, std::size_t from) {
    return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(from), rows.end(),
                       [&](const auto& row) { return row.size() == rows[from].size(); });
}

template <class Holds>
bool all_cells(const Rows& rows, std::size_t from, std::size_t column, Holds&& holds) {
    return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(from), rows.end(),
                       [&](const auto& row) { return holds(trimmed(row[column])); });
}

bool names_image_in(const std::vector<std::string>& row) {
    return std::ranges::any_of(row, [](const auto& cell) { return names_an_image(trimmed(cell)); });
}

/// True if the first row names the columns of the other rows.
bool has_names(const Rows& rows) {
    if (names_image_in(rows.front())) return false;
    bool image = false, label = false, fits = false;
    for (std::size_t c = 0; c < rows.front().size(); ++c) {
        const ColumnWord word = column_word(rows.front()[c]);
        const bool is_image = word == ColumnWord::image || word == ColumnWord::id;
        image = image || is_image;
        label = label || word == ColumnWord::label || word == ColumnWord::labels ||
                word == ColumnWord::boxes;
        fits = fits || (is_image && rows.size() > 1 && all_cells(rows, 1, c, names_an_image));
    }
    return image && (label || fits);
}

/// A sample of the rows that are as long as the first one. It ends at the first other row, which is
/// reported when the table is read.
TableSample sample_of(Rows rows, std::string source, bool header) {
    TableSample sample{.source = std::move(source), .names = {}, .rows = {}, .header = header};
    if (rows.empty()) return sample;
    const std::size_t columns = rows.front().size();
    if (header) sample.names = std::move(rows.front());
    for (std::size_t c = 0; !header && c < columns; ++c)
        sample.names.push_back(std::to_string(c + 1));
    for (std::size_t r = header ? 1 : 0; r < rows.size() && sample.rows.size() < sampled_rows;
         ++r) {
        if (rows[r].size() == columns) sample.rows.push_back(std::move(rows[r]));
    }
    return sample;
}

/// True if rows without images have columns. Otherwise they are sets of labels, in which no label
/// repeats. With `texts`, a column of texts next to a column of numbers also shows that they do.
bool has_columns(const Rows& rows, bool texts) {
    if (rows.size() < 2 || rows.front().size() < 2) return false;
    const auto number = [](std::string_view cell) { return is_row_number(whole_number(cell)); };
    std::size_t numbers = 0;
    for (std::size_t c = 0; c < rows.front().size(); ++c) numbers += all_cells(rows, 0, c, number);
    if (numbers < rows.front().size()) return texts && numbers > 0;
    return std::ranges::any_of(rows, [](std::vector<std::string> row) {
        std::ranges::sort(row);
        return std::ranges::adjacent_find(row) != row.end();
    });
}

/// Accepts a text if all lines have the same number of cells.
std::optional<LabelTable> by_separator(std::string_view text, const std::string& source,
                                       char delimiter) {
    Rows rows;
    try {
        rows = rows_by(text, source, delimiter);
    } catch (const Error&) {
        return std::nullopt;  // quotes that are not those of a csv table
    }
    if (rows.empty() || rows.front().size() < 2 || !equally_long(rows, 0)) return std::nullopt;
    const bool header = has_names(rows);
    bool has_images = header || has_columns(rows, true);
    for (std::size_t c = 0; !has_images && c < rows.front().size(); ++c)
        has_images = all_cells(rows, 0, c, names_an_image);
    if (!has_images) return std::nullopt;
    LabelTable table{.kind = LabelTable::Kind::csv, .delimiter = delimiter};
    table.sample = sample_of(std::move(rows), source, header);
    return table;
}

/// CelebA's form of lists: "5" above "Bald Young" above "a.jpg -1 1".
bool is_celeba(const Rows& rows) {
    if (rows.size() < 3 || rows[0].size() != 1 || !is_row_number(rows[0][0])) return false;
    const std::size_t columns = rows[2].size();
    return !names_image_in(rows[1]) && equally_long(rows, 2) && columns > 1 &&
           all_cells(rows, 2, 0, names_an_image) &&
           (rows[1].size() == columns || rows[1].size() + 1 == columns);
}

/// True if lines without column names are a table, or a file and its labels.
bool is_table_of_blanks(const Rows& rows, const ClassList* classes) {
    const std::size_t columns = rows.front().size();
    const auto of_numbers = [&](std::size_t c) {
        return all_cells(rows, 0, c,
                         [](std::string_view cell) { return is_row_number(whole_number(cell)); });
    };
    const auto may_be_label = [&](std::size_t c) {
        return of_numbers(c) || all_cells(rows, 0, c, [&](std::string_view cell) {
                   return is_wnid(cell) || (classes != nullptr && classes->find(cell));
               });
    };
    if (all_cells(rows, 0, 0, names_an_image)) {
        bool numbers = false;
        for (std::size_t c = 2; c < columns; ++c) numbers = numbers || of_numbers(c);
        constexpr std::size_t box_columns = 6;
        return numbers && (rows.size() > 1 || columns == box_columns);
    }
    // A file's name may contain blanks. Only a label or a number can precede it.
    for (std::size_t c = 1; c < columns; ++c) {
        if (all_cells(rows, 0, c, names_an_image)) return may_be_label(0);
    }
    // A label may contain blanks too, but not four numbers after them.
    constexpr std::size_t columns_without_images = 5;
    return has_columns(rows, columns == columns_without_images);
}

std::optional<LabelTable> by_blanks(std::string_view text, const std::string& source,
                                    const ClassList* classes) {
    Rows rows = rows_by_blanks(text);
    LabelTable table{.kind = LabelTable::Kind::blanks};
    if (is_celeba(rows)) {
        table.skipped = 1;
        rows.erase(rows.begin());
        if (rows[0].size() < rows[1].size()) rows[0].insert(rows[0].begin(), "image_id");
        table.sample = sample_of(std::move(rows), source, true);
        return table;
    }
    if (rows.empty() || !equally_long(rows, 0)) return std::nullopt;
    const bool header = has_names(rows);
    if (!header && !is_table_of_blanks(rows, classes)) return std::nullopt;
    table.sample = sample_of(std::move(rows), source, header);
    return table;
}

}  // namespace

LabelTable look_at_table(std::string_view text, std::string source, bool named_table,
                         const ClassList* classes) {
    const std::string_view all = text;
    text = without_byte_order_mark(text);
    if (named_table) {
        const CsvReader header(all, source);  // reports what is wrong with the header
        if (header.columns().size() == 1) {
            if (auto table = by_blanks(text, source, classes)) return std::move(*table);
        }
        Rows rows = rows_by(all, source, header.delimiter());
        const bool names = !names_image_in(rows.front());
        LabelTable table{.kind = LabelTable::Kind::csv, .delimiter = header.delimiter()};
        table.sample = sample_of(std::move(rows), std::move(source), names);
        return table;
    }
    for (const char delimiter : {'\t', ';', ','}) {
        if (text.find(delimiter) == std::string_view::npos) continue;
        if (auto table = by_separator(text, source, delimiter)) return std::move(*table);
    }
    if (auto table = by_blanks(text, source, classes)) return std::move(*table);
    return {.kind = LabelTable::Kind::lines, .sample = {.source = std::move(source)}};
}

BlankRows::BlankRows(std::string_view text, const LabelTable& table)
    : rest_(without_byte_order_mark(text)), table_(table) {
    std::string_view passed_over;
    for (std::size_t n = table.skipped + (table.sample.header ? 1 : 0); n > 0; --n)
        next_line(passed_over);
}

bool SeparatedRows::next() {
    if (!reader_.next()) return false;
    if (reader_.fields() == columns_) return true;
    throw reader_.error(
        fmt::format("{} fields; the first line has {}", reader_.fields(), columns_));
}

bool BlankRows::next_line(std::string_view& line) {
    while (!rest_.empty()) {
        const std::size_t end = rest_.find('\n');
        line = trimmed(rest_.substr(0, end));
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++line_;
        if (!line.empty()) return true;
    }
    return false;
}

bool BlankRows::next() {
    std::string_view text;
    if (!next_line(text)) return false;
    words_.clear();
    for_each_part(text, " \t", [&](std::string_view word) { words_.push_back(word); });
    if (words_.size() == table_.sample.names.size()) return true;
    throw Error(ErrorCode::bad_input,
                fmt::format("{} line {}: {} words; the other lines have {}", table_.sample.source,
                            line(), words_.size(), table_.sample.names.size()));
}

}  // namespace assay
