#include "study/table_csv.h"

#include <fmt/format.h>

#include "containers/csv.h"
#include "core/terminal_text.h"
#include "study/tags.h"

namespace assay::study {
namespace {

constexpr std::size_t csv_piece_bytes = std::size_t{1} << 16;

bool looks_like_formula(std::string_view text) {
    constexpr std::string_view risky = "=+-@\t\r\n'";
    return !text.empty() && risky.find(text.front()) != std::string_view::npos;
}

}  // namespace

std::string for_spreadsheet(std::string_view text) {
    // File names may contain any bytes, but csv readers only accept UTF-8.
    const std::string plain = is_utf8(text) ? std::string(text) : without_controls(text);
    return looks_like_formula(plain) ? "'" + plain : plain;
}

std::string from_spreadsheet(std::string_view text) {
    if (text.starts_with('\'') && looks_like_formula(text.substr(1))) text.remove_prefix(1);
    return std::string(text);
}

void write_csv(const Database& database, const CsvQuery& query,
               const std::function<void(std::string_view)>& emit) {
    Statement row = database.prepare(query.sql);
    std::string piece;
    CsvWriter csv(piece);
    for (int at = query.hidden; at < row.columns(); ++at) csv.field(row.name(at));
    csv.end_row();
    while (row.step()) {
        if (query.takes && !query.takes(row)) continue;
        for (int at = query.hidden; at < row.columns(); ++at) {
            const std::string text =
                row.name(at) == "answer"
                    ? std::string(words_for(static_cast<Answer>(row.count(at, 2))).*query.answers)
                    : row.text(at);
            csv.field(query.for_spreadsheets ? for_spreadsheet(text) : text);
        }
        csv.end_row();
        if (piece.size() < csv_piece_bytes) continue;
        emit(piece);
        piece.clear();
    }
    emit(piece);
}

std::string csv_of(const Database& database, const CsvQuery& query) {
    std::string text;
    write_csv(database, query, [&](std::string_view piece) { text += piece; });
    return text;
}

std::string answers_csv(const Database& database) {
    return csv_of(
        database,
        {fmt::format("SELECT token AS question, image.id AS image, class.id AS label, "
                     "annotator.name AS annotator, answer, at, counts, blocked, source, key, "
                     "replace({}, char(10), '; ') AS tags FROM answer "
                     "JOIN question ON question.id = answer.question "
                     "JOIN image ON image.number = question.image "
                     "JOIN class ON class.number = question.label "
                     "JOIN annotator ON annotator.id = answer.annotator ORDER BY answer.id",
                     tags_column(database, StudyKind::competition))});
}

}  // namespace assay::study
