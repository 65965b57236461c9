#include "labelling/recorder.h"

#include <algorithm>

#include "study/times.h"

namespace assay::labelling {

Recorder::Recorder(Database& database)
    : database_(database),
      of_key_(database.prepare("SELECT question, annotator, answer FROM answer WHERE key = ?")),
      counting_(database.prepare("SELECT id, at FROM answer WHERE question = ? AND annotator = ? "
                                 "AND counts = 1")),
      outdate_(database.prepare("UPDATE answer SET counts = 0 WHERE id = ?")),
      insert_(database.prepare("INSERT INTO answer (question, annotator, answer, at, source, key, "
                               "counts) VALUES (?, ?, ?, ?, ?, ?, 1)")),
      give_(database.prepare("INSERT OR IGNORE INTO given (annotator, question) VALUES (?, ?)")) {}

std::int64_t Recorder::annotator(std::string_view name) {
    Statement there = database_.prepare("SELECT id FROM annotator WHERE name = ?");
    there.bind(name);
    if (there.step()) return there.integer(0);
    database_.prepare("INSERT INTO annotator (name, blocked) VALUES (?, 0)").bind(name).run();
    return database_.last_row();
}

Recorder::Known Recorder::find(std::string_view key, std::int64_t question, std::int64_t annotator,
                               Answer answer) {
    of_key_.reset();
    of_key_.bind(key);
    Known known = Known::nothing;
    if (of_key_.step()) {
        const bool same = of_key_.integer(0) == question && of_key_.integer(1) == annotator &&
                          of_key_.count(2, 2) == static_cast<std::uint64_t>(answer);
        known = same ? Known::same : Known::other;
    }
    of_key_.reset();  // an open statement would hold the file's state of now
    return known;
}

void Recorder::give(std::int64_t question, std::int64_t annotator) {
    give_.reset();
    give_.bind(annotator).bind(question).run();
}

void Recorder::record(std::int64_t question, std::int64_t annotator, Answer answer,
                      std::string_view key, std::string_view at, std::string_view source) {
    std::string when(at);
    counting_.reset();
    counting_.bind(question).bind(annotator);
    if (counting_.step()) {
        // The last answer counts, by its time: also for a clock that was set back.
        if (const std::string before = counting_.text(1); study::is_utc_moment(before))
            when = std::max(when, before);
        const std::int64_t former = counting_.integer(0);
        counting_.reset();
        outdate_.bind(former).run();
    }
    counting_.reset();
    insert_.reset();
    insert_.bind(question)
        .bind(annotator)
        .bind(static_cast<std::int64_t>(answer))
        .bind(std::string_view(when))
        .bind(source)
        .bind(key)
        .run();
}

}  // namespace assay::labelling
