#include "mad/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "core/text.h"
#include "mad/decisions.h"
#include "mad/items.h"

namespace assay::mad {
namespace {

SelectedState selected_state_named(const std::string& name) {
    for (const SelectedState state :
         {SelectedState::accepted, SelectedState::replaced, SelectedState::duplicate}) {
        if (name == name_of(state)) return state;
    }
    refuse(fmt::format("a selected image has the state `{}`; known: accepted, replaced, duplicate",
                       name));
}

/// What rows may name. Foreign keys hold it, unless another program wrote the file.
class RowLimits {
public:
    explicit RowLimits(const Database& database) : path_(database.path().string()) {
        Statement classes = database.prepare("SELECT count(*) FROM class");
        if (classes.step()) classes_ = classes.count(0, no_label);
        Statement images = database.prepare(
            "SELECT value FROM setting WHERE name = 'images' ORDER BY id DESC LIMIT 1");
        if (images.step()) parse_number(images.text(0), images_);
    }
    std::uint16_t label(const Statement& row, int column) const {
        if (classes_ == 0) refuse(fmt::format("{}: it has no classes", path_));
        return static_cast<std::uint16_t>(row.count(column, classes_ - 1));
    }
    /// `there`: a column that is null unless the image has a row. `gold`: images from elsewhere may
    /// be meant, too.
    std::int64_t image(const Statement& row, int column, int there, bool gold) const {
        const std::int64_t image = row.integer(column);
        const bool inside = image < 0 ? gold : static_cast<std::uint64_t>(image) < images_;
        if (!inside || row.is_null(there))
            refuse(fmt::format("{}: a row names image {}, which is none of the competition", path_,
                               image));
        return image;
    }

private:
    std::string path_;
    std::uint64_t classes_ = 0, images_ = 0;
};

// Pairs of classifiers that were not removed.
constexpr std::string_view active_pairs =
    "pair JOIN classifier AS a ON a.number = pair.first AND a.active = 1 "
    "JOIN classifier AS b ON b.number = pair.second AND b.active = 1";

}  // namespace

std::string_view name_of(SelectedState state) {
    switch (state) {
        case SelectedState::accepted:
            return "accepted";
        case SelectedState::replaced:
            return "replaced";
        case SelectedState::duplicate:
            return "duplicate";
    }
    return "";
}

std::vector<PairRow> read_pairs(const Database& database) {
    std::vector<PairRow> pairs;
    Statement row = database.prepare(
        fmt::format("SELECT pair.id, first, second, candidates, disagreeing, k FROM {} "
                    "ORDER BY first, second",
                    active_pairs));
    while (row.step()) {
        pairs.push_back({.id = row.integer(0),
                         .first = static_cast<std::uint32_t>(row.count(1, UINT32_MAX)),
                         .second = static_cast<std::uint32_t>(row.count(2, UINT32_MAX)),
                         .candidates = row.count(3),
                         .disagreeing = row.count(4),
                         .k = static_cast<std::uint32_t>(row.count(5, UINT32_MAX))});
    }
    return pairs;
}

std::vector<SelectedRow> read_selected(const Database& database) {
    std::vector<SelectedRow> selected;
    const RowLimits limits(database);
    Statement row = database.prepare(fmt::format(
        "SELECT pair, image, place, turn, first_label, second_label, units, selected.confidence, "
        "state, asked, image.number FROM selected JOIN ({}) ON pair = pair_id "
        "LEFT JOIN image ON image.number = selected.image "
        "ORDER BY pair_first, pair_second, place, image",
        fmt::format("SELECT pair.id AS pair_id, first AS pair_first, second AS pair_second FROM {}",
                    active_pairs)));
    while (row.step()) {
        selected.push_back(
            {.pair = row.integer(0),
             .image = limits.image(row, 1, 10, false),
             .place = static_cast<std::uint32_t>(row.count(2, UINT32_MAX)),
             .turn = static_cast<std::uint32_t>(row.count(3, UINT32_MAX)),
             .first_label = limits.label(row, 4),
             .second_label = limits.label(row, 5),
             .units = static_cast<std::uint32_t>(row.count(6, UINT32_MAX)),
             .confidence = static_cast<std::uint8_t>(row.count(7, confidence_levels)),
             .state = selected_state_named(row.text(8)),
             .asked = row.count(9, 1) == 1});
    }
    return selected;
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

std::vector<ControlRow> read_control(const Database& database) {
    std::vector<ControlRow> control;
    const RowLimits limits(database);
    Statement row = database.prepare(
        "SELECT image, stratum, stratum_images, stratum_sample, image.number FROM control "
        "LEFT JOIN image ON image.number = control.image ORDER BY image");
    while (row.step()) {
        control.push_back({.image = limits.image(row, 0, 4, false),
                           .stratum = static_cast<std::uint32_t>(row.count(1, UINT32_MAX)),
                           .stratum_images = row.count(2),
                           .stratum_sample = row.count(3)});
    }
    return control;
}

void note_images(Competition& competition, const std::vector<std::uint64_t>& numbers) {
    Database& database = competition.impl().database;
    std::vector<std::uint64_t> missing;
    Statement there = database.prepare("SELECT 1 FROM image WHERE number = ?");
    for (const std::uint64_t number : numbers) {
        if (!there.bind(static_cast<std::int64_t>(number)).step()) missing.push_back(number);
        there.reset();
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (missing.empty()) return;
    Statement insert = database.prepare("INSERT INTO image (number, id, path) VALUES (?, ?, ?)");
    for (const ImageRow& row : ItemReader(competition).rows(missing))
        insert.bind(row.number).bind(row.id).bind(row.path).run();
}

void write_setting(Database& database, std::string_view name, std::string_view value,
                   std::string_view reason) {
    const std::int64_t decision = decide(database, DecisionKind::setting, name, value, reason);
    database.prepare("INSERT INTO setting (name, value, decision) VALUES (?, ?, ?)")
        .bind(name)
        .bind(value)
        .bind(decision)
        .run();
}

}  // namespace assay::mad
