// Columns of a table of votes that have two plausible readings.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

/// 1 for columns whose first cells are words for yes or no.
std::vector<char> columns_of_yes_and_no(CsvReader rows) {
    constexpr int some = 100;
    std::vector<char> said(rows.columns().size(), 0), other(said);
    for (int n = 0; n < some && rows.next(); ++n) {
        for (std::size_t c = 0; c < said.size(); ++c) {
            const std::string_view cell = trimmed(rows[c]);
            if (other[c] != 0 || says_nothing(cell)) continue;
            const auto answer = said_by(cell);
            const bool word = answer && cell.find_first_of("01") == std::string_view::npos;
            if (!word) other[c] = 1;
            if (word && *answer != Said::cannot_say) said[c] = 1;
        }
    }
    for (std::size_t c = 0; c < said.size(); ++c)
        if (other[c] != 0) said[c] = 0;
    return said;
}

}  // namespace

void refuse_doubtful(const CsvReader& table, std::size_t label, const std::string& source) {
    static const std::vector<std::string> answers = {"answer", "response", "choice"};
    const std::vector<char> yes_and_no = columns_of_yes_and_no(table);
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const std::string name = plain_name(table.columns()[c]);
        if (c == label || is_among(name, other_words) || is_among(name, annotator_words) ||
            is_among(name, item_words))
            continue;
        if (yes_and_no[c] == 0 && !is_among(name, doubtful_words) &&
            nearest_name(name, answers).empty())
            continue;
        const std::string asked = shortened(trimmed(table.columns()[label]));
        refuse(
            fmt::format("{}: is column {} the answer to whether {} fits, or is {} the class that "
                        "an annotator chose? Name that column `answer`, or omit it",
                        source, shortened(trimmed(table.columns()[c])), asked, asked));
    }
}

}  // namespace assay::crowd
