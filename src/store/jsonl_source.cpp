// Tables in JSON lines: an object for each image, or for each of its best entries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "assay/error.h"
#include "cells.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "fields.h"
#include "score_source.h"
#include "table_builder.h"

namespace assay::store {
namespace {

using nlohmann::json;

constexpr std::size_t max_line = 64U << 20;

float score_of(const json& value) {
    if (value.is_null()) return std::numeric_limits<float>::quiet_NaN();  // what JSON has for NaN
    if (value.is_string()) {
        // parsed() makes texts of the words that JSON does not have.
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

json parsed(std::string_view line) {
    const bool words = line.find("NaN") != std::string_view::npos ||
                       line.find("Infinity") != std::string_view::npos;
    return words ? parse_json(with_words_as_texts(line), 8) : parse_json(line, 8);
}

/// The image's own label; nothing where the line has none, or a list of several.
std::optional<std::string> own_label(const json* value) {
    if (value == nullptr || value->is_null() || value->is_array()) return std::nullopt;
    // 3.0 as well: whole numbers are written so beside missing ones.
    return value->is_number() ? value->dump() : text_of(*value, "the label");
}

/// What the lines say together.
struct JsonLines {
    std::optional<ScoreKind> hint{};
    std::optional<bool> scored{};  ///< the lines have scores, and not a class only
    std::set<std::string> unused{};
};

void read_line(const json& line, TableBuilder& builder, JsonLines& all) {
    if (!line.is_object()) refuse("an object is expected");
    std::optional<std::string> id;
    const json* index = nullptr;
    const json* label = nullptr;
    const json* score = nullptr;
    const json* truth = nullptr;
    const json* predicted = nullptr;
    for (const auto& [key, value] : line.items()) {
        const Role role = role_of(key);
        if (role == Role::id && !id) id = text_of(value, "the id");
        if (role == Role::index) index = &value;
        if (role == Role::label) label = &value;
        if (role == Role::truth) truth = &value;
        const bool list_of_scores = role == Role::predicted && value.is_array();
        if (role == Role::predicted && !list_of_scores) predicted = &value;
        if (role == Role::other) all.unused.insert(key);
        if (role == Role::score || list_of_scores) {
            if (score != nullptr) refuse(fmt::format("`{:.40}` is a second key for scores", key));
            score = &value;
            all.hint = kind_from_name(key);
        }
    }
    // A label beside a predicted class, or beside a row's whole list of scores, is the image's.
    const bool whole = score != nullptr && score->is_array() &&
                       !(index != nullptr && index->is_array()) &&
                       !(label != nullptr && label->is_array());
    if (truth == nullptr && label != nullptr && (predicted != nullptr || whole))
        truth = std::exchange(label, nullptr);
    builder.set_truth(own_label(truth));
    const bool scored = score != nullptr;
    if (all.scored.value_or(scored) != scored)
        refuse("some lines have scores and others a class only");
    all.scored = scored;
    if (score == nullptr) {
        if (predicted == nullptr) predicted = index != nullptr ? index : label;
        if (predicted == nullptr) refuse("no key for scores: prob, logits, scores, ...");
        all.hint = ScoreKind::labels;
        builder.add_top(id, {{builder.class_of(text_of(*predicted, "the class")), 1.0F}});
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
        builder.add_entry(*id,
                          {builder.class_of(text_of(*classes, "the class")), score_of(*score)});
        return;
    }
    if (classes == nullptr) {
        std::vector<float> row;
        row.reserve(score->size());
        for (const json& value : *score) row.push_back(score_of(value));
        builder.add_full(id, row);
        return;
    }
    if (!classes->is_array() || classes->size() != score->size())
        refuse("there must be as many classes as scores");
    std::vector<TopEntry> row;
    for (std::size_t i = 0; i < score->size(); ++i) {
        row.push_back({builder.class_of(text_of((*classes)[i], "a class")), score_of((*score)[i])});
    }
    builder.add_top(id, std::move(row));
}

}  // namespace

ScoreSource read_jsonl(std::string_view text, const std::string& name,
                       const SourceOptions& options) {
    TableBuilder builder(options);
    JsonLines all;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        if (trimmed(line).empty()) return;
        with_note(fmt::format("reading {} line {}", name, number), [&] {
            if (line.size() > max_line)
                refuse(
                    fmt::format("a line of {} bytes; at most {} are read", line.size(), max_line));
            read_line(parsed(line), builder, all);
        });
    });
    ScoreSource source = builder.finish();
    source.hint = all.hint;
    if (source.truth.size() > 0) source.truth_name = "label";
    if (all.hint == ScoreKind::labels) {
        source.notes.emplace_back(
            "there are predicted classes and no scores: only what the "
            "predicted class tells can be measured");
    }
    for (const std::string& key : all.unused)
        source.notes.push_back(fmt::format("the key `{}` is not used", shortened(key)));
    return source;
}

ScoreSource open_jsonl(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_jsonl(map.text(), file.filename().string(), options);
}

namespace {

/// A line for the shell that makes a file that is read of one that Python alone can read; "" where
/// none is known.
std::string conversion_of(std::string_view ending, const std::filesystem::path& file) {
    const std::string from = file.string(), stem = file.stem().string();
    if (from.find_first_of("'\"\\`$") != std::string::npos) return {};
    const auto python = [](const std::string& code) { return "python3 -c \"" + code + "\""; };
    if (ending == ".pt" || ending == ".pth" || ending == ".ckpt") {
        return python(fmt::format("import numpy, torch; t = torch.load('{}', map_location='cpu'); "
                                  "t = dict(t) if hasattr(t, 'keys') else dict(scores=t); "
                                  "numpy.savez('{}.npz', **{{k: v.detach() if hasattr(v, 'detach') "
                                  "else v for k, v in t.items()}})",
                                  from, stem)) +
               fmt::format("; then give the same command {}.npz", stem);
    }
    if (ending == ".pkl" || ending == ".pickle") {
        return python(fmt::format("import numpy, pickle; t = pickle.load(open('{}', 'rb')); "
                                  "numpy.savez('{}.npz', **(t if isinstance(t, dict) else "
                                  "dict(scores=t)))",
                                  from, stem)) +
               fmt::format("; then give the same command {}.npz", stem);
    }
    const auto pandas = [&](const char* reader) {
        return python(fmt::format("import pandas; pandas.{}('{}').to_csv('{}.csv', index=False)",
                                  reader, from, stem)) +
               fmt::format("; then give the same command {}.csv", stem);
    };
    if (ending == ".parquet") return pandas("read_parquet");
    if (ending == ".feather") return pandas("read_feather");
    if (ending == ".xlsx") return pandas("read_excel");
    if (ending == ".json") {
        return python(fmt::format("import pandas; pandas.read_json('{}').to_json('{}.jsonl', "
                                  "orient='records', lines=True)",
                                  from, stem)) +
               fmt::format("; then give the same command {}.jsonl", stem);
    }
    return {};
}

}  // namespace

ScoreSource open_source(const std::filesystem::path& file, const SourceOptions& options) {
    const std::string ending = lower_extension(file.filename().string());
    return with_note(fmt::format("importing `{}`", file.string()), [&] {
        if (ending == ".npy") return open_npy(file, options);
        if (ending == ".npz") return open_npz(file, options);
        if (ending == ".safetensors") return open_safetensors(file, options);
        if (ending == ".csv" || ending == ".tsv") return open_csv(file, options);
        if (ending == ".jsonl") return open_jsonl(file, options);
        const std::string command = conversion_of(ending, file);
        refuse(fmt::format(
            "files ending in `{}` are not read; known: .npy .npz .safetensors .csv .tsv .jsonl{}",
            shortened(ending), command.empty() ? "" : ". This converts it: " + command));
    });
}

}  // namespace assay::store
