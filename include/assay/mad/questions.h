// Questions to people: "is there a LABEL in IMAGE?", each asked once however many pairs of
// classifiers need it, in random order, without a word about classifiers; and their answers.
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

/// Which images a budget goes to.
enum class AskOrder : std::uint8_t {
    information,  ///< drawn, those likelier that are expected to tell more about the order
    random,       ///< drawn, all alike
    shared,       ///< those that most pairs share first: no random part of the lists
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
    /// csv, columns image (an id or path of the data set, or a file, seen from the csv's folder),
    /// label (id, name or number of a class) and answer (yes, no): questions whose answers are
    /// known, from which the proportion that the competition's settings ask for is taken at random,
    /// beside all that are asked anyway. "": no further ones. Images in a folder of their own would
    /// give themselves away by their paths.
    std::filesystem::path gold;
    /// New questions (gold apart) until so many are open that nobody has answered, those of earlier
    /// rounds among them: whole images, so that the last one may go beyond; what is left goes to
    /// the control sample. 0: nothing is asked. Unset: all that are missing.
    std::optional<std::uint64_t> budget;
    AskOrder ask = AskOrder::information;  ///< of the budget
    /// Nothing more (gold apart) is asked once the ranking is known so well: its expected Kendall
    /// correlation with the one that all selected images would give (Ranking::list_tau), in (0, 1).
    std::optional<double> stop_at;
    std::string reason;
};

struct QuestionRound {
    std::uint64_t added = 0;  ///< questions, by this round, gold apart
    std::uint64_t added_gold = 0;
    std::uint64_t waiting = 0;    ///< with a budget: of earlier rounds, that nobody has answered
    std::uint64_t questions = 0;  ///< in all, gold among them
    std::uint64_t gold = 0;
    std::uint64_t open = 0;          ///< not settled yet
    std::uint64_t asked_places = 0;  ///< accepted places of pairs whose both questions are asked
    std::uint64_t accepted_places = 0;
    std::uint64_t saved = 0;  ///< questions that two or more places share: not asked again
    std::uint64_t control = 0, asked_control = 0;  ///< images whose questions are all asked
    std::uint64_t images_drawn = 0;                ///< with a budget, by this round
    std::optional<AskOrder> ask;                   ///< likewise
    /// With budget or stop_at: as Ranking::list_tau, before this round.
    std::optional<double> list_tau;
    bool stopped = false;  ///< by stop_at
    std::vector<std::string> warnings;
};
/// Asks, in one transaction. A question whose answer is known is asked like any other, so that it
/// shows how annotators do; where a pair needs it, too, the known answer decides, and not people's.
/// Throws bad_input: a gold file that is damaged, names no image or class, contradicts itself
/// or what is known already; usage: options out of range, nothing is selected yet.
QuestionRound ask_questions(Competition& competition, const QuestionOptions& options = {});
/// "assay.mad_questions/1", docs/results.md.
ResultType result_type(ResultOf<QuestionRound>);
Report report_of(const QuestionRound& round);

/// An open question as an annotator sees it.
struct OpenQuestion {
    std::string token;           ///< names it; says nothing about classifiers or gold
    std::string image;           ///< id
    std::filesystem::path path;  ///< of the image, with the folder of the images where it is known
    std::string relative_path;   ///< as the data set has it; of gold images beside it as `below`
    /// False: of gold images outside the folder of the images, whose relative_path is absolute, so
    /// that no prefix leads to them.
    bool below = true;
    std::string label, label_name;
    std::uint32_t answers = 0;  ///< there are
    std::uint32_t wanted = 0;   ///< further ones at most; a question may be settled before
};
/// In the random order in which they are asked; gold among them.
std::vector<OpenQuestion> open_questions(const Competition& competition);
/// csv: question, image, path, label, name, answers, wanted. A text that a spreadsheet would take
/// for a formula has an apostrophe before it, which read_answers_into() takes away again.
std::string questions_csv(const std::vector<OpenQuestion>& questions);
/// Before `file` is replaced by questions: throws usage where it is a csv with a column `answer` or
/// `choice`, which people have filled in since.
void check_holds_no_answers(const std::filesystem::path& file);
/// Tasks as Label Studio imports them (JSON), with data.image, data.question and data.question_id.
/// `prefix` is put before each path of the data set, where Label Studio serves the files from: ""
/// gives paths alone; "/data/local-files/?d=" is what its local storage takes. Behind a prefix,
/// paths are written as in an address, %20 for a blank. Throws usage: a prefix, and gold images
/// outside the folder of the images.
std::string label_studio_tasks(const std::vector<OpenQuestion>& questions,
                               std::string_view prefix = {});
