// Questions to people: "is there a LABEL in IMAGE?", and their answers. Each question is asked
// once, however many pairs of classifiers need it, in random order, and without mentioning
// classifiers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/mad/pairs.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::mad {

/// The way to spend a budget on images.
enum class AskOrder : std::uint8_t {
    information,  ///< draws images; those that are expected to tell more about the order are more
                  ///< likely
    random,       ///< draws images with equal probabilities
    shared,       ///< the images that most pairs share come first; these are no random part of the
                  ///< lists
};
constexpr auto words_of(AskOrder) {
    return std::array<std::pair<AskOrder, std::string_view>, 3>{
        {{AskOrder::information, "information"},
         {AskOrder::random, "random"},
         {AskOrder::shared, "shared"}}};
}
std::string_view name_of(AskOrder order);
/// Throws usage with the known names.
AskOrder ask_order_named(std::string_view name);

struct QuestionOptions {
    /// A csv with questions whose answers are known. Its columns are image, label (id, name or
    /// number of a class) and answer (yes, no). An image is an id or path of the data set, or a
    /// file, relative to the csv's folder. The proportion in the competition's settings is drawn
    /// from it at random, in addition to those that are asked anyway. "" adds none. Images in a
    /// separate folder would be recognizable by their paths.
    std::filesystem::path gold;
    /// Asks new questions (not counting gold) until this many open questions have no answer yet,
    /// including those of earlier rounds. It asks for whole images, so the last one may exceed the
    /// budget. What remains goes to the control sample. 0 asks nothing. Unset asks all missing
    /// questions.
    std::optional<std::uint64_t> budget;
    AskOrder ask = AskOrder::information;  ///< order of the images within the budget
    /// Asks nothing more (except gold) once the ranking is known well enough. The number, in (0,
    /// 1), is the required expected Kendall correlation with the ranking from all selected images
    /// (Ranking::list_tau).
    std::optional<double> stop_at;
    std::string reason;
};

struct QuestionRound {
    std::uint64_t added = 0;  ///< questions added by this round, without gold
    std::uint64_t added_gold = 0;
    std::uint64_t waiting = 0;    ///< with a budget: questions of earlier rounds without an answer
    std::uint64_t questions = 0;  ///< total, including gold
    std::uint64_t gold = 0;
    std::uint64_t open = 0;          ///< not settled yet
    std::uint64_t asked_places = 0;  ///< accepted places of pairs for which both questions are
                                     ///< asked
    std::uint64_t accepted_places = 0;
    std::uint64_t saved = 0;  ///< questions that at least two places share, and that so need not be
                              ///< asked again
    std::uint64_t control = 0, asked_control = 0;  ///< images for which all questions are asked
    std::uint64_t images_drawn = 0;                ///< with a budget: images drawn in this round
    std::optional<AskOrder> ask;                   ///< likewise
    /// The value of Ranking::list_tau before this round, with budget or stop_at.
    std::optional<double> list_tau;
    bool stopped = false;  ///< true if stop_at ended the questions
    std::vector<std::string> warnings;
};
/// Asks in one transaction. A question with a known answer is asked like any other, to measure
/// annotators. If a pair needs it too, the known answer is used instead of people's. Throws
/// bad_input for a gold file that is damaged, names no image or class, or contradicts itself or
/// known answers. Throws usage if options are out of range or nothing is selected yet.
QuestionRound ask_questions(Competition& competition, const QuestionOptions& options = {});
/// Schema "assay.mad_questions/1", see docs/results.md.
ResultType result_type(ResultOf<QuestionRound>);
Report report_of(const QuestionRound& round);

/// An open question as an annotator sees it.
struct OpenQuestion {
    std::string token;           ///< identifies it without revealing classifiers or gold
    std::string image;           ///< id
    std::filesystem::path path;  ///< path of the image, including the images' folder if it is known
    std::string relative_path;   ///< as in the data set; for other gold images as `below` says
    /// False for gold images outside the folder of the images. Their relative_path is absolute, so
    /// that no prefix leads to them.
    bool below = true;
    std::string label, label_name;
    std::uint32_t answers = 0;  ///< there are
    std::uint32_t wanted = 0;   ///< the most further answers; a question may be settled earlier
};
/// All open questions in the random order of asking, including gold.
std::vector<OpenQuestion> open_questions(const Competition& competition);
/// csv: question, image, path, label, name, answers, wanted. A text that a spreadsheet would read
/// as a formula gets an apostrophe, which read_answers_into() removes.
std::string questions_csv(const std::vector<OpenQuestion>& questions);
/// Call before replacing `file` by questions: throws usage if it is a csv with a column `answer` or
/// `choice`, which people have filled in meanwhile.
void check_holds_no_answers(const std::filesystem::path& file);
/// Tasks as Label Studio imports them (JSON), with data.image, data.question and data.question_id.
/// `prefix` precedes each path of the data set, and tells Label Studio where to find the files: ""
/// gives plain paths, and "/data/local-files/?d=" suits its local storage. After a prefix, paths
/// are URL-encoded, with %20 for a blank. Throws usage for a prefix if there are gold images
/// outside the folder of the images.
std::string label_studio_tasks(const std::vector<OpenQuestion>& questions,
                               std::string_view prefix = {});
