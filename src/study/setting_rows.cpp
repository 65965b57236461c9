#include "study/setting_rows.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
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

std::map<std::string, std::string> settings_of_fields(const void* object,
                                                      std::span<const Field> fields) {
    std::map<std::string, std::string> text;
    const nlohmann::json values = json_of_fields(object, fields);
    for (const auto& [name, value] : values.items()) {
        text[name] = value.is_string()         ? value.get<std::string>()
                     : value.is_boolean()      ? (value.get<bool>() ? "1" : "0")
                     : value.is_number_float() ? fmt::format("{}", value.get<double>())
                     : value.is_null()         ? ""
                                               : value.dump();
    }
    return text;
}

void refuse_settings(const std::string& fault, const std::string& file) {
    if (file.empty()) throw Error(ErrorCode::usage, fault);
    refuse(fmt::format("{}: {}", file, fault));
}

void take_settings(void* object, std::span<const Field> fields,
                   const std::map<std::string, std::string>& text, const std::string& file) {
    for (const Field& field : fields) {
        const std::string& value = setting_of(text, std::string(field.name), file);
        std::string fault;
        if (field.shape.kind == FieldKind::flag) {
            if (value != "0" && value != "1")
                fault = fmt::format("is `{}`; allowed: 0, 1", shortened(value));
            fault += set_field(field, object, value == "1");
        } else if (value.empty()) {
            fault = set_field(field, object, "");
        } else {
            fault = set_texts(field, object, {&value, 1});
        }
        if (fault.empty()) continue;
        refuse_settings(
            fmt::format("{}{} {}", file.empty() ? "" : "the setting ", field.name, fault), file);
    }
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
