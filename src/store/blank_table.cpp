#include "store/blank_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {
namespace {

std::vector<std::string_view> words_between_blanks(std::string_view line) {
    std::vector<std::string_view> words;
    for_each_part(line, " \t\r", [&](std::string_view word) { words.push_back(word); });
    return words;
}

bool are_numbers(const std::vector<std::string_view>& words) {
    return std::ranges::all_of(words,
                               [](std::string_view word) { return parse_score(word).has_value(); });
}

void append_csv_row(const std::vector<std::string_view>& words, std::string& csv) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) csv += ',';
        csv += words[i];
    }
    csv += '\n';
}

}  // namespace

bool is_blank_table(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        if (!line.empty() && line.front() != '#') {  // tabs alone already separate a table
            const auto words = words_between_blanks(line);
            return words.size() > 1 && line.find(' ') != std::string_view::npos &&
                   are_numbers(words);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

std::string csv_of_blank_table(std::string_view text) {
    if (!is_blank_table(text)) return {};
    std::string csv;
    std::vector<std::string_view> header;
    std::size_t columns = 0;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        const std::string_view row = trimmed(line);
        if (row.empty()) return;
        const auto words = words_between_blanks(row.substr(row.front() == '#' ? 1 : 0));
        if (row.front() == '#') {
            if (columns == 0) header = words;
            return;
        }
        if (columns == 0) {
            columns = words.size();
            if (header.size() == columns) append_csv_row(header, csv);
        }
        if (words.size() != columns)
            refuse(fmt::format("line {}: {} columns, but the first row has {}", number,
                               words.size(), columns));
        append_csv_row(words, csv);
    });
    return csv;
}

}  // namespace assay::store
