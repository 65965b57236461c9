// Answers in a table: one a row.
#include <fmt/format.h>

#include "core/csv.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"

namespace assay::mad {

void read_answers_csv(std::string_view text, const std::string& source, AnswerSink& sink) {
    CsvReader row(text, source);
    // Label Studio's table has the words of the question in `question`, its name beside them.
    const auto token = row.find_column({"question_id", "token", "question"});
    const auto image = row.find_column({"image_id", "image", "path"});
    const auto label = row.find_column({"label", "class"});
    if (!token && !(image && label)) row.column({"question"});  // says which columns there are
    const std::size_t answer = row.column({"answer", "choice"});
    const auto annotator = row.find_column({"annotator", "annotator_id", "worker", "user"});
    const auto updated = row.find_column({"at", "updated_at", "time"});
    const auto created = row.find_column({"created_at"});
    const auto key = row.find_column({"key"});
    const auto annotation = row.find_column({"annotation_id"});
    const auto of = [&row](const std::optional<std::size_t>& column) {
        return column ? from_spreadsheet(trimmed(row[*column])) : std::string();
    };
    constexpr std::size_t often = 1024;
    for (std::size_t rows = 0; row.next(); ++rows) {
        if (rows % often == 0) throw_if_stopped();
        const std::string said = from_spreadsheet(trimmed(row[answer]));
        if (says_nothing(said)) {
            ++sink.skipped;
            continue;
        }
        FoundAnswer found;
        found.where = row.where();
        found.question = of(token);
        found.image = of(image);
        found.label = of(label);
        found.annotator = of(annotator);
        found.key = of(key);
        found.annotation = of(annotation);
        const std::optional<Answer> known = answer_named(said);
        if (!known) {
            refuse(fmt::format("{}: the answer is `{}`; allowed: {}", found.where, shortened(said),
                               known_answers()));
        }
        found.answer = *known;
        std::string at = of(updated);
        if (at.empty()) at = of(created);
        if (!at.empty()) {
            const std::optional<std::string> utc = utc_time_of(at);
            if (!utc) {
                refuse(fmt::format("{}: the time is `{}`; allowed: as 2026-11-23T01:02:03Z",
                                   found.where, shortened(at)));
            }
            found.at = *utc;
        }
        sink.found(found);
    }
}

void read_found_answers(std::string_view text, const std::string& source, AnswerSink& sink) {
    std::string_view begin = text;
    if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
    const std::size_t first = begin.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) refuse(fmt::format("{}: it is empty", source));
    if (begin[first] == '[' || begin[first] == '{') {
        read_label_studio(text, source, sink);
    } else {
        read_answers_csv(text, source, sink);
    }
}

}  // namespace assay::mad
