#include "study/asked_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/text.h"
#include "study/decisions.h"

namespace assay::study {

/// The class number for images without scores in files of labels. No class has this number.
constexpr std::uint16_t label_of_none = 65535;

RowLimits::RowLimits(const Database& database) : path_(database.path().string()) {
    Statement classes = database.prepare("SELECT count(*) FROM class");
    if (classes.step()) classes_ = classes.count(0, label_of_none);
    Statement images = database.prepare(
        "SELECT value FROM setting WHERE name = 'images' ORDER BY id DESC LIMIT 1");
    if (images.step()) parse_number(images.text(0), images_);
}

std::uint16_t RowLimits::label(const Statement& row, int column) const {
    if (classes_ == 0) refuse(fmt::format("{}: it has no classes", path_));
    return static_cast<std::uint16_t>(row.count(column, classes_ - 1));
}

std::int64_t RowLimits::image(const Statement& row, int column, int there, bool gold) const {
    const std::int64_t image = row.integer(column);
    const bool inside = image < 0 ? gold : static_cast<std::uint64_t>(image) < images_;
    if (!inside || row.is_null(there))
        refuse(
            fmt::format("{}: a row names image {}, which is not in the competition", path_, image));
    return image;
}

std::map<std::int64_t, ImageRow> read_images(const Database& database) {
    std::map<std::int64_t, ImageRow> images;
    Statement row = database.prepare("SELECT number, id, path FROM image");
    while (row.step())
        images[row.integer(0)] = {.number = row.integer(0), .id = row.text(1), .path = row.text(2)};
    return images;
}

std::vector<QuestionRow> read_questions(const Database& database) {
    std::vector<QuestionRow> questions;
    const RowLimits limits(database);
    Statement row = database.prepare(
        "SELECT question.id, token, image, label, turn, gold, image.number FROM question "
        "LEFT JOIN image ON image.number = question.image ORDER BY question.id");
    while (row.step()) {
        QuestionRow question{.id = row.integer(0),
                             .token = row.text(1),
                             .image = limits.image(row, 2, 6, true),
                             .label = limits.label(row, 3),
                             .turn = static_cast<std::uint32_t>(row.count(4, UINT32_MAX)),
                             .gold = {}};
        if (!row.is_null(5)) question.gold = row.count(5, 1) == 1;
        questions.push_back(std::move(question));
    }
    return questions;
}

QuestionName question_name(std::uint64_t seed, std::int64_t image, std::uint16_t label) {
    RandomStream draws(seed, fmt::format("mad question {} {}", image, label));
    QuestionName name;
    name.turn = draws.next_u32();
    name.token = fmt::format("q{:016x}", draws.next_u64());
    return name;
}

QuestionRows::QuestionRows(Database& database, std::uint64_t seed)
    : insert_(database.prepare(
          "INSERT INTO question (token, image, label, turn, gold) VALUES (?, ?, ?, ?, ?)")),
      seed_(seed) {}

void QuestionRows::add(std::int64_t image, std::uint16_t label, const std::optional<bool>& gold) {
    const QuestionName name = question_name(seed_, image, label);
    insert_.run(name.token, image, label, name.turn,
                gold ? std::optional<std::int64_t>(*gold) : std::nullopt);
}

std::vector<AnnotatorRow> read_annotators(const Database& database) {
    std::vector<AnnotatorRow> annotators;
    Statement row = database.prepare("SELECT id, name, blocked FROM annotator ORDER BY id");
    while (row.step())
        annotators.push_back(
            {.id = row.integer(0), .name = row.text(1), .blocked = row.count(2, 1) == 1});
    return annotators;
}

std::vector<AnswerRow> read_answers(const Database& database, bool blocked) {
    std::vector<AnswerRow> answers;
    Statement row = database.prepare(
        "SELECT question, annotator, answer FROM (SELECT question, annotator, answer, counts, "
        "min(id) OVER (PARTITION BY question, annotator) AS turn FROM answer) AS given "
        "JOIN annotator ON annotator.id = given.annotator "
        "WHERE counts = 1 AND (blocked = 0 OR ? = 1) ORDER BY question, turn");
    row.bind(std::int64_t{blocked});
    while (row.step()) {
        answers.push_back({.question = row.integer(0),
                           .annotator = row.integer(1),
                           .answer = static_cast<Answer>(row.count(2, 2))});
    }
    return answers;
}

Blocked block_annotator(Database& database, std::string_view folder, std::string_view name,
                        bool blocked, std::string_view reason) {
    const std::vector<AnnotatorRow> annotators = read_annotators(database);
    const auto found = std::find_if(annotators.begin(), annotators.end(),
                                    [&](const AnnotatorRow& row) { return row.name == name; });
    if (found == annotators.end()) {
        std::vector<std::string> names;
        for (const AnnotatorRow& row : annotators) names.push_back(row.name);
        throw Error(ErrorCode::usage,
                    fmt::format("no annotator named `{}` has answered in {}{}", shortened(name),
                                folder, names.empty() ? "" : suggest(shortened(name), names)));
    }
    if (found->blocked == blocked) return {*found, false};
    Transaction all(database);
    const std::int64_t decision = decide(
        database, blocked ? DecisionKind::blocked : DecisionKind::unblocked, name, "", reason);
    database.prepare("UPDATE annotator SET blocked = ?, decision = ? WHERE id = ?")
        .run(blocked, decision, found->id);
    all.commit();
    return {*found, true};
}

}  // namespace assay::study
