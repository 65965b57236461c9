#include "store/json_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {

/// The converted form of an image's scores by name: {"id": ..., "label": ..., "cat": 0.9, "dog":
/// 0.1}.
struct NamedScores {
    nlohmann::json row;
    bool classes_alone = false;  ///< the file declares the classes, so no other members are
                                 ///< mixed in
};

namespace {

using nlohmann::json;

bool is_score(const json& value) {
    return value.is_number() || value.is_null();
}

/// Reads the output of transformers' pipeline for an image: all scores, or the best scores.
bool is_pipeline_list(const json& list) {
    return list.is_array() && !list.empty() && std::ranges::all_of(list, [](const json& entry) {
               return entry.is_object() && entry.size() == 2 && entry.contains("label") &&
                      entry["label"].is_string() && entry.contains("score") &&
                      entry["score"].is_number();
           });
}

bool is_object_of_scores(const json& value) {
    return value.is_object() && value.size() > 1 && std::ranges::all_of(value, is_score);
}

/// True if a member with this role contains scores by name. An object of numbers may describe the
/// image, so its key decides.
bool holds_named(Role role, const json& value) {
    const bool scores = role == Role::score || role == Role::predicted;
    return (scores && is_object_of_scores(value)) ||
           ((scores || role == Role::other) && is_pipeline_list(value));
}

void put_scores(const json& scores, json& row) {
    const auto put = [&](const std::string& name, const json& score) {
        if (row.contains(name))
            refuse(fmt::format("the class `{}` appears twice", shortened(name)));
        row[name] = score;
    };
    if (scores.is_array()) {
        for (const json& entry : scores)
            put(entry["label"].get_ref<const std::string&>(), entry["score"]);
        return;
    }
    for (const auto& entry : scores.items()) put(entry.key(), entry.value());
}

/// True if a member of NamedScores is a class. With `classes_alone`, every member is a class.
bool is_class(const std::string& name, bool classes_alone) {
    return classes_alone ? name != "id" && name != "label" : role_of(name) == Role::other;
}

/// The value as a table cell.
std::string cell_of(const json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Returns nothing if `row` has no scores by name.
std::optional<NamedScores> named_scores(const json& row) {
    NamedScores out;
    out.row = json::object();
    if (is_pipeline_list(row)) {
        if (row.size() == 1) return std::nullopt;
        out.classes_alone = true;
        put_scores(row, out.row);
        return out;
    }
    if (!row.is_object() || row.contains("filtered_resps")) return std::nullopt;
    const json* scores = nullptr;
    std::size_t numbers = 0;
    bool one_score = false, class_of_score = false, has_label = false;
    for (const auto& entry : row.items()) {
        const json& value = entry.value();
        const Role role = role_of(entry.key());
        if (holds_named(role, value)) {
            if (scores != nullptr) return std::nullopt;
            scores = &value;
        } else if (value.is_structured()) {
            return std::nullopt;
        } else {
            if (role == Role::score && one_score) return std::nullopt;
            one_score = one_score || role == Role::score;
            class_of_score = class_of_score || role == Role::index || role == Role::predicted;
            has_label = has_label || role == Role::label;
            numbers += role == Role::other && value.is_number() ? 1U : 0U;
        }
    }
    if (one_score && (scores != nullptr || class_of_score)) return std::nullopt;
    // One score without its own class is from a binary classifier.
    const bool binary = one_score && numbers == 0 && !has_label;
    if (scores == nullptr && numbers < 2 && !binary) return std::nullopt;
    if (scores == nullptr) {
        out.row = row;
        return out;
    }
    out.classes_alone = true;
    for (const auto& entry : row.items()) {
        const Role role = role_of(entry.key());
        if (role == Role::id || role == Role::label || role == Role::truth)
            out.row[role == Role::id ? "id" : "label"] = entry.value();
    }
    put_scores(*scores, out.row);
    return out;
}

/// If there are fewer classes than in the list of `options`, they are each image's best classes.
bool is_best_few(const NamedScores& scores, const SourceOptions& options) {
    const std::size_t classes =
        options.class_count != 0 ? options.class_count : options.classes.size();
    const auto held = static_cast<std::size_t>(std::ranges::count_if(
        scores.row.items(), [](const auto& e) { return is_class(e.key(), true); }));
    return scores.classes_alone && held < classes;
}

/// Converts scores by name, in either form, to the row {"label": [...], "score": [...]}. Other rows
/// are unchanged.
json row_of_best(json row) {
    json lists = json::object();
    const auto take = [&](const json& scores) {
        for (const auto& entry : scores.items()) {
            const bool pair = entry.value().is_object();
            lists["label"].push_back(pair ? entry.value()["label"] : json(entry.key()));
            lists["score"].push_back(pair ? entry.value()["score"] : entry.value());
        }
    };
    if (is_pipeline_list(row)) {
        take(row);
        return lists;
    }
    if (!row.is_object()) return row;
    for (const auto& entry : row.items()) {
        if (!holds_named(role_of(entry.key()), entry.value())) continue;
        take(entry.value());
        for (const auto& other : row.items()) {
            const Role role = role_of(other.key());
            if (role == Role::id) lists["id"] = other.value();
            if (role == Role::label || role == Role::truth) lists["target"] = other.value();
        }
        return lists;
    }
    return row;
}

}  // namespace

bool JsonTable::take(json& row, std::optional<std::string> id) {
    const auto scores = is_one_.value_or(true) ? named_scores(row) : std::nullopt;
    if (!is_one_) is_one_ = scores && !is_best_few(*scores, options_);
    if (!*is_one_) {
        row = row_of_best(std::move(row));
        return false;
    }
    if (!scores) refuse(fmt::format("the {} before it have scores by class name", rows_));
    add(*scores, std::move(id));
    return true;
}

void JsonTable::begin(const NamedScores& scores, bool with_id) {
    with_id_ = with_id;
    classes_alone_ = scores.classes_alone;
    if (with_id) columns_.emplace_back("id");
    for (const auto& entry : scores.row.items()) {
        if (!with_id || entry.key() != "id") columns_.push_back(entry.key());
    }
    // JSON members have no order, but a list of classes has.
    const auto number = [&](const std::string& name) {
        return options_.classes.find(name).value_or(-1);
    };
    std::ranges::stable_sort(columns_, {}, number);
    for (const std::string& name : columns_) {
        if (is_class(name, classes_alone_)) classes_.push_back(name);
    }
    CsvWriter(text_).row(columns_);
}

void JsonTable::add(const NamedScores& scores, std::optional<std::string> id) {
    if (columns_.empty()) begin(scores, id.has_value());
    const auto other = [&](const std::string& what) {
        throw Error(ErrorCode::usage,
                    fmt::format("{}: these are the best classes of each image, or rows of several "
                                "kinds. Write all scores (transformers: top_k=None), or pass all "
                                "classes with --classes FILE",
                                what));
    };
    std::size_t found = 0;
    CsvWriter writer(text_);
    for (const std::string& name : columns_) {
        if (with_id_ && name == "id") {
            writer.field(id.value_or(""));
            continue;
        }
        const auto value = scores.row.find(name);
        if (value == scores.row.end())
            other(fmt::format("the row has no `{}`, but the first row has it", shortened(name)));
        writer.field(cell_of(*value));
        ++found;
    }
    writer.end_row();
    const bool hides_id = with_id_ && scores.row.contains("id");
    if (found + (hides_id ? 1U : 0U) == scores.row.size()) return;
    for (const auto& entry : scores.row.items()) {
        if (std::ranges::find(columns_, entry.key()) == columns_.end())
            other(fmt::format("the row has `{}`, but the first row does not",
                              shortened(entry.key())));
    }
}

ScoreSource JsonTable::finish(const std::string& name) const {
    SourceOptions options = options_;
    if (classes_alone_ && options.columns.scores.empty() && options.columns.ignored.empty())
        options.columns.scores = classes_;
    ScoreSource source = read_csv(text_, name, options);
    if (options_.columns.scores.empty()) source.reading.clear();
    return source;
}

}  // namespace assay::store
