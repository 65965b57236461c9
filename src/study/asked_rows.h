// Reads and writes questions and answers as rows: images, questions, annotators, answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/study/answer.h"
#include "core/database.h"

namespace assay::study {

struct ImageRow {
    std::int64_t number = 0;
    std::string id, path;
};

struct QuestionRow {
    std::int64_t id = 0;
    std::string token;
    std::int64_t image = 0;
    std::uint16_t label = 0;
    std::uint32_t turn = 0;
    std::optional<bool> gold;
};

/// The name of a question for annotators, and its position in the order of asking. Both are hashes,
/// so that they reveal nothing about classifiers, gold or other questions.
struct QuestionName {
    std::string token;
    std::uint32_t turn = 0;
};
QuestionName question_name(std::uint64_t seed, std::int64_t image, std::uint16_t label);

/// Makes rows of questions.
class QuestionRows {
public:
    QuestionRows(Database& database, std::uint64_t seed);
    /// Throws bad_input if the question exists.
    void add(std::int64_t image, std::uint16_t label, const std::optional<bool>& gold = {});

private:
    Statement insert_;
    std::uint64_t seed_;
};

struct AnnotatorRow {
    std::int64_t id = 0;
    std::string name;
    bool blocked = false;
};

struct AnswerRow {
    std::int64_t question = 0, annotator = 0;
    Answer answer = Answer::no;
};

/// Checks references to rows. Foreign keys enforce them unless another program wrote the file.
class RowLimits {
public:
    explicit RowLimits(const Database& database);
    std::uint16_t label(const Statement& row, int column) const;
    /// `there` is a column that is null unless the image has a row. `gold` also allows images from
    /// elsewhere.
    std::int64_t image(const Statement& row, int column, int there, bool gold) const;

private:
    std::string path_;
    std::uint64_t classes_ = 0, images_ = 0;
};

std::map<std::int64_t, ImageRow> read_images(const Database& database);
/// Questions by id, including gold.
std::vector<QuestionRow> read_questions(const Database& database);
std::vector<AnnotatorRow> read_annotators(const Database& database);
/// Counting answers, sorted by question, then by the annotators' first answers, so that a
/// correction keeps its position. `blocked` includes answers of blocked annotators.
std::vector<AnswerRow> read_answers(const Database& database, bool blocked = false);

/// Blocks or unblocks an annotator, with a decision, and keeps their answers. Does nothing if that
/// is the current state. Throws usage if no annotator with this name has answered in `folder`.
struct Blocked {
    AnnotatorRow annotator;  ///< the row before the change
    bool changed = false;
};
Blocked block_annotator(Database& database, std::string_view folder, std::string_view name,
                        bool blocked, std::string_view reason);

}  // namespace assay::study
