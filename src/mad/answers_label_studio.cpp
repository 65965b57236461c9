// What Label Studio exports: JSON (tasks with their annotations) and JSON-MIN (an annotation each,
// flat), as its versions 1.x write them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_events.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"

namespace assay::mad {
namespace {

using nlohmann::json;

constexpr int label_studio_depth = 32;
/// Values of one task: an image with a question and its annotations has some dozens.
constexpr std::uint64_t label_studio_values = 200'000;

const json* member(const json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool is_true(const json& object, const char* name) {
    const json* const value = member(object, name);
    return value != nullptr && value->is_boolean() && value->get<bool>();
}

/// Texts as they are, whole numbers in digits; nothing for all else.
std::optional<std::string> scalar_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.dump();
    return std::nullopt;
}

/// The first of `names` that is there and not empty. Throws bad_input where it is neither a text
/// nor a number.
std::string text_member(const json& object, std::initializer_list<const char*> names,
                        const std::string& where) {
    for (const char* const name : names) {
        const json* const value = member(object, name);
        if (value == nullptr) continue;
        const std::optional<std::string> text = scalar_text(*value);
        if (!text) {
            refuse(fmt::format("{}: `{}` is {}; allowed: a text or a whole number", where, name,
                               shown_json(*value)));
        }
        if (!trimmed(*text).empty()) return std::string(trimmed(*text));
    }
    return "";
}

/// Where the question is named, `label` may well be another control's of the same project.
std::string text_beside_question(const json& data, std::initializer_list<const char*> names,
                                 FoundAnswer& found) {
    for (const char* const name : names) {
        const json* const value = member(data, name);
        if (value == nullptr || scalar_text(*value) || found.question.empty()) continue;
        found.unread =
            fmt::format("`{}` is {}; allowed: a text or a whole number", name, shown_json(*value));
        return "";
    }
    return text_member(data, names, found.where);
}

void take_question(const json& data, FoundAnswer& found) {
    found.question = text_member(data, {"question_id", "token", "question"}, found.where);
    found.image = text_beside_question(data, {"image_id", "image", "path"}, found);
    found.label = text_beside_question(data, {"label", "class"}, found);
}

void take_times(const json& from, FoundAnswer& found) {
    found.at =
        utc_time_in(text_member(from, {"updated_at", "created_at"}, found.where), found.where);
    found.made = utc_time_in(text_member(from, {"created_at"}, found.where), found.where);
}

/// A number, an e-mail address, or an object that has both.
std::string annotator_of(const json& annotation, const char* name, const std::string& where) {
    const json* const by = member(annotation, name);
    if (by == nullptr) return "";
    if (by->is_object()) return text_member(*by, {"email", "id"}, where);
    return text_member(annotation, {name}, where);
}

/// False: it says that there is none.
bool take_answer(const json& said, FoundAnswer& found) {
    const json* one = &said;
    if (const json* const choices = member(*one, "choices")) one = choices;
    if (one->is_array()) {
        if (one->size() != 1) {
            refuse(fmt::format("{}: {} choices, {}; allowed: one", found.where, one->size(),
                               shown_json(*one)));
        }
        one = &one->front();
    }
    if (const json* const choices = member(*one, "choices"); choices != nullptr && one != &said)
        return take_answer(*choices, found);
    const std::string text = one->is_string() ? one->get<std::string>() : json_line(*one);
    if (says_nothing(text)) return false;
    const std::optional<Answer> answer = answer_named(text);
    if (!answer) {
        refuse(fmt::format("{}: the answer is `{}`; allowed: {}", found.where, shortened(text),
                           known_answers()));
    }
    found.answer = *answer;
    return true;
}

/// The result of the control that our configuration calls "answer", or of the only one with
/// choices; null where there is none.
const json* choice_of(const json& results, const std::string& where) {
    const json* only = nullptr;
    std::size_t choices = 0;
    for (const json& result : results) {
        const json* const type = member(result, "type");
        if (type == nullptr || *type != "choices") continue;
        if (const json* const from = member(result, "from_name");
            from != nullptr && *from == "answer") {
            return &result;
        }
        only = &result;
        ++choices;
    }
    if (choices > 1) {
        refuse(fmt::format("{}: {} controls with choices, and none of them is called `answer`",
                           where, choices));
    }
    return only;
}

void take_back(const json& annotation, const char* id, FoundAnswer found, AnswerSink& sink) {
    ++sink.skipped;
    found.annotation = text_member(annotation, {id}, found.where);
    if (found.annotation.empty()) return;
    take_times(annotation, found);
    found.taken_back = true;
    sink.found(found);
}

void read_annotation(const json& annotation, FoundAnswer found, AnswerSink& sink) {
    if (!annotation.is_object()) {
        refuse(fmt::format("{}: the annotation is {}; allowed: an object (export with annotations)",
                           found.where, shown_json(annotation)));
    }
    if (is_true(annotation, "was_cancelled") || is_true(annotation, "skipped")) {
        take_back(annotation, "id", std::move(found), sink);
        return;
    }
    const json* const results = member(annotation, "result");
    if (results != nullptr && !results->is_array())
        refuse(
            fmt::format("{}: `result` is {}; allowed: a list", found.where, shown_json(*results)));
    const json* const choice = results == nullptr ? nullptr : choice_of(*results, found.where);
    const json* const value = choice == nullptr ? nullptr : member(*choice, "value");
    const json* const said = value == nullptr ? nullptr : member(*value, "choices");
    if (said == nullptr || (said->is_array() && said->empty()) || !take_answer(*said, found)) {
        take_back(annotation, "id", std::move(found), sink);
        return;
    }
    found.annotator = annotator_of(annotation, "completed_by", found.where);
    // Users whom Label Studio does not know became those of whoever imported our export: it says
    // in the results who they were.
    const json* const meta = member(*choice, "meta");
    if (meta != nullptr && member(*meta, "annotator") != nullptr)
        found.annotator = text_member(*meta, {"annotator"}, found.where);
    found.annotation = text_member(annotation, {"id"}, found.where);
    take_times(annotation, found);
    sink.found(found);
}

void read_task(const json& task, const json& annotations, const std::string& where,
               AnswerSink& sink) {
    FoundAnswer found;
    found.where = where;
    const json* const data = member(task, "data");
    if (data == nullptr || !data->is_object())
        refuse(fmt::format("{}: `data` is missing, or no object", where));
    if (!annotations.is_array())
        refuse(fmt::format("{}: `annotations` is {}; allowed: a list", where,
                           shown_json(annotations)));
    take_question(*data, found);
    if (const json* const drafts = member(task, "drafts"); drafts != nullptr && drafts->is_array())
        sink.skipped += drafts->size();
    if (annotations.empty()) ++sink.skipped;
    for (std::size_t i = 0; i < annotations.size(); ++i) {
        FoundAnswer one = found;
        one.where = fmt::format("{} annotation {}", where, i + 1);
        read_annotation(annotations[i], std::move(one), sink);
    }
}

/// JSON-MIN: the fields of the task, those of the annotation, and each control under its name.
void read_flat(const json& element, FoundAnswer found, AnswerSink& sink) {
    const json* said = member(element, "answer");
    if (said == nullptr) said = member(element, "choice");
    if (said == nullptr && member(element, "annotation_id") == nullptr &&
        member(element, "question_id") == nullptr) {
        refuse(
            fmt::format("{} is {}; allowed: a task of Label Studio, with `annotations` or "
                        "`answer`",
                        found.where, shown_json(element)));
    }
    if (said == nullptr || (said->is_array() && said->empty()) || !take_answer(*said, found)) {
        take_question(element, found);
        take_back(element, "annotation_id", std::move(found), sink);
        return;
    }
    take_question(element, found);
    if (const json* const exported = member(element, exported_annotations.data());
        exported != nullptr && scalar_text(*exported)) {
        refuse_exported(*scalar_text(*exported), found.where);
    }
    found.annotator = annotator_of(element, "annotator", found.where);
    found.annotation = text_member(element, {"annotation_id"}, found.where);
    take_times(element, found);
    sink.found(found);
}

}  // namespace

void read_label_studio(std::string_view text, const std::string& source, AnswerSink& sink) {
    read_json_elements(
        text, label_studio_depth, label_studio_values, source,
        [&](json&& element, std::uint64_t number) {
            std::string where = fmt::format("{} task {}", source, number + 1);
            if (!element.is_object())
                refuse(fmt::format("{} is {}; allowed: an object", where, shown_json(element)));
            if (const json* const id = member(element, "id"); id != nullptr && scalar_text(*id))
                where += fmt::format(" (id {})", shortened(*scalar_text(*id), 20));
            if (const json* const annotations = member(element, "annotations")) {
                read_task(element, *annotations, where, sink);
            } else if (member(element, "data") != nullptr) {
                read_task(element, json::array(), where, sink);
            } else {
                FoundAnswer found;
                found.where = where;
                read_flat(element, std::move(found), sink);
            }
        });
}

}  // namespace assay::mad
