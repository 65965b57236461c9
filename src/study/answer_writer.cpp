#include "study/answer_writer.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"
#include "study/study_tables.h"

namespace assay::study {
namespace {

constexpr std::size_t longest_annotator = 200;

}  // namespace

AnswerWriter::AnswerWriter(Database& database)
    : database_(database),
      name_column_(study_column("annotator", "name")),
      annotator_(database.prepare("SELECT id FROM annotator WHERE name = ?")),
      of_key_(
          database.prepare("SELECT question, annotator, answer, tags FROM answer WHERE key = ?")),
      counting_(database.prepare("SELECT answer, at, key, tags FROM answer "
                                 "WHERE question = ? AND annotator = ? AND counts = 1")),
      outdate_(database.prepare("UPDATE answer SET counts = 0 "
                                "WHERE question = ? AND annotator = ? AND counts = 1")),
      insert_(database.prepare("INSERT INTO answer (question, annotator, answer, at, source, key, "
                               "counts, tags) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
      give_(database.prepare("INSERT OR IGNORE INTO given (annotator, question) VALUES (?, ?)")) {}

// Statements are reset after their last use, because an open statement would keep the old state of
// the file.

std::int64_t AnswerWriter::annotator(std::string_view name, const std::string& what) {
    annotator_.reset();
    annotator_.bind(name);
    const std::optional<std::int64_t> there =
        annotator_.step() ? std::optional(annotator_.integer(0)) : std::nullopt;
    annotator_.reset();
    if (there) return *there;
    check_held(name_column_, name, what);
    if (name.size() > longest_annotator) {
        refuse(fmt::format("{} `{}` has a name of {} bytes; allowed: up to {}", what,
                           shortened(name), name.size(), longest_annotator));
    }
    database_.prepare("INSERT INTO annotator (name, blocked) VALUES (?, 0)").run(name);
    return database_.last_row();
}

AnswerWriter::Known AnswerWriter::find(const GivenAnswer& given) {
    of_key_.reset();
    of_key_.bind(std::string_view(given.key));
    Known known = Known::nothing;
    if (of_key_.step()) {
        const bool same = of_key_.integer(0) == given.question &&
                          of_key_.integer(1) == given.annotator &&
                          of_key_.count(2, 2) == static_cast<std::uint64_t>(given.answer) &&
                          (given.tags.empty() || of_key_.text(3) == given.tags);
        known = same ? Known::same : Known::other;
    }
    of_key_.reset();
    return known;
}

std::optional<AnswerWriter::Counting> AnswerWriter::counting(std::int64_t question,
                                                             std::int64_t annotator) {
    counting_.reset();
    counting_.bind(question).bind(annotator);
    std::optional<Counting> found;
    if (counting_.step())
        found = {static_cast<Answer>(counting_.count(0, 2)), counting_.text(1), counting_.text(2),
                 counting_.text(3)};
    counting_.reset();
    return found;
}

void AnswerWriter::outdate(std::int64_t question, std::int64_t annotator) {
    outdate_.run(question, annotator);
}

void AnswerWriter::write(const GivenAnswer& given, bool counts) {
    if (counts) outdate(given.question, given.annotator);
    insert_.run(given.question, given.annotator, given.answer, given.at, given.source, given.key,
                counts, std::string_view(given.tags));
}

void AnswerWriter::give(std::int64_t question, std::int64_t annotator) {
    give_.run(annotator, question);
}

}  // namespace assay::study
