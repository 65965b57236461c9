#include "store/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/error.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {
namespace {

using nlohmann::json;

float score_of(const json& value) {
    if (value.is_null()) return std::numeric_limits<float>::quiet_NaN();  // what JSON has for NaN
    if (value.is_string()) {
        // without_python_words() makes texts of the words that JSON does not have.
        const auto word = parse_score(value.get_ref<const std::string&>());
        if (word && !std::isfinite(*word)) return *word;
    }
    if (!value.is_number()) refuse("a score is not a number");
    return static_cast<float>(value.get<double>());
}

/// Numbers and texts as text; class numbers and ids come as either.
std::string text_of(const json& value, std::string_view what) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.dump();
    refuse(fmt::format("{} is neither a text nor a whole number", what));
}

/// The image's own label; nothing where the line has none, or a list of several.
std::optional<std::string> own_label(const json* value) {
    if (value == nullptr || value->is_null() || value->is_array()) return std::nullopt;
    // 3.0 as well: whole numbers are written so beside missing ones.
    return value->is_number() ? value->dump() : text_of(*value, "the label");
}

/// Python's json module writes NaN, Infinity and -Infinity, which JSON does not have: as texts,
/// outside other texts.
std::string with_words_as_texts(std::string_view line) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at < line.size();) {
        std::string_view rest = line.substr(at);
        std::size_t taken = 1;
        if (inside && rest.front() == '\\') {
            taken = std::min<std::size_t>(2, rest.size());
        } else if (rest.front() == '"') {
            inside = !inside;
        } else if (!inside) {
            for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
                if (!rest.starts_with(word)) continue;
                out += fmt::format("\"{}\"", word);
                at += word.size();
                taken = 0;
                break;
            }
        }
        out += rest.substr(0, taken);
        at += taken;
    }
    return out;
}

[[noreturn]] void refuse_answers(const json& answers) {
    refuse(
        fmt::format("`filtered_resps` is {}; lm-eval's answers are read where they are one text, "
                    "or a pair for each class, of its log-likelihood and whether it is greedy",
                    shown_json(answers)));
}

/// A sample that lm-eval logged: "filtered_resps" is ["B"], or where it chose between classes
/// [[-1.5, true], [-2, false]]; numbers may be texts.
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

std::string_view without_python_words(std::string_view text, std::string& copy) {
    if (text.find("NaN") == std::string_view::npos &&
        text.find("Infinity") == std::string_view::npos)
        return text;
    copy = with_words_as_texts(text);
    return copy;
}

void JsonRows::set_scored(bool scored) {
    if (scored_.value_or(scored) != scored) refuse("some rows have scores and others a class only");
    scored_ = scored;
}

void JsonRows::add_scores(const std::optional<std::string>& id, const json& scores) {
    std::vector<float> row;
    row.reserve(scores.size());
    for (const json& value : scores) row.push_back(score_of(value));
    builder_.add_full(id, row);
}

void JsonRows::add(const json& row, std::optional<std::string> id) {
    if (row.is_array()) {
        builder_.set_truth(std::nullopt);
        set_scored(true);
        return add_scores(id, row);
    }
    if (row.is_object() && row.contains("filtered_resps"))
        return add_object(row_of_answers(row), std::move(id));
    add_object(row, std::move(id));
}

void JsonRows::add_object(const json& row, std::optional<std::string> id) {
    if (!row.is_object()) refuse("an object is expected");
    const json* index = nullptr;
    const json* label = nullptr;
    const json* score = nullptr;
    const json* truth = nullptr;
    const json* predicted = nullptr;
    for (const auto& [key, value] : row.items()) {
        const Role role = role_of(key);
        if (role == Role::id && !id) id = text_of(value, "the id");
        if (role == Role::index) index = &value;
        if (role == Role::label) label = &value;
        if (role == Role::truth) truth = &value;
        const bool list_of_scores = role == Role::predicted && value.is_array();
        if (role == Role::predicted && !list_of_scores) predicted = &value;
        if (role == Role::other) unused_.insert(key);
        if (role == Role::score || list_of_scores) {
            if (score != nullptr) refuse(fmt::format("`{:.40}` is a second key for scores", key));
            score = &value;
            hint_ = kind_from_name(key);
        }
    }
    // A label beside a predicted class, or beside a row's whole list of scores, is the image's.
    const bool whole = score != nullptr && score->is_array() &&
                       !(index != nullptr && index->is_array()) &&
                       !(label != nullptr && label->is_array());
    if (truth == nullptr && label != nullptr && (predicted != nullptr || whole))
        truth = std::exchange(label, nullptr);
    builder_.set_truth(own_label(truth));
    set_scored(score != nullptr);
    if (score == nullptr) {
        if (predicted == nullptr) predicted = index != nullptr ? index : label;
        if (predicted == nullptr) refuse("no key for scores: prob, logits, scores, ...");
        hint_ = ScoreKind::labels;
        builder_.add_top(id, {{builder_.class_of(text_of(*predicted, "the class")), 1.0F}});
        return;
    }
    if (index == nullptr && predicted != nullptr) index = predicted;
    // Beside a full row of scores a label is the image's; beside as many scores as labels it is
    // theirs.
    const bool label_is_list = label != nullptr && (!score->is_array() || label->is_array());
    const json* classes = index != nullptr ? index : label_is_list ? label : nullptr;
    if (!score->is_array()) {
        if (classes == nullptr || !id)
            refuse("a single score needs a class (index or label) and an id");
        builder_.add_entry(*id,
                           {builder_.class_of(text_of(*classes, "the class")), score_of(*score)});
        return;
    }
    if (classes == nullptr) {
        return add_scores(id, *score);
    }
    if (!classes->is_array() || classes->size() != score->size())
        refuse("there must be as many classes as scores");
    std::vector<TopEntry> entries;
    for (std::size_t i = 0; i < score->size(); ++i) {
        entries.push_back(
            {builder_.class_of(text_of((*classes)[i], "a class")), score_of((*score)[i])});
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
