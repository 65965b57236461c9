#include "study/decisions.h"

#include "core/terminal_text.h"
#include "study/times.h"

namespace assay::study {

std::string_view name_of(DecisionKind kind) {
    switch (kind) {
        case DecisionKind::created:
            return "created";
        case DecisionKind::setting:
            return "setting";
        case DecisionKind::added:
            return "added";
        case DecisionKind::removed:
            return "removed";
        case DecisionKind::restored:
            return "restored";
        case DecisionKind::excluded:
            return "excluded";
        case DecisionKind::replaced:
            return "replaced";
        case DecisionKind::duplicate:
            return "duplicate";
        case DecisionKind::control:
            return "control";
        case DecisionKind::gold:
            return "gold";
        case DecisionKind::blocked:
            return "blocked";
        case DecisionKind::unblocked:
            return "unblocked";
        case DecisionKind::asked:
            return "asked";
    }
    return "";
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
