#include "study/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/error.h"

namespace assay::study {
namespace {

constexpr std::int64_t any_least = INT64_MIN, most_32_bits = UINT32_MAX;
/// Tables that until version 2 were only for competitions, or only for folders of questions.
constexpr Since of_competitions{.competition = 1, .questions = 2};
constexpr Since of_questions{.competition = 2, .questions = 1};
constexpr Since of_draws{.competition = 3, .questions = 3};
constexpr Since of_tags{.competition = 4, .questions = 4};
constexpr Since of_all_later{.competition = 2, .questions = 2};

/// Settings whose values, and decisions about them, are file names.
constexpr std::string_view path_settings = "image_root hierarchy";

constexpr std::array version_columns = {
    Column{.name = "version", .holds = Holds::number, .least = 1},
    Column{.name = "at", .holds = Holds::second},
    Column{.name = "assay"},
};

// Every decision, with its author and reason. Nothing is ever deleted: revoking something adds a
// decision that explains it.
constexpr std::array decision_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "at", .holds = Holds::second},
    Column{.name = "kind",
           .holds = Holds::word,
           .of = "created setting added removed restored excluded replaced duplicate control gold "
                 "blocked unblocked asked"},
    // The name of a setting, classifier, image or annotator.
    Column{.name = "subject", .holds = Holds::text},
    Column{
        .name = "value", .holds = Holds::text, .path_by = "subject", .path_names = path_settings},
    Column{.name = "reason", .holds = Holds::text},
};

// The last row of a name counts.
constexpr std::array setting_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "name"},
    Column{.name = "value", .holds = Holds::text, .path_by = "name", .path_names = path_settings},
    Column{.name = "decision", .holds = Holds::row, .of = "decision"},
};

// The labels of questions. For a competition, they are in the order of the scores.
constexpr std::array class_columns = {
    Column{.name = "number", .holds = Holds::number},
    Column{.name = "id", .holds = Holds::text, .unique = true},
    Column{.name = "name", .holds = Holds::text},
    // '' means that no description was given.
    Column{.name = "definition", .holds = Holds::text, .missing_text = "''", .since = of_questions},
    // There is one example per line.
    Column{.name = "synonyms", .holds = Holds::text, .missing_text = "''", .since = of_questions},
};

// The hierarchy of classes.
constexpr std::array node_columns = {
    Column{.name = "number", .holds = Holds::number},
    Column{.name = "id", .holds = Holds::text, .unique = true},
    Column{.name = "name", .holds = Holds::text},
};

constexpr std::array edge_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},  // the order of parents
    Column{.name = "child", .holds = Holds::row, .of = "node"},
    Column{.name = "parent", .holds = Holds::row, .of = "node"},
};

constexpr std::array classifier_columns = {
    Column{.name = "number", .holds = Holds::number, .most = most_32_bits},  // in the given order
    Column{.name = "name", .unique = true},
    Column{.name = "store", .holds = Holds::path},  // the store of its scores
    Column{.name = "store_id"},
    Column{.name = "labels_hash", .holds = Holds::hash},  // hashes of the files in predictions/
    Column{.name = "confidences_hash", .holds = Holds::hash},
    Column{.name = "threshold", .holds = Holds::number, .most = 200},
    Column{.name = "scored", .holds = Holds::number},     // number of images with scores
    Column{.name = "confident", .holds = Holds::number},  // scored images that reach the threshold
    Column{.name = "active", .holds = Holds::number, .most = 1},
    Column{.name = "decision", .holds = Holds::row, .of = "decision"},
};

// The hash of the files of each 4,096 consecutive images at the time of prediction.
constexpr std::array image_block_columns = {
    Column{.name = "block", .holds = Holds::number},
    Column{.name = "digest", .holds = Holds::number, .least = any_least},
    // the classifier whose store recorded the hash
    Column{.name = "classifier", .holds = Holds::row, .of = "classifier"},
};