/// The labeling configuration (XML) for the tasks.
std::string label_studio_config();

struct AnswerOptions {
    /// csv, or a Label Studio export (JSON, JSON-MIN, CSV), recognized by its contents.
    std::filesystem::path file;
    /// The annotator if the file names none or only one, who is then replaced. "" uses the
    /// file's.
    std::string annotator;
};
struct AnswerRound {
    std::filesystem::path file;
    std::uint64_t read = 0;        ///< answers in the file
    std::uint64_t added = 0;       ///< answers to questions that their annotators had not answered
    std::uint64_t changed = 0;     ///< answers that replaced another answer of that annotator, or
                                   ///< its tags
    std::uint64_t repeated = 0;    ///< answers that were stored before, or repeated
    std::uint64_t outdated = 0;    ///< stored answers that their annotator replaced later
    std::uint64_t skipped = 0;     ///< tasks without an answer, drafts, canceled ones
    std::uint64_t taken_back = 0;  ///< annotations among these whose answer counted until now
    std::uint64_t annotators = 0;  ///< total number of annotators
    std::uint64_t settled = 0;     ///< all settled questions
    std::uint64_t open = 0;        ///< number from open_questions()
    std::uint64_t unclear = 0;     ///< questions that people cannot judge, so that their images are
                                   ///< replaced
    /// Warnings about annotators (annotator_check.h), and about known answers that most people
    /// contradict.
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<AnswerRound>);
/// Stores all answers of a file, or none. Reading the same file again adds nothing. For rows
/// without a time, a file with other bytes counts as new answers. The columns of a csv are question
/// (or image and label), annotator, answer, and optionally at (a time) and key. An answer is yes,
/// no, cannot say, another common spelling, or 1, 0. Equal keys mean the same answer. Of an
/// annotator's answers to a question, the last one counts, by its time, which is the time of
/// reading if the file has none. For equal times, the answer that is read later counts. Memory: the
/// largest task, and the database's needs. Throws bad_input for an unknown question (with the row
/// and the nearest one), answer or form, or no annotator.
AnswerRound read_answers_into(Competition& competition, const AnswerOptions& options);
/// Reads several files in sequence. An error says how many of them were stored.
std::vector<AnswerRound> read_answers_into(Competition& competition,
                                           const std::vector<std::filesystem::path>& files,
                                           const std::string& annotator = {});
/// Schema "assay.mad_answers/1".
Report report_of(const AnswerRound& round);
Report report_of(const std::vector<AnswerRound>& rounds);

struct BlockRound {
    std::string annotator;
    bool blocked = false, changed = false;  ///< `changed` is false if it was so before
    std::uint64_t answers = 0;              ///< answers of that annotator that count or would count
    std::uint64_t settled = 0, open = 0;    ///< questions now
};
/// Keeps an annotator's answers, but excludes them from all results from now on, or includes them
/// again. Throws usage for an unknown annotator, with the nearest name.
BlockRound block_annotator(Competition& competition, std::string_view name, bool blocked,
                           std::string_view reason);
/// Schema "assay.mad_block/1", see docs/results.md.
ResultType result_type(ResultOf<BlockRound>);
Report report_of(const BlockRound& round);

/// Writes all data of the competition, for pandas and for Label Studio: classifiers.csv,
/// selected.csv, control.csv, questions.csv, answers.csv, decisions.csv, annotations.json,
/// config.xml and export.json. The file annotations.json has tasks with the annotations that count,
/// for import into Label Studio. The hashes of these files are in export.json, so that only files
/// from an export are ever replaced. The results' `meta` names annotators. With `users`, those
/// whose names are e-mail addresses are also in `completed_by`, which Label Studio accepts only if
/// it knows all of them. The same competition gives the same bytes. Returns the files. Throws usage
/// if the folder has other files, or files with these names that no export wrote; bad_input for a
/// damaged export.json; io.
std::vector<std::filesystem::path> export_competition(const Competition& competition,
                                                      const std::filesystem::path& folder,
                                                      std::string_view prefix = {},
                                                      bool users = false);
/// Schema "assay.mad_export/1": the files with their sizes.
Report report_of_export(const std::vector<std::filesystem::path>& files);

}  // namespace assay::mad
