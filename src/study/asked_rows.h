// What is asked of people and what they answered, as rows: images, questions, annotators, answers.
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

/// The name of a question for annotators and its place in the order of asking: hashes, so that they
/// say nothing of classifiers, of gold or of other questions.
struct QuestionName {
    std::string token;
    std::uint32_t turn = 0;
};
QuestionName question_name(std::uint64_t seed, std::int64_t image, std::uint16_t label);

/// Makes rows of questions.
class QuestionRows {
public:
    QuestionRows(Database& database, std::uint64_t seed);
    /// Throws bad_input: it is there.
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

/// What rows may name. Foreign keys hold it, unless another program wrote the file.
class RowLimits {
public:
    explicit RowLimits(const Database& database);
    std::uint16_t label(const Statement& row, int column) const;
    /// `there`: a column that is null unless the image has a row. `gold`: images from elsewhere may
    /// be meant, too.
    std::int64_t image(const Statement& row, int column, int there, bool gold) const;

private:
    std::string path_;
    std::uint64_t classes_ = 0, images_ = 0;
};

std::map<std::int64_t, ImageRow> read_images(const Database& database);
/// By id; gold among them.
std::vector<QuestionRow> read_questions(const Database& database);
std::vector<AnnotatorRow> read_annotators(const Database& database);
/// Those that count, by question, then in the order in which their annotators first answered it:
/// who corrects an answer keeps the turn. `blocked`: of blocked annotators, too.
std::vector<AnswerRow> read_answers(const Database& database, bool blocked = false);

/// Keeps what an annotator said and leaves it out from now on, or takes it in again, with a
/// decision; nothing where that is so already. Throws usage: nobody of this name has answered in
/// `folder`.
struct Blocked {
    AnnotatorRow annotator;  ///< as it was
    bool changed = false;
};
Blocked block_annotator(Database& database, std::string_view folder, std::string_view name,
                        bool blocked, std::string_view reason);

}  // namespace assay::study
