#include "store/json_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {
namespace {

using nlohmann::json;

/// Reads a score from JSON or from Python's words for numbers. Returns nothing for other text.
std::optional<float> score_in(const json& value) {
    if (value.is_number()) return static_cast<float>(value.get<double>());
    if (value.is_null()) return std::numeric_limits<float>::quiet_NaN();
    // without_python_words() turns words that JSON lacks into strings.
    const auto word =
        value.is_string() ? parse_score(value.get_ref<const std::string&>()) : std::nullopt;
    return word && !std::isfinite(*word) ? word : std::nullopt;
}

float score_of(const JsonReader& value) {
    const std::optional<float> score = score_in(value.json());
    if (!score) value.refuse_as("a number");
    return *score;
}

/// Numbers and texts as text, because class numbers and ids may be either.
std::optional<std::string> text_in(const json& value) {
    if (value.is_number_integer()) return value.dump();
    if (value.is_string()) return value.get<std::string>();
    return std::nullopt;
}

std::string text_of(const JsonReader& value) {
    std::optional<std::string> text = text_in(value.json());
    if (!text) value.refuse_as("a text or a whole number");
    return std::move(*text);
}

/// The image's own label, or nothing if the line has no label or a list of several labels.
std::optional<std::string> own_label(const std::optional<JsonReader>& value) {
    if (!value || value->json().is_null() || value->json().is_array()) return std::nullopt;
    // Also accepts 3.0, because writers produce it when a column has missing integers.
    return value->json().is_number() ? value->json().dump() : text_of(*value);
}

bool holds_list(const std::optional<JsonReader>& value) {
    return value && value->json().is_array();
}

[[noreturn]] void refuse_answers(const json& answers) {
    refuse(
        fmt::format("`filtered_resps` is {}; allowed for lm-eval: one text, or a pair for each "
                    "class of its log-likelihood and whether it is greedy",
                    shown_json(answers)));
}

/// Reads a sample from lm-eval: "filtered_resps" is ["B"], or for a choice between classes [[-1.5,
/// true], [-2, false]]. Numbers may be texts.
json row_of_answers(const json& sample) {
    const json& answers = sample.at("filtered_resps");
    json row = {{"id", sample.value("doc_id", json())}, {"target", sample.value("target", json())}};
    if (!answers.is_array() || answers.empty()) refuse_answers(answers);
    if (answers.size() == 1 && answers[0].is_string()) {
        row["prediction"] = answers[0];
        return row;
    }
    json& likelihoods = row["logits"] = json::array();
    for (const json& answer : answers) {
        if (!answer.is_array() || answer.size() != 2) refuse_answers(answers);
        const auto number = answer[0].is_string()
                                ? parse_score(answer[0].get_ref<const std::string&>())
                                : std::nullopt;
        if (!number && !answer[0].is_number()) refuse_answers(answers);
        likelihoods.push_back(number ? json(*number) : answer[0]);
    }
    return row;
}

}  // namespace

void JsonRows::set_scored(bool scored) {
    if (scored_.value_or(scored) != scored) refuse("some rows have scores and others a class only");
    scored_ = scored;
}

void JsonRows::add_scores(const std::optional<std::string>& id, const JsonReader& scores) {
    std::vector<float> row;
    row.reserve(scores.list().size());
    for (const json& value : scores.list()) {
        const std::optional<float> score = score_in(value);
        row.push_back(score ? *score : score_of(scores.entry(row.size())));
    }
    builder_.add_full(id, row);
}

void JsonRows::add(const json& row, std::optional<std::string> id) {
    const JsonReader read(row, {.whole = "the row"});
    if (row.is_array()) {
        builder_.set_truth(std::nullopt);
        set_scored(true);
        return add_scores(id, read);
    }
    if (read.has("filtered_resps")) {
        const json answers = row_of_answers(row);
        return add_object(JsonReader(answers), std::move(id));
    }
    add_object(read, std::move(id));
}

void JsonRows::add_object(const JsonReader& row, std::optional<std::string> id) {
    std::optional<JsonReader> index, label, score, truth, predicted;
    for (const auto& entry : row.object().items()) {
        const std::string& key = entry.key();
        const JsonReader value = row[key];
        const Role role = role_of(key);
        if (role == Role::id && !id) id = text_of(value);
        if (role == Role::index) index.emplace(value);
        if (role == Role::label) label.emplace(value);
        if (role == Role::truth) truth.emplace(value);
        const bool list_of_scores = role == Role::predicted && value.json().is_array();
        if (role == Role::predicted && !list_of_scores) predicted.emplace(value);
        if (role == Role::other) unused_.insert(key);
        if (role == Role::score || list_of_scores) {
            if (score) refuse(fmt::format("`{:.40}` is a second key for scores; keep one", key));
            score.emplace(value);
            hint_ = kind_from_name(key);
        }
    }
    // A label next to a predicted class or to a row's whole list of scores is the image's label.
    const bool whole = holds_list(score) && !holds_list(index) && !holds_list(label);
    if (!truth && label && (predicted || whole)) truth.swap(label);
    builder_.set_truth(own_label(truth));
    set_scored(score.has_value());
    if (!score) {
        if (index || (label && !predicted)) {
            refuse(
                fmt::format("`{}` may be the predicted class or the image's label; call the key "
                            "`prediction` if it is predicted",
                            index ? "index" : "label"));
        }
        if (!predicted) {
            std::vector<std::string> keys;
            for (const auto& entry : row.object().items()) keys.push_back(shortened(entry.key()));
            refuse(fmt::format("no key for scores: prob, logits, scores, ...; there are: {}",
                               fmt::join(keys, ", ")));
        }
        hint_ = ScoreKind::labels;
        builder_.add_top(id, {{builder_.class_of(text_of(*predicted)), 1.0F}});
        return;
    }
    if (!index) index.swap(predicted);
    // A label next to a full row of scores is the image's label. Labels next to the same number of
    // scores are the classes of the scores.
    const bool label_is_theirs = label && (!holds_list(score) || holds_list(label));
    const std::optional<JsonReader>& classes = index || !label_is_theirs ? index : label;
    if (!holds_list(score)) {
        if (!classes || !id) refuse("a single score needs a class (index or label) and an id");
        builder_.add_entry(*id, {builder_.class_of(text_of(*classes)), score_of(*score)});
        return;
    }
    if (!classes) return add_scores(id, *score);
    if (!holds_list(classes) || classes->json().size() != score->json().size())
        refuse("there must be as many classes as scores");
    std::vector<TopEntry> entries;
    for (std::size_t i = 0; i < score->json().size(); ++i) {
        const std::optional<std::string> cls = text_in(classes->json()[i]);
        const std::optional<float> number = score_in(score->json()[i]);
        entries.push_back({builder_.class_of(cls ? *cls : text_of(classes->entry(i))),
                           number ? *number : score_of(score->entry(i))});
    }
    builder_.add_top(id, std::move(entries));
}

ScoreSource JsonRows::finish() {
    ScoreSource source = builder_.finish();
    source.hint = hint_;
    if (source.truth.size() > 0) source.truth_name = "label";
    if (hint_ == ScoreKind::labels) {
        source.notes.emplace_back(
            "the rows hold predicted classes. Without scores only metrics of the predicted class "
            "are "
            "computed");
    }
    for (const std::string& key : unused_)
        source.notes.push_back(fmt::format("the key `{}` is not used", shortened(key)));
    return source;
}

}  // namespace assay::store
