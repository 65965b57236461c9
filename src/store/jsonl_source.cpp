// Tables in JSON lines: an object for each image, or for each of its best entries.
#include <fmt/format.h>

#include <limits>

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
    if (!value.is_number()) refuse("a score is not a number");
    return static_cast<float>(value.get<double>());
}

/// Numbers and texts as text; class numbers and ids come as either.
std::string text_of(const json& value, std::string_view what) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer()) return value.dump();
    refuse(fmt::format("{} is neither a text nor a whole number", what));
}

json parsed(std::string_view line) {
    try {
        return parse_json(line, 8);
    } catch (Error& error) {
        // Python's json module writes what JSON has no word for.
        if (line.find("NaN") != std::string_view::npos ||
            line.find("Infinity") != std::string_view::npos)
            error.add_note("NaN and Infinity are not JSON: write null for a score that is none");
        throw;
    }
}

void read_line(const json& line, TableBuilder& builder, std::optional<ScoreKind>& hint) {
    if (!line.is_object()) refuse("an object is expected");
    std::optional<std::string> id;
    const json* index = nullptr;
    const json* label = nullptr;
    const json* score = nullptr;
    for (const auto& [key, value] : line.items()) {
        const Role role = role_of(key);
        if (role == Role::id && !id) id = text_of(value, "the id");
        if (role == Role::index) index = &value;
        if (role == Role::label) label = &value;
        if (role == Role::score) {
            if (score != nullptr) refuse(fmt::format("`{:.40}` is a second key for scores", key));
            score = &value;
            hint = kind_from_name(key);
        }
    }
    if (score == nullptr) refuse("no key for scores: prob, logits, scores, ...");
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
    std::optional<ScoreKind> hint;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        if (trimmed(line).empty()) return;
        with_note(fmt::format("reading {} line {}", name, number), [&] {
            if (line.size() > max_line)
                refuse(
                    fmt::format("a line of {} bytes; at most {} are read", line.size(), max_line));
            read_line(parsed(line), builder, hint);
        });
    });
    ScoreSource source = builder.finish();
    source.hint = hint;
    return source;
}

ScoreSource open_jsonl(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_jsonl(map.text(), file.filename().string(), options);
}

ScoreSource open_source(const std::filesystem::path& file, const SourceOptions& options) {
    const std::string ending = lower_extension(file.filename().string());
    return with_note(fmt::format("importing `{}`", file.string()), [&] {
        if (ending == ".npy") return open_npy(file);
        if (ending == ".npz") return open_npz(file, options);
        if (ending == ".safetensors") return open_safetensors(file, options);
        if (ending == ".csv" || ending == ".tsv") return open_csv(file, options);
        if (ending == ".jsonl") return open_jsonl(file, options);
        refuse(fmt::format(
            "files ending in `{}` are not known; known: .npy .npz .safetensors .csv .tsv .jsonl",
            shortened(ending)));
    });
}

}  // namespace assay::store
