#include "mad/decisions.h"

#include <fmt/format.h>

#include <ctime>

namespace assay::mad {

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

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::int64_t decide(Database& database, DecisionKind kind, std::string_view subject,
                    std::string_view value, std::string_view reason) {
    database
        .prepare("INSERT INTO decision (at, kind, subject, value, reason) VALUES (?, ?, ?, ?, ?)")
        .bind(utc_now())
        .bind(name_of(kind))
        .bind(subject)
        .bind(value)
        .bind(reason)
        .run();
    return database.last_row();
}

}  // namespace assay::mad