/// The labelling configuration (XML) that the tasks need.
std::string label_studio_config();

struct AnswerOptions {
    /// csv, or what Label Studio exports (JSON, JSON-MIN, CSV), by its contents.
    std::filesystem::path file;
    /// Whose answers they are: where the file does not say, or in place of the one annotator whom
    /// it names. "": the file says whose.
    std::string annotator;
};
struct AnswerRound {
    std::filesystem::path file;
    std::uint64_t read = 0;        ///< answers in the file
    std::uint64_t added = 0;       ///< to questions that their annotators had not answered
    std::uint64_t changed = 0;     ///< took the place of another answer of that annotator
    std::uint64_t repeated = 0;    ///< there already, or the same answer once more
    std::uint64_t outdated = 0;    ///< kept, but that annotator gave another one later
    std::uint64_t skipped = 0;     ///< tasks without an answer, drafts, cancelled ones
    std::uint64_t taken_back = 0;  ///< of these, annotations whose answer counted until now
    std::uint64_t annotators = 0;  ///< in all
    std::uint64_t settled = 0;     ///< questions, in all
    std::uint64_t open = 0;        ///< as open_questions()
    std::uint64_t unclear = 0;  ///< questions that people cannot judge: their images are replaced
    /// Annotators of whom something is wrong (annotator_check.h), known answers that most people
    /// contradict.
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<AnswerRound>);
/// Takes answers in: all of the file, or nothing. The same file twice adds nothing; of rows without
/// a time, a file of other bytes says everything anew. Columns of a
/// csv: question (or image and label), annotator, answer (yes, no, cannot say, and common other
/// spellings, or 1, 0), perhaps at (a time) and key (what makes a repeated row the same answer). Of
/// an annotator's answers to a question the last one counts, by its time, which is that of reading
/// where the file has none; of equal times the one that comes later. Memory: of the largest task,
/// and of what the database has. Throws bad_input: an unknown question (with row and the nearest),
/// answer or form; no annotator.
AnswerRound read_answers_into(Competition& competition, const AnswerOptions& options);
/// Several files, one after the other. An error says how many of them are in.
std::vector<AnswerRound> read_answers_into(Competition& competition,
                                           const std::vector<std::filesystem::path>& files,
                                           const std::string& annotator = {});
/// "assay.mad_answers/1".
Report report_of(const AnswerRound& round);
Report report_of(const std::vector<AnswerRound>& rounds);

struct BlockRound {
    std::string annotator;
    bool blocked = false, changed = false;  ///< not changed: it was so already
    std::uint64_t answers = 0;              ///< of that annotator, that count or would count
    std::uint64_t settled = 0, open = 0;    ///< questions now
};
/// Keeps what an annotator said, and leaves it out of all results from now on (or takes it in
/// again). Throws usage: unknown (with the nearest).
BlockRound block_annotator(Competition& competition, std::string_view name, bool blocked,
                           std::string_view reason);
/// "assay.mad_block/1", docs/results.md.
ResultType result_type(ResultOf<BlockRound>);
Report report_of(const BlockRound& round);

/// All that the competition holds, for pandas and for Label Studio: classifiers.csv, selected.csv,
/// control.csv, questions.csv, answers.csv, decisions.csv, annotations.json (tasks with the
/// annotations that count, as Label Studio imports them), config.xml and export.json (the hashes of
/// these files: only what an export wrote is ever replaced by another). Annotators are named in the
/// results' `meta`; with `users`, those whose names are e-mail addresses in `completed_by`, too,
/// which Label Studio takes only where it knows all of them. The same competition gives the same
/// bytes. Returns the files. Throws usage: the folder holds other files, or files of these names
/// that no export wrote so; bad_input: a damaged export.json; io.
std::vector<std::filesystem::path> export_competition(const Competition& competition,
                                                      const std::filesystem::path& folder,
                                                      std::string_view prefix = {},
                                                      bool users = false);
/// "assay.mad_export/1": the files with their sizes.
Report report_of_export(const std::vector<std::filesystem::path>& files);

}  // namespace assay::mad
