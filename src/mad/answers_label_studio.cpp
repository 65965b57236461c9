// Label Studio's exports: JSON (tasks with their annotations) and JSON-MIN (flat, one annotation
// each), from its versions 1.x.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_events.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"

namespace assay::mad {
namespace {

using nlohmann::json;

constexpr int label_studio_depth = 32;
/// The most values in one task. An image with a question and its annotations has some dozens.
constexpr std::uint64_t label_studio_values = 200'000;

bool is_true(const JsonReader& object, const char* name) {
    const auto value = object.find(name);
    return value && value->json().is_boolean() && value->truth();
}

/// Returns texts unchanged and integers as digits; nothing for other values.
std::optional<std::string> scalar_text(const JsonReader& value) {
    if (value.json().is_string()) return value.text();
    if (value.json().is_number_integer()) return value.json().dump();
    return std::nullopt;
}

constexpr std::string_view scalar = "a text or a whole number";

/// The first of `names` that is present and not empty. Throws bad_input if it is neither a text nor
/// a number.
std::string text_member(const JsonReader& object, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        const auto value = object.find(name);
        if (!value) continue;
        const std::optional<std::string> text = scalar_text(*value);
        if (!text) value->refuse_as(scalar);
        if (!trimmed(*text).empty()) return std::string(trimmed(*text));
    }
    return "";
}

/// If the question is named, `label` may belong to another control of the same project.
std::string text_beside_question(const JsonReader& data, std::initializer_list<const char*> names,
                                 FoundAnswer& found) {
    for (const char* const name : names) {
        const auto value = data.find(name);
        if (!value || scalar_text(*value) || found.question.empty()) continue;
        found.unread =
            fmt::format("`{}` is {}; allowed: {}", name, shown_json(value->json()), scalar);
        return "";
    }
    return text_member(data, names);
}

void take_question(const JsonReader& data, FoundAnswer& found) {
    found.question = text_member(data, {"question_id", "token", "question"});
    found.image = text_beside_question(data, {"image_id", "image", "path"}, found);
    found.label = text_beside_question(data, {"label", "class"}, found);
}

void take_times(const JsonReader& from, FoundAnswer& found) {
    found.at = utc_time_in(text_member(from, {"updated_at", "created_at"}), found.where);
    found.made = utc_time_in(text_member(from, {"created_at"}), found.where);
}

/// The user is a number, an e-mail address, or an object with both.
std::string annotator_of(const JsonReader& annotation, const char* name) {
    const auto by = annotation.find(name);
    if (by && by->json().is_object()) return text_member(*by, {"email", "id"});
    return text_member(annotation, {name});
}

/// Returns false if the value means that there is no answer.
bool take_answer(const JsonReader& said, FoundAnswer& found) {
    if (said.json().is_object()) {
        if (const auto choices = said.find("choices")) return take_answer(*choices, found);
    }
    if (said.json().is_array()) {
        const std::size_t choices = said.list().size();
        if (choices != 1) said.refuse(fmt::format("{} choices; allowed: one", choices));
        const JsonReader choice = said.entry(0);
        if (choice.json().is_array()) choice.refuse_as(known_answers());
        return take_answer(choice, found);
    }
    const std::string text = said.json().is_string() ? said.text() : json_line(said.json());
    if (says_nothing(text)) return false;
    const std::optional<Answer> answer = answer_named(text);
    if (!answer) {
        refuse(fmt::format("{}: the answer is `{}`; allowed: {}", found.where, shortened(text),
                           known_answers()));
    }
    found.answer = *answer;
    return true;
}

/// The result of the control that our configuration names "answer", or of the only one with
/// choices; nothing if there is none.
std::optional<JsonReader> choice_of(const JsonReader& results) {
    std::optional<JsonReader> only;
    std::size_t choices = 0;
    for (const JsonReader& result : results.entries()) {
        if (!result.json().is_object()) continue;
        const auto type = result.find("type");
        if (!type || type->json() != "choices") continue;
        const auto from = result.find("from_name");
        if (from && from->json() == "answer") return result;
        only.emplace(result);
        ++choices;
    }
    if (choices > 1) {
        results.refuse(
            fmt::format("{} controls with choices, but none is named `answer`", choices));
    }
    return only;
}

/// The value that a control received; nothing means no answer.
std::optional<JsonReader> said_by(const std::optional<JsonReader>& choice) {
    const auto value = choice ? choice->find("value") : std::nullopt;
    return value && value->json().is_object() ? value->find("choices") : std::nullopt;
}

bool is_empty(const std::optional<JsonReader>& said) {
    return !said || (said->json().is_array() && said->json().empty());
}

void take_back(const JsonReader& annotation, const char* id, FoundAnswer found, AnswerSink& sink) {
    ++sink.skipped;
    found.annotation = text_member(annotation, {id});
    if (found.annotation.empty()) return;
    take_times(annotation, found);
    found.taken_back = true;
    sink.found(found);
}

void read_annotation(const JsonReader& annotation, FoundAnswer found, AnswerSink& sink) {
    if (!annotation.json().is_object()) annotation.refuse_as("an object (export with annotations)");
    if (is_true(annotation, "was_cancelled") || is_true(annotation, "skipped") ||
        is_true(annotation, "deleted") || is_true(annotation, "is_deleted")) {
        take_back(annotation, "id", std::move(found), sink);
        return;
    }
    const auto results = annotation.find("result");
    const auto choice = results ? choice_of(*results) : std::nullopt;
    const auto said = said_by(choice);
    if (is_empty(said) || !take_answer(*said, found)) {
        take_back(annotation, "id", std::move(found), sink);
        return;
    }
    found.annotator = annotator_of(annotation, "completed_by");
    // Label Studio attributes answers of unknown users to the person who imported our export, but
    // the results still name the users.
    const auto meta = choice->find("meta");
    if (meta && meta->json().is_object() && meta->find("annotator"))
        found.annotator = text_member(*meta, {"annotator"});
    found.annotation = text_member(annotation, {"id"});
    take_times(annotation, found);
    sink.found(found);
}

/// `annotations` is empty if the task has none.
void read_task(const JsonReader& task, const std::optional<JsonReader>& annotations,
               AnswerSink& sink) {
    FoundAnswer found;
    found.where = task.place();
    const std::vector<JsonReader> all =
        annotations ? annotations->entries() : std::vector<JsonReader>();
    take_question(task["data"], found);
    const auto drafts = task.find("drafts");
    if (drafts && drafts->json().is_array()) sink.skipped += drafts->json().size();
    if (all.empty()) ++sink.skipped;
    for (std::size_t i = 0; i < all.size(); ++i) {
        FoundAnswer one = found;
        one.where = fmt::format("{} annotation {}", task.place(), i + 1);
        read_annotation(JsonReader(all[i].json(), {}, one.where), one, sink);
    }
}

/// JSON-MIN: the fields of the task, those of the annotation, and each control under its name.
void read_flat(const JsonReader& element, FoundAnswer found, AnswerSink& sink) {
    const auto answer = element.find("answer");
    const auto said = answer ? answer : element.find("choice");
    if (!said && !element.find("annotation_id") && !element.find("question_id"))
        element.refuse_as("a task of Label Studio, with `annotations` or `answer`");
    if (is_empty(said) || !take_answer(*said, found)) {
        take_question(element, found);
        take_back(element, "annotation_id", std::move(found), sink);
        return;
    }
    take_question(element, found);
    if (const auto exported = element.find(exported_annotations);
        exported && scalar_text(*exported))
        refuse_exported(*scalar_text(*exported), found.where);
    found.annotator = annotator_of(element, "annotator");
    found.annotation = text_member(element, {"annotation_id"});
    take_times(element, found);
    sink.found(found);
}

}  // namespace

void read_label_studio(std::string_view text, const std::string& source, AnswerSink& sink) {
    read_json_elements(text, label_studio_depth, label_studio_values, source,
                       [&](json&& element, std::uint64_t number) {
                           std::string where = fmt::format("{} task {}", source, number + 1);
                           const auto id = JsonReader(element, {}, where).find("id");
                           if (id && scalar_text(*id))
                               where += fmt::format(" (id {})", shortened(*scalar_text(*id), 20));
                           const JsonReader task(element, {}, where);
                           const auto annotations = task.find("annotations");
                           if (annotations || task.find("data")) {
                               read_task(task, annotations, sink);
                           } else {
                               FoundAnswer found;
                               found.where = where;
                               read_flat(task, std::move(found), sink);
                           }
                       });
}

}  // namespace assay::mad
