// Reads a whole JSON file: a list of rows, rows by image name, COCO's results, and FiftyOne's
// exports.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Makes {"image_id", "category_id", "score"} a table row. The annotation file has the numbers.
json row_of_result(const JsonReader& result, const SourceOptions& options) {
    if (options.numbered == nullptr)
        throw Error(ErrorCode::usage,
                    "these are COCO results: pass the annotation file, which names their images "
                    "and categories, with --items");
    if (result.has("bbox") || result.has("segmentation"))
        refuse("a result with a box or an outline: detections are not predictions of whole images");
    const std::int64_t image = result["image_id"].integer(),
                       category = result["category_id"].integer();
    const auto name = options.numbered->images.find(image);
    if (name == options.numbered->images.end())
        refuse(fmt::format("image_id {} is not an image of the annotation file", image));
    const auto cls = options.numbered->categories.find(category);
    if (cls == options.numbered->categories.end())
        refuse(fmt::format("category_id {} is no category of the annotation file", category));
    json row = {{"id", name->second}, {result.has("score") ? "index" : "prediction", cls->second}};
    if (result.has("score")) row["score"] = result["score"].json();
    return row;
}

/// Converts a class without a score to a row with only the class.
json row_of_value(json&& value) {
    if (value.is_structured()) return std::move(value);
    return {{"prediction", std::move(value)}};
}

/// Refuses files that resemble predictions but contain none.
void refuse_relatives(const JsonOutline& outline) {
    if (outline.has("results", Type::object) &&
        (outline.has("versions", Type::object) || outline.has("configs", Type::object)))
        refuse(
            "lm-eval's totals, not single predictions: with --log_samples it writes those as "
            "samples_*.jsonl");
    for (const char* orient : {"split", "table"}) {
        const bool table = std::string_view(orient) == "table";
        if (!outline.has("data", Type::array) ||
            !(table ? outline.has("schema", Type::object) : outline.has("columns", Type::array)))
            continue;
        refuse(
            fmt::format("pandas wrote this with orient='{0}', which is not supported. To write one "
                        "row per line: python3 -c \"import pandas; pandas.read_json('x.json', "
                        "orient='{0}').to_json('x.jsonl', orient='records', lines=True)\"",
                        orient));
    }
    if (outline.has("images", Type::array) && outline.has("annotations", Type::array))
        refuse(
            "COCO's annotations, not predictions: pass them with --items, and the list of results "
            "as the file");
}

[[noreturn]] void refuse_shape(const JsonOutline& outline) {
    std::string keys;
    for (const auto& member : outline.members) {
        if (keys.size() < 100) keys += (keys.empty() ? "`" : ", `") + shortened(member.first) + "`";
    }
    refuse(fmt::format(
        "JSON with the keys {}; allowed: a list of rows ([{{\"id\": ..., \"scores\": [...]}}]), "
        "rows or classes by image ({{\"a.jpg\": ...}}), COCO's results, FiftyOne's labels.json, "
        "samples.json. To turn columns into rows: python3 -c \"import pandas; "
        "pandas.read_json('x.json').to_json('x.jsonl', orient='records', lines=True)\"",
        keys.empty() ? "of no member" : keys));
}

/// pandas' to_json() writes a member for each column, with the rows by number or name. This looks
/// like rows by image whose classes are numbers, so it is refused.
void refuse_columns_of_pandas(const std::string& key, const json& part,
                              const SourceOptions& options) {
    if (!part.is_object() || part.size() < 2 || has_image_extension(key)) return;
    bool numbered = true, images = true;
    double sum = 0;
    for (const auto& entry : part.items()) {
        if (!entry.value().is_number() && !entry.value().is_null()) return;
        numbered = numbered && entry.key().size() <= std::to_string(part.size()).size() &&
                   entry.key().find_first_not_of("0123456789") == std::string::npos;
        images = images && has_image_extension(entry.key());
        sum += entry.value().is_number() ? entry.value().get<double>() : 0;
    }
    const std::size_t classes =
        options.class_count != 0 ? options.class_count : options.classes.size();
    numbered = numbered && part.contains("0") && part.contains(std::to_string(part.size() - 1));
    constexpr double rounding = 1e-3;
    const bool probabilities = std::abs(sum - 1) < rounding;
    if (!images && (!numbered || probabilities || classes == part.size())) return;
    refuse(fmt::format(
        "`{}` holds a number for each of {} {}: pandas' to_json() does this without "
        "orient='index'. To write one row per line: python3 -c \"import pandas; "
        "pandas.read_json('x.json'){}.to_json('x.jsonl', orient='records', lines=True)\"{}",
        shortened(key), part.size(), images ? "images" : "rows",
        images ? ".rename_axis('filename').reset_index()" : "",
        images ? "" : fmt::format("; if these are classes, pass --class-count {}", part.size())));
}

/// In rows by image, keys are image names, and none of them is a role.
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
            if (!is_list) refuse_columns_of_pandas(key, part, options);
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
