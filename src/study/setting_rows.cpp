#include "study/setting_rows.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "study/decisions.h"
#include "study/study_tables.h"

namespace assay::study {

std::map<std::string, std::string> read_settings(const Database& database, bool first) {
    std::map<std::string, std::string> text;
    Statement row = database.prepare("SELECT name, value FROM setting ORDER BY id");
    while (row.step()) {
        if (first) {
            text.emplace(row.text(0), row.text(1));
        } else {
            text[row.text(0)] = row.text(1);
        }
    }
    return text;
}

const std::string& setting_of(const std::map<std::string, std::string>& text,
                              const std::string& name, const std::string& file) {
    const auto found = text.find(name);
    if (found == text.end()) refuse(fmt::format("{}: the setting {} is missing", file, name));
    return found->second;
}

void write_setting(Database& database, std::string_view name, std::string_view value,
                   std::string_view reason) {
    check_held(column_by(study_column("setting", "value"), name), value,
               fmt::format("the setting {}", name));
    const std::int64_t decision = decide(database, DecisionKind::setting, name, value, reason);
    database.prepare("INSERT INTO setting (name, value, decision) VALUES (?, ?, ?)")
        .run(name, value, decision);
}

}  // namespace assay::study
