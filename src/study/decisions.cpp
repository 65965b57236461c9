#include "study/decisions.h"

#include "core/terminal_text.h"
#include "study/study_tables.h"
#include "study/times.h"

namespace assay::study {

std::string_view name_of(DecisionKind kind) {
    return word_of(study_column("decision", "kind"), static_cast<std::size_t>(kind));
}

std::int64_t decide(Database& database, DecisionKind kind, std::string_view subject,
                    std::string_view value, std::string_view reason) {
    database
        .prepare("INSERT INTO decision (at, kind, subject, value, reason) VALUES (?, ?, ?, ?, ?)")
        .run(utc_now(), name_of(kind), without_controls(subject), without_controls(value),
             without_controls(reason));
    return database.last_row();
}

}  // namespace assay::study
