// Questions to people: "is there a LABEL in IMAGE?", each asked once however many pairs of
// classifiers need it, in random order, without a word about classifiers; and their answers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/mad/pairs.h"
#include "assay/report.h"

namespace assay::mad {

struct QuestionOptions {
    /// csv, columns image (an id of the data set, or a path), label (id, name or number of a class)
    /// and answer (yes, no): questions whose answers are known, from which the proportion that the
    /// competition's settings ask for is taken at random. "": no further ones.
    std::filesystem::path gold;
    /// At most so many new questions (gold apart), where they tell most about the ranking; each
    /// pair's images in random order. Unset: all that are missing.
    std::optional<std::uint64_t> budget;
    /// Nothing more is asked once the ranking is known so well: the expected Kendall correlation of
    /// the ranking with the true one, in (0, 1).
    std::optional<double> stop_at;
    std::string reason;
};

struct QuestionRound {
    std::uint64_t added = 0;  ///< questions, by this round
    std::uint64_t added_gold = 0;
    std::uint64_t questions = 0;  ///< in all, gold among them
    std::uint64_t gold = 0;
    std::uint64_t open = 0;          ///< not settled yet
    std::uint64_t asked_places = 0;  ///< accepted places of pairs whose both questions are asked
    std::uint64_t accepted_places = 0;
    std::uint64_t saved = 0;  ///< questions that two or more places share: not asked again
    std::optional<double> expected_tau;  ///< with budget or stop_at: of the ranking as it is known
    bool stopped = false;                ///< by stop_at
    std::vector<std::string> warnings;
};
/// Asks. Throws bad_input: a gold file that is damaged, names no image or class, contradicts itself
/// or what is known already; usage: options out of range, nothing is selected yet.
QuestionRound ask_questions(Competition& competition, const QuestionOptions& options = {});
/// "assay.mad_questions/1".
Report report_of(const QuestionRound& round);

/// An open question as an annotator sees it.
struct OpenQuestion {
    std::string token;           ///< names it; says nothing about classifiers or gold
    std::string image;           ///< id
    std::filesystem::path path;  ///< of the image; "" where it is not known
    std::string label, label_name;
    std::uint32_t answers = 0;  ///< there are
    std::uint32_t wanted = 0;   ///< further ones at most; a question may be settled before
};
/// In the random order in which they are asked; gold among them.
std::vector<OpenQuestion> open_questions(const Competition& competition);
/// csv: question, image, path, label, name, answers, wanted.
std::string questions_csv(const std::vector<OpenQuestion>& questions);
/// Tasks as Label Studio imports them (JSON), with data.image, data.question and data.question_id.
/// `prefix` is put before each path, where Label Studio serves the files from: "" gives paths
/// alone, "/data/local-files/?d=" what its local storage takes.
std::string label_studio_tasks(const std::vector<OpenQuestion>& questions,
                               std::string_view prefix = {});
/// The labelling configuration (XML) that the tasks need.
std::string label_studio_config();

struct AnswerOptions {
    /// csv, or what Label Studio exports (JSON, JSON-MIN, CSV), by its contents.
    std::filesystem::path file;
    /// Answers of this annotator; "": the file says whose.
    std::string annotator;
};
struct AnswerRound {
    std::uint64_t read = 0;  ///< answers in the file
    std::uint64_t added = 0;
    std::uint64_t repeated = 0;  ///< there already
    std::uint64_t changed = 0;   ///< took the place of another answer of that annotator
    std::uint64_t skipped = 0;   ///< tasks without an answer, drafts, cancelled ones
    std::uint64_t settled = 0;   ///< questions, in all
    std::uint64_t open = 0;
    std::uint64_t unclear = 0;  ///< questions that people cannot judge: their images are replaced
    std::vector<std::string>
        warnings;  ///< annotators who say one thing to everything, or fail gold
};
/// Takes answers in: all of the file, or nothing. The same file twice adds nothing. Columns of a
/// csv: question (or image and label), annotator, answer (yes, no, cannot say, and common other
/// spellings, or 1, 0), perhaps at. Throws bad_input: an unknown question (with row and the
/// nearest), answer or form; no annotator.
AnswerRound read_answers_into(Competition& competition, const AnswerOptions& options);
/// "assay.mad_answers/1".
Report report_of(const AnswerRound& round);

/// Keeps what an annotator said, and leaves it out of all results from now on (or takes it in
/// again). Throws usage: unknown (with the nearest).
void block_annotator(Competition& competition, std::string_view name, bool blocked,
                     std::string_view reason);

/// All that the competition holds, for pandas and for Label Studio: classifiers.csv, selected.csv,
/// questions.csv, answers.csv, decisions.csv, annotations.json (tasks with their annotations, as
/// Label Studio imports them). Returns the files. Throws usage: the folder holds other files; io.
std::vector<std::filesystem::path> export_competition(const Competition& competition,
                                                      const std::filesystem::path& folder,
                                                      std::string_view prefix = {});

}  // namespace assay::mad
