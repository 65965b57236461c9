// Label Studio's exports: JSON (tasks with their annotations), and JSON-MIN (flat objects, one per
// annotation), which pandas also writes for tables.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/json_events.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

using nlohmann::json;

constexpr int task_depth = 32;
/// The most values in one task. An image with a question and its annotations has some dozens.
constexpr std::uint64_t task_values = 200'000;

bool is_set(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// The user is a number, an e-mail address, or an object with both.
std::string user_in(const json& value) {
    return value.is_object() ? field_among(value, {"email", "username", "id"}) : scalar_in(value);
}

std::string person(const json& annotation, Words names) {
    for (const std::string_view name : names) {
        const auto by = annotation.find(name);
        if (by == annotation.end() || by->is_null()) continue;
        return user_in(*by);
    }
    return "";
}

class Tasks {
public:
    Tasks(const std::string& source, const Sink& sink) : source_(source), sink_(sink) {}

    void take(const json& task, std::uint64_t number) {
        const Where where = [&] { return fmt::format("{} task {}", source_, number + 1); };
        const auto data = task.find("data"), annotations = task.find("annotations");
        if (!task.is_object() || data == task.end() || !data->is_object() ||
            annotations == task.end() || !annotations->is_array()) {
            refuse(
                fmt::format("{}: no task of Label Studio with `data` and `annotations`", where()));
        }
        std::string item = field_among(*data, item_words, &item_name_);
        if (item.empty() && data->size() == 1) {
            item = scalar_in(data->begin().value());
            item_name_ = data->begin().key();
        }
        if (item.empty()) {
            refuse(fmt::format("{}: no field of `data` says which image it is: {}; name it image",
                               where(), shown_json(*data)));
        }
        const std::string label = field_among(*data, label_words, &label_name_);
        kind_.check(label, where);
        for (const char* what : {"drafts", "predictions"}) {
            const auto found = task.find(what);
            if (found != task.end() && found->is_array()) left_out_.add(what, found->size());
        }
        for (const json& annotation : *annotations) take_annotation(annotation, item, label, where);
    }

    Reading reading() const {
        std::string taken = fmt::format("image: data.{}; annotator: completed_by",
                                        item_name_.empty() ? "image" : item_name_);
        if (kind_.asks()) taken += "; class asked about: data." + label_name_;
        taken += fmt::format("; {}: {}", kind_.asks() ? "answer" : "class chosen",
                             control_.empty() ? "the choices" : "choices of " + control_);
        return reading_of(Layout::label_studio, kind_.which_class(), source_, taken, left_out_);
    }

private:
    void take_annotation(const json& annotation, const std::string& item, const std::string& label,
                         const Where& where) {
        if (!annotation.is_object())
            refuse(
                fmt::format("{}: an annotation is {}; allowed: an object (export with "
                            "annotations)",
                            where(), shown_json(annotation)));
        if (is_set(annotation, "was_cancelled") || is_set(annotation, "skipped")) {
            left_out_.add("cancelled annotations");
            return;
        }
        if (is_set(annotation, "deleted") || is_set(annotation, "is_deleted")) {
            left_out_.add("deleted annotations");
            return;
        }
        const json* const choice = choice_of(annotation, where);
        std::string by = person(annotation, {"completed_by", "created_username", "annotator"});
        // Label Studio attributes answers of users that it does not know to the person who imported
        // them. The results still name the users.
        if (choice != nullptr && choice->contains("meta") && (*choice)["meta"].is_object()) {
            if (std::string meta = person((*choice)["meta"], {"annotator"}); !meta.empty())
                by = std::move(meta);
        }
        const bool said = choice != nullptr && choice->contains("value");
        give(sink_, {.annotator = by, .item = item, .label = label, .answer = {}},
             said ? chosen_in((*choice)["value"]) : std::vector<std::string>(), where, left_out_);
    }

    /// The result of the control named "answer", or of the only control with choices.
    const json* choice_of(const json& annotation, const Where& where) {
        const auto results = annotation.find("result");
        if (results == annotation.end() || !results->is_array()) return nullptr;
        const json* only = nullptr;
        for (const json& result : *results) {
            if (!result.is_object() || !result.contains("type") || result["type"] != "choices")
                continue;
            const std::string name =
                result.contains("from_name") ? scalar_in(result["from_name"]) : "";
            if (name == "answer") {
                control_ = name;
                return &result;
            }
            if (only != nullptr) {
                refuse(fmt::format(
                    "{}: two controls with choices, `{}` and `{}`, but none is named `answer`",
                    where(), shortened(control_), shortened(name)));
            }
            only = &result;
            control_ = name;
        }
        return only;
    }

    std::string source_;
    const Sink& sink_;
    OneKind kind_;
    LeftOut left_out_;
    std::string item_name_, label_name_, control_;
};

/// Reads flat objects, one per annotation.
class Records {
public:
    Records(const std::string& source, const Sink& sink) : source_(source), sink_(sink) {}

    void take(const json& record, std::uint64_t number) {
        const Where where = [&] { return fmt::format("{} element {}", source_, number + 1); };
        if (!record.is_object())
            refuse(fmt::format("{}: it is {}; allowed: an object", where(), shown_json(record)));
        const std::string item = field_among(record, item_words, &item_name_);
        const std::string by = person_of(record);
        std::string label = field_among(record, label_words, &label_name_);
        const json* const said = answer_of(record, label, where);
        kind_.check(label, where);
        if (by.empty() || item.empty()) {
            sink_.problem("vote without an annotator, image or label", [&] {
                return fmt::format("{}: no {}", where(), by.empty() ? "annotator" : "image");
            });
            return;
        }
        give(sink_, {.annotator = by, .item = item, .label = label, .answer = {}},
             said == nullptr ? std::vector<std::string>() : chosen_in(*said), where, left_out_);
    }

    Reading reading() const {
        std::string taken = fmt::format("image: {}; annotator: {}", item_name_, annotator_name_);
        if (kind_.asks()) taken += "; class asked about: " + label_name_;
        taken += fmt::format("; {}: {}", kind_.asks() ? "answer" : "class chosen", answer_name_);
        return reading_of(Layout::records, kind_.which_class(), source_, taken, left_out_);
    }

private:
    std::string person_of(const json& record) {
        for (const std::string_view word : annotator_words) {
            for (const auto& [key, value] : record.items()) {
                if (plain_name(key) != word) continue;
                annotator_name_ = key;
                return user_in(value);
            }
        }
        return "";
    }

    /// Refuses a field that may answer whether the label fits, because the label is then not the
    /// chosen class.
    static void refuse_doubtful_field(const json& record, const std::string& label,
                                      const Where& where) {
        for (const auto& [key, value] : record.items()) {
            const std::string name = plain_name(key);
            if (key == label || is_among(name, other_words) || is_among(name, annotator_words) ||
                is_among(name, item_words))
                continue;
            const auto said = value.is_string() ? said_by(value.get_ref<const std::string&>())
                                                : std::optional<Said>();
            if (is_among(name, doubtful_words) || (said && *said != Said::cannot_say)) {
                refuse(
                    fmt::format("{}: is `{}` the answer to whether `{}` fits, or is `{}` the class "
                                "that an annotator chose? Name that control `answer`, or omit it",
                                where(), shortened(key), shortened(label), shortened(label)));
            }
        }
    }

    /// The answer is the field with a known name. Without one, and if no class was asked about, it
    /// is the field under `label`, and `label` is then empty. Else it is the only other field,
    /// because a project may give a control any name.
    const json* answer_of(const json& record, std::string& label, const Where& where) {
        for (const Words words : {answer_words, label_words}) {
            // A task without an answer, in a file that asks about classes.
            if (words.begin() == label_words.begin() && !label.empty() && kind_.asks())
                return nullptr;
            for (const std::string_view word : words) {
                for (const auto& [key, value] : record.items()) {
                    if (plain_name(key) != word) continue;
                    answer_name_ = key;
                    if (is_among(word, label_words)) {
                        refuse_doubtful_field(record, key, where);
                        label.clear();
                    }
                    return &value;
                }
            }
        }
        const json* only = nullptr;
        for (const auto& [key, value] : record.items()) {
            const std::string name = plain_name(key);
            if (is_among(name, item_words) || is_among(name, annotator_words) ||
                is_among(name, other_words))
                continue;
            if (only != nullptr) {
                refuse(fmt::format("{}: is `{}` or `{}` the answer? Name it answer", where(),
                                   shortened(answer_name_), shortened(key)));
            }
            only = &value;
            answer_name_ = key;
        }
        return only;
    }

    std::string source_;
    const Sink& sink_;
    OneKind kind_;
    LeftOut left_out_;
    std::string item_name_, annotator_name_, label_name_, answer_name_;
};

template <class Reader>
Reading read_elements(std::string_view text, const std::string& source, const Sink& sink) {
    Reader reader(source, sink);
    read_json_elements(text, task_depth, task_values, source,
                       [&](json&& element, std::uint64_t number) { reader.take(element, number); });
    return reader.reading();
}

}  // namespace

Reading read_label_studio_tasks(std::string_view text, const std::string& source,
                                const Sink& sink) {
    return read_elements<Tasks>(text, source, sink);
}

Reading read_records(std::string_view text, const std::string& source, const Sink& sink) {
    return read_elements<Records>(text, source, sink);
}

}  // namespace assay::crowd
