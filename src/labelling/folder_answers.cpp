// Writes people's answers as csv for the next command.
#include <fmt/format.h>

#include <array>

#include "assay/labelling/folder.h"
#include "core/refuse.h"
#include "labelling/folder_settings.h"
#include "study/study_file.h"
#include "study/table_csv.h"

namespace assay::labelling {
namespace {

/// Writes answers for `labels aggregate`.
constexpr std::string_view vote_columns =
    "image.id AS item, class.id AS label, class.name AS class, annotator.name AS annotator, "
    "answer.answer AS answer, question.token AS question, answer.at AS at";
/// Writes answers for `replicate`.
constexpr std::string_view selection_columns =
    "annotator.name AS annotator, image.id AS image, class.id AS label, "
    "answer.answer = 1 AS selected, screen.name AS batch, coalesce(question.gold, 1) = 0 AS "
    "control";
/// Counting answers of annotators who are not blocked, in the order of arrival. Missing rows are
/// null, so that no answer is silently lost.
constexpr std::string_view given_answers =
    "SELECT answer.id, annotator.id, question.id, image.number, class.number, screen.number, "
    "answer.annotator, answer.question, question.image, question.label, shown.screen, "
    "answer.answer, question.gold, {} "
    "FROM answer LEFT JOIN annotator ON annotator.id = answer.annotator "
    "LEFT JOIN question ON question.id = answer.question "
    "LEFT JOIN image ON image.number = question.image "
    "LEFT JOIN class ON class.number = question.label "
    "LEFT JOIN shown ON shown.question = question.id "
    "LEFT JOIN screen ON screen.number = shown.screen "
    "WHERE counts = 1 AND coalesce(blocked, 0) = 0 ORDER BY answer.id";
constexpr int to_answer = 11, to_gold = 12, checked_columns = 13;

/// The folder's file is damaged, or another program wrote it. `before` is the previous answer.
void check_given(const Database& database, const Statement& row, std::int64_t before) {
    constexpr std::array<std::string_view, 5> named = {"annotator", "question", "image", "label",
                                                       "screen"};
    const auto wrong = [&](const std::string& what) {
        refuse(fmt::format("{}: answer {} {}", database.path().string(), row.integer(0), what));
    };
    if (row.integer(0) <= before) wrong("belongs to more than one annotator or screen");
    for (int n = 0; n < 5; ++n) {
        if (!row.is_null(1 + n)) continue;
        // If a question is on no screen, the screen's number is also null.
        const std::string_view what = named.at(static_cast<std::size_t>(n));
        if (row.is_null(6 + n)) wrong(fmt::format("has no {}", what));
        wrong(fmt::format("belongs to {} {}, which does not exist", what, row.integer(6 + n)));
    }
}

}  // namespace

void write_answers_csv(const std::filesystem::path& folder,
                       const std::function<void(std::string_view)>& emit) {
    const Database database =
        study::open_study(folder, study::StudyKind::questions, Database::Access::read);
    const bool grid = read_folder_settings(database).task == Task::grid;
    std::int64_t before = INT64_MIN;
    const auto takes = [&](const Statement& row) {
        check_given(database, row, before);
        before = row.integer(0);
        const auto answer = static_cast<Answer>(row.count(to_answer, 2));
        if (!grid) return true;
        if (!row.is_null(to_gold)) row.count(to_gold, 1);
        // An image that nobody saw does not count as not selected.
        return answer != Answer::cannot_say;
    };
    study::write_csv(database,
                     {.sql = fmt::format(given_answers, grid ? selection_columns : vote_columns),
                      .hidden = checked_columns,
                      .takes = takes,
                      .for_spreadsheets = false,
                      .answers = &study::AnswerWords::vote},
                     emit);
}

}  // namespace assay::labelling
