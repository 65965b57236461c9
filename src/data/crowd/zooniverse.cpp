// Zooniverse's classification export: a csv with JSON in its columns `annotations` and
// `subject_data`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

using nlohmann::json;

constexpr int zooniverse_depth = 32;

/// The first of `words` that is a field of the subject's manifest. Owners hide fields from people
/// by starting their names with "#", "//" or "!".
std::string subject_field(const json& subject, Words words) {
    for (const std::string_view word : words) {
        for (const auto& [name, value] : subject.items()) {
            const std::string plain = plain_name(name);
            const std::size_t begin = plain.find_first_not_of("#/!& ");
            if (begin == std::string::npos || plain.substr(begin) != word) continue;
            if (std::string text = scalar_in(value); !text.empty()) return text;
        }
    }
    return "";
}

/// The answer to the only task.
const json* answered(const json& annotations, const Where& where) {
    const json* only = nullptr;
    std::string task;
    for (const json& one : annotations) {
        if (!one.is_object() || !one.contains("value")) continue;
        const json& value = one["value"];
        const std::string name = one.contains("task") ? scalar_in(one["task"]) : "";
        if (only != nullptr) {
            refuse(
                fmt::format("{}: answers to two tasks, `{}` and `{}`; votes need one: export one "
                            "task, or remove the others from `annotations`",
                            where(), shortened(task), shortened(name)));
        }
        only = &value;
        task = name;
    }
    return only;
}

}  // namespace

Reading read_zooniverse(std::string_view text, const std::string& source, const Sink& sink) {
    CsvReader row(text, source);
    const std::size_t annotations = row.column({"annotations"}),
                      subjects = row.column({"subject_data"}),
                      annotator = row.column({"user_name", "user_id"});
    OneKind kind;
    LeftOut left_out;
    std::uint64_t by_number = 0;
    const Where where = [&] { return row.where(); };
    constexpr std::size_t often = 256;
    for (std::size_t rows = 0; row.next(); ++rows) {
        if (rows % often == 0) throw_if_stopped();
        with_note("reading " + row.where(), [&] {
            const json data = parse_json(row[subjects], zooniverse_depth);
            if (!data.is_object() || data.size() != 1 || !data.begin().value().is_object()) {
                refuse(
                    fmt::format("`subject_data` is {}; allowed: an object that holds the "
                                "subject by its number",
                                shown_json(data)));
            }
            const json& subject = data.begin().value();
            std::string item = subject_field(subject, item_words);
            if (item.empty()) {
                item = data.begin().key();
                ++by_number;
            }
            const std::string label = subject_field(subject, label_words);
            kind.check(label, [&] { return fmt::format("the subject of `{}`", shortened(item)); });
            const json said = parse_json(row[annotations], zooniverse_depth);
            if (!said.is_array()) {
                refuse(fmt::format("`annotations` is {}; allowed: a list", shown_json(said)));
            }
            const json* const value = answered(said, where);
            give(sink,
                 {.annotator = trimmed(row[annotator]), .item = item, .label = label, .answer = {}},
                 value == nullptr ? std::vector<std::string>() : chosen_in(*value), where,
                 left_out);
        });
    }
    return reading_of(
        Layout::zooniverse, kind.which_class(), source,
        fmt::format("image: a field of subject_data{}; annotator: column {}; {}: column "
                    "annotations",
                    by_number > 0 ? ", else the subject's number" : "", row.columns()[annotator],
                    kind.which_class() ? "class chosen" : "answer"),
        left_out);
}

}  // namespace assay::crowd
