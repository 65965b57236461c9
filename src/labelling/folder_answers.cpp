// What people said, as the csv that the next command reads.
#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "assay/labelling/folder.h"
#include "containers/csv.h"
#include "core/refuse.h"
#include "labelling/folder_file.h"
#include "labelling/folder_settings.h"

namespace assay::labelling {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

/// The middle of the scale of votes.
std::string_view vote_of(Answer answer) {
    switch (answer) {
        case Answer::no:
            return "no";
        case Answer::yes:
            return "yes";
        case Answer::cannot_say:
            return "maybe";
    }
    return "";
}

/// Answers that count, of annotators who are not blocked, in the order in which they came. Rows
/// that are missing are null: no answer is lost without a word.
constexpr std::string_view given_answers =
    "SELECT answer.id, annotator.id, question.id, image.number, class.number, screen.number, "
    "answer.annotator, answer.question, question.image, question.label, shown.screen, "
    "annotator.name, image.id, class.id, answer.answer, class.name, question.token, answer.at, "
    "screen.name, question.gold "
    "FROM answer LEFT JOIN annotator ON annotator.id = answer.annotator "
    "LEFT JOIN question ON question.id = answer.question "
    "LEFT JOIN image ON image.number = question.image "
    "LEFT JOIN class ON class.number = question.label "
    "LEFT JOIN shown ON shown.question = question.id "
    "LEFT JOIN screen ON screen.number = shown.screen "
    "WHERE counts = 1 AND coalesce(blocked, 0) = 0 ORDER BY answer.id";
constexpr int to_annotator = 11, to_image = 12, to_label = 13, to_answer = 14, to_class = 15,
              to_token = 16, to_time = 17, to_screen = 18, to_gold = 19;

/// The file of a folder is damaged, or another program wrote it. `before`: the answer before.
void check_given(const Database& database, const Statement& row, std::int64_t before) {
    constexpr std::array<std::string_view, 5> named = {"annotator", "question", "image", "label",
                                                       "screen"};
    const auto wrong = [&](const std::string& what) {
        refuse(fmt::format("{}: answer {} {}", database.path().string(), row.integer(0), what));
    };
    if (row.integer(0) <= before) wrong("belongs to more than one annotator or screen");
    for (int n = 0; n < 5; ++n) {
        if (!row.is_null(1 + n)) continue;
        // Of a question that is on no screen, the place of the screen's number is empty, too.
        const std::string_view what = named.at(static_cast<std::size_t>(n));
        if (row.is_null(6 + n)) wrong(fmt::format("has no {}", what));
        wrong(fmt::format("belongs to {} {}, which is not there", what, row.integer(6 + n)));
    }
}

/// Rows as text, handed on in pieces.
template <class Row>
void write_rows(const Database& database, std::initializer_list<std::string_view> header,
                const std::function<void(std::string_view)>& emit, Row&& write) {
    std::string piece;
    CsvWriter csv(piece);
    csv.row(header);
    Statement row = database.prepare(given_answers);
    for (std::int64_t before = INT64_MIN; row.step(); before = row.integer(0)) {
        check_given(database, row, before);
        if (!write(csv, row)) continue;
        csv.end_row();
        if (piece.size() < piece_bytes) continue;
        emit(piece);
        piece.clear();
    }
    emit(piece);
}

}  // namespace

void write_answers_csv(const std::filesystem::path& folder,
                       const std::function<void(std::string_view)>& emit) {
    const Database database = open_folder(folder, Database::Access::read);
    if (read_folder_settings(database).task == Task::grid) {
        write_rows(database, {"annotator", "image", "label", "selected", "batch", "control"}, emit,
                   [](CsvWriter& csv, const Statement& row) {
                       const auto answer = static_cast<Answer>(row.count(to_answer, 2));
                       // Nobody saw the image: that is no image which was not selected.
                       if (answer == Answer::cannot_say) return false;
                       for (const int column : {to_annotator, to_image, to_label})
                           csv.field(row.text(column));
                       csv.field(answer == Answer::yes ? "1" : "0");
                       csv.field(row.text(to_screen));
                       csv.field(!row.is_null(to_gold) && row.count(to_gold, 1) == 0 ? "1" : "0");
                       return true;
                   });
        return;
    }
    write_rows(database, {"item", "label", "class", "annotator", "answer", "question", "at"}, emit,
               [](CsvWriter& csv, const Statement& row) {
                   for (const int column : {to_image, to_label, to_class, to_annotator})
                       csv.field(row.text(column));
                   csv.field(vote_of(static_cast<Answer>(row.count(to_answer, 2))));
                   for (const int column : {to_token, to_time}) csv.field(row.text(column));
                   return true;
               });
}

}  // namespace assay::labelling