// The numbers of a competition's images are those of the data set. Negative numbers were added as
// gold. Only relevant images have a row.
constexpr std::array image_columns = {
    Column{.name = "number", .holds = Holds::number, .least = any_least},
    Column{.name = "id", .holds = Holds::text, .unique = true},
    Column{.name = "path", .holds = Holds::path},
    // The perceptual hash, if it was needed.
    Column{.name = "near_hash",
           .holds = Holds::number,
           .least = any_least,
           .optional = true,
           .since = of_competitions},
    // Columns for images in a round of questions with a budget: the stratum of the draw, the order,
    // and the probability among the remaining images of the stratum (in units of 2^-53).
    Column{.name = "draw_stratum", .holds = Holds::number, .optional = true, .since = of_draws},
    Column{.name = "draw", .holds = Holds::number, .optional = true, .since = of_draws},
    Column{.name = "draw_probability",
           .holds = Holds::number,
           .least = 1,
           .most = std::int64_t{1} << 53,
           .optional = true,
           .since = of_draws},
};

constexpr std::array exclusion_columns = {
    Column{.name = "image", .holds = Holds::row, .of = "image"},
    Column{.name = "decision", .holds = Holds::row, .of = "decision"},
};

constexpr std::array pair_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "first", .holds = Holds::row, .of = "classifier"},
    Column{.name = "second", .holds = Holds::row, .of = "classifier"},
    Column{.name = "candidates", .holds = Holds::number},  // images: confident disagreement
    // number of images with any confidence
    Column{.name = "disagreeing", .holds = Holds::number},
    Column{.name = "k", .holds = Holds::number, .most = most_32_bits},  // images wanted
};

constexpr std::array selected_columns = {
    Column{.name = "pair", .holds = Holds::row, .of = "pair"},
    Column{.name = "image", .holds = Holds::row, .of = "image"},
    // The place in the order of discrepancy, from 0. Replaced images keep their old place.
    Column{.name = "place", .holds = Holds::number, .most = most_32_bits},
    // The random order of questions about a pair's images.
    Column{.name = "turn", .holds = Holds::number, .most = most_32_bits},
    Column{.name = "first_label", .holds = Holds::row, .of = "class"},
    Column{.name = "second_label", .holds = Holds::row, .of = "class"},
    Column{.name = "units", .holds = Holds::number, .most = most_32_bits},  // distance, in 2^-20
    Column{.name = "confidence", .holds = Holds::number, .most = 200},
    Column{.name = "state", .holds = Holds::word, .of = "accepted replaced duplicate"},
    Column{.name = "asked", .holds = Holds::number, .most = 1},
    Column{.name = "decision", .holds = Holds::row, .of = "decision", .optional = true},
};

// A random sample of all images, drawn with the same probability within a stratum.
constexpr std::array control_columns = {
    Column{.name = "image", .holds = Holds::row, .of = "image"},
    Column{.name = "stratum", .holds = Holds::number, .most = 1},
    Column{.name = "stratum_images", .holds = Holds::number},
    Column{.name = "stratum_sample", .holds = Holds::number},
};

// The question "Is there a LABEL in IMAGE?"
constexpr std::array question_columns_of_studies = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "token", .unique = true},  // the question's name for annotators
    Column{.name = "image", .holds = Holds::row, .of = "image"},
    Column{.name = "label", .holds = Holds::row, .of = "class"},
    Column{.name = "turn", .holds = Holds::number, .most = most_32_bits},  // random
    // The known answer of a test question, and its source.
    Column{.name = "gold", .holds = Holds::number, .most = 1, .optional = true},
    Column{.name = "decision", .holds = Holds::row, .of = "decision", .optional = true},
};

// Questions that are shown together.
constexpr std::array screen_columns = {
    Column{.name = "number", .holds = Holds::number, .least = 1},  // number in the order of asking
    Column{.name = "name", .holds = Holds::text, .unique = true},
};

constexpr std::array shown_columns = {
    Column{.name = "screen", .holds = Holds::row, .of = "screen"},
    Column{.name = "place", .holds = Holds::number, .most = most_32_bits},
    Column{.name = "question", .holds = Holds::row, .of = "question", .unique = true},
};

constexpr std::array annotator_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "name", .unique = true},
    Column{.name = "blocked", .holds = Holds::number, .most = 1},
    Column{.name = "decision", .holds = Holds::row, .of = "decision", .optional = true},
};

