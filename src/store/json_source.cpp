// A whole file of JSON: a list of rows, rows by their images' names, COCO's results, and what
// FiftyOne exports.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/python_words.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/annotated_items.h"
#include "store/cells.h"
#include "store/fiftyone.h"
#include "store/json_rows.h"
#include "store/json_table.h"
#include "store/score_source.h"

namespace assay::store {
namespace {

using nlohmann::json;
using Type = json::value_t;

/// {"image_id", "category_id", "score"} as a row of a table; numbers mean what the annotation file
/// says.
json row_of_result(const JsonReader& result, const SourceOptions& options) {
    if (options.numbered == nullptr)
        throw Error(ErrorCode::usage,
                    "these are COCO's results: what the numbers of their images and categories "
                    "stand for is in the annotation file; give it with --items");
    if (result.has("bbox") || result.has("segmentation"))
        refuse("a result with a box or an outline: detections are no predictions of whole images");
    const std::int64_t image = result["image_id"].integer(),
                       category = result["category_id"].integer();
    const auto name = options.numbered->images.find(image);
    if (name == options.numbered->images.end())
        refuse(fmt::format("image_id {} is no image of the annotation file", image));
    const auto cls = options.numbered->categories.find(category);
    if (cls == options.numbered->categories.end())
        refuse(fmt::format("category_id {} is no category of the annotation file", category));
    json row = {{"id", name->second}, {"index", cls->second}};
    if (result.has("score")) row["score"] = result["score"].json();
    return row;
}

/// Of a class without a score the row is the class itself.
json row_of_value(json&& value) {
    if (value.is_structured()) return std::move(value);
    return {{"prediction", std::move(value)}};
}

/// What is near to predictions, and holds none.
void refuse_relatives(const JsonOutline& outline) {
    if (outline.has("results", Type::object) &&
        (outline.has("versions", Type::object) || outline.has("configs", Type::object)))
        refuse(
            "lm-eval's totals, and no single predictions: with --log_samples it writes these as "
            "samples_*.jsonl");
    if (outline.has("images", Type::array) && outline.has("annotations", Type::array))
        refuse(
            "COCO's annotations, and no predictions: give them with --items, and the list of "
            "results as the file");
}

[[noreturn]] void refuse_shape(const JsonOutline& outline) {
    std::string keys;
    for (const auto& member : outline.members) {
        if (keys.size() < 100) keys += (keys.empty() ? "`" : ", `") + shortened(member.first) + "`";
    }
    refuse(fmt::format(
        "JSON with the keys {}; read are a list of rows ([{{\"id\": ..., \"scores\": [...]}}]), "
        "rows or classes by image ({{\"a.jpg\": ...}}), COCO's list of results, and FiftyOne's "
        "labels.json and samples.json. Columns become rows so: python3 -c \"import pandas; "
        "pandas.read_json('x.json').to_json('x.jsonl', orient='records', lines=True)\"",
        keys.empty() ? "of no member" : keys));
}

/// Rows by image have images' names for keys, and none that says what it holds.
bool is_by_image(const JsonOutline& outline) {
    return outline.type == Type::object && !outline.members.empty() &&
           std::ranges::none_of(outline.members, [](const auto& member) {
               return role_of(member.first) != Role::other;
           });
}

}  // namespace

ScoreSource read_json(std::string_view given, const std::string& name,
                      const SourceOptions& options) {
    std::string copy;
    const std::string_view text = without_python_words(given, copy);
    return with_note("reading " + name, [&] {
        const JsonOutline outline = json_outline(text, max_row_depth);
        const bool samples = outline.has("samples", Type::array);
        if (samples || is_fiftyone_labels(outline)) {
            refuse_columns(options, "FiftyOne's exports");
            return samples ? read_fiftyone_samples(text, options)
                           : read_fiftyone_labels(text, options);
        }
        refuse_relatives(outline);
        if (outline.type != Type::array && !is_by_image(outline)) refuse_shape(outline);
        JsonRows rows(options);
        JsonTable table(options, "rows");
        const bool is_list = outline.type == Type::array;
        const auto add = [&](const std::string& key, json&& part) {
            if (table.take(part, is_list ? std::nullopt : std::optional(key))) return;
            if (!is_list) return rows.add(row_of_value(std::move(part)), key);
            if (part.is_object() && part.contains("category_id"))
                return rows.add(row_of_result(JsonReader(part), options));
            rows.add(part);
        };
        read_json_parts(text, "", max_row_depth, most_json_values,
                        [&](const std::string& key, json&& part, std::uint64_t number) {
                            const std::string place = is_list ? fmt::format("element {}", number)
                                                              : "`" + shortened(key) + "`";
                            with_note("reading " + place, [&] { add(key, std::move(part)); });
                        });
        if (table.is_one()) return table.finish(name);
        refuse_columns(options, "such rows");
        return rows.finish();
    });
}

ScoreSource open_json(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_json(map.text(), file.filename().string(), options);
}

}  // namespace assay::store
