#include "mad/answers_table.h"

#include "containers/csv.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"

namespace assay::mad {

std::string answers_table(const Database& database) {
    std::string text;
    CsvWriter csv(text);
    csv.row({"question", "image", "label", "annotator", "answer", "at", "counts", "blocked",
             "source", "key"});
    Statement row = database.prepare(
        "SELECT token, image.id, class.id, annotator.name, answer, at, counts, blocked, source, "
        "key FROM answer JOIN question ON question.id = answer.question "
        "JOIN image ON image.number = question.image "
        "JOIN class ON class.number = question.label "
        "JOIN annotator ON annotator.id = answer.annotator ORDER BY answer.id");
    while (row.step()) {
        csv.row({row.text(0), for_spreadsheet(row.text(1)), for_spreadsheet(row.text(2)),
                 for_spreadsheet(row.text(3)), name_of(static_cast<Answer>(row.count(4, 2))),
                 row.text(5), row.text(6), row.text(7), for_spreadsheet(row.text(8)),
                 for_spreadsheet(row.text(9))});
    }
    return text;
}

}  // namespace assay::mad