// The last answer of an annotator to a question counts.
constexpr std::array answer_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "question", .holds = Holds::row, .of = "question"},
    Column{.name = "annotator", .holds = Holds::row, .of = "annotator"},
    Column{.name = "answer", .holds = Holds::number, .most = 2},  // no, yes, cannot say
    Column{.name = "at", .holds = Holds::moment},
    Column{.name = "source", .holds = Holds::path},  // the file, or "page" for a labeling page
    // Identifies repeated deliveries of one answer.
    Column{.name = "key", .holds = Holds::text, .optional = true, .unique = true},
    Column{.name = "counts", .holds = Holds::number, .most = 1},
    // Words that the annotator added, one per line.
    Column{.name = "tags", .holds = Holds::text, .missing_text = "''", .since = of_tags},
};

// The screens that were shown to annotators, by their first questions.
constexpr std::array given_columns = {
    Column{.name = "annotator", .holds = Holds::row, .of = "annotator"},
    Column{.name = "question", .holds = Holds::row, .of = "question"},
};

constexpr std::array tables_of_studies = {
    Table{.name = "schema_version", .columns = version_columns, .key = "version"},
    Table{.name = "decision", .columns = decision_columns, .key = "id"},
    Table{.name = "setting", .columns = setting_columns, .key = "id"},
    Table{.name = "class", .columns = class_columns, .key = "number"},
    Table{.name = "node", .columns = node_columns, .key = "number", .since = of_competitions},
    Table{.name = "edge",
          .columns = edge_columns,
          .key = "id",
          .unique = "child, parent",
          .since = of_competitions},
    Table{.name = "classifier",
          .columns = classifier_columns,
          .key = "number",
          .since = of_competitions},
    Table{.name = "image_block",
          .columns = image_block_columns,
          .key = "block",
          .since = of_competitions},
    Table{.name = "image", .columns = image_columns, .key = "number"},
    Table{.name = "exclusion",
          .columns = exclusion_columns,
          .key = "image",
          .since = of_competitions},
    Table{.name = "pair",
          .columns = pair_columns,
          .key = "id",
          .unique = "first, second",
          .rule = "first < second",
          .since = of_competitions},
    Table{.name = "selected",
          .columns = selected_columns,
          .key = "pair, image",
          .index = "image",
          .since = of_competitions},
    Table{.name = "control", .columns = control_columns, .key = "image", .since = of_competitions},
    Table{.name = "question",
          .columns = question_columns_of_studies,
          .key = "id",
          .unique = "image, label"},
    Table{.name = "screen", .columns = screen_columns, .key = "number", .since = of_questions},
    Table{.name = "shown", .columns = shown_columns, .key = "screen, place", .since = of_questions},
    Table{.name = "annotator", .columns = annotator_columns, .key = "id"},
    Table{.name = "answer",
          .columns = answer_columns,
          .key = "id",
          .one_where = "counts = 1",
          .one_of = "question, annotator"},
    // In version 1 this file was created when a study was first served.
    Table{.name = "given",
          .columns = given_columns,
          .key = "annotator, question",
          .since = of_all_later},
};

constexpr std::array person_columns = {
    Column{.name = "id", .holds = Holds::number, .least = 1},
    Column{.name = "name", .unique = true},
    Column{.name = "token", .holds = Holds::secret},  // the secret in the link
    Column{.name = "revoked", .holds = Holds::number, .most = 1},
};

constexpr std::array state_columns = {
    Column{.name = "name", .holds = Holds::word, .of = "paused"},
    Column{.name = "value", .holds = Holds::number, .most = 1},
};

// The screens that people currently hold, by their tokens.
constexpr std::array held_columns = {
    Column{.name = "person", .holds = Holds::row, .of = "person"},
    Column{.name = "screen"},
};

constexpr std::array study_columns = {Column{.name = "id"}};

constexpr std::array tables_of_people = {
    Table{.name = "person", .columns = person_columns, .key = "id"},
    Table{.name = "state", .columns = state_columns, .key = "name"},
    Table{.name = "held", .columns = held_columns, .key = "person, screen"},
    Table{.name = "study", .columns = study_columns},
};

}  // namespace

std::span<const Table> study_tables() {
    return tables_of_studies;
}

std::span<const Table> people_tables() {
    return tables_of_people;
}

const Column& study_column(std::string_view table, std::string_view column) {
    for (const Table& one : tables_of_studies) {
        if (one.name != table) continue;
        for (const Column& of : one.columns)
            if (of.name == column) return of;
    }
    throw Error(ErrorCode::internal, fmt::format("table {1} has no column {0}", column, table));
}

}  // namespace assay::study
