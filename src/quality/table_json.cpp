// Writes the table as json with schema "assay.quality/1".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/metric/metric.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "quality/described_quality.h"
#include "quality/model_labels.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

using nlohmann::json;

constexpr std::string_view table_schema = "assay.quality/";
constexpr std::uint64_t table_version = 1;
/// Tolerance for the sum of the shares' squares, relative to the square of the standard error. It
/// only allows for rounding.
constexpr double share_tolerance = 1e-6;

/// The text that is read back must equal the written text, without replacement characters.
void utf8(const std::string& text, std::string_view what) {
    if (!is_utf8(text))
        refuse(fmt::format("{} `{}` is not UTF-8, which JSON requires", what, shortened(text)));
}

void check_utf8(const QualityCell& cell) {
    utf8(cell.undefined, "a reason");
    utf8(cell.definition, "a definition");
    utf8(cell.note, "a note");
    for (const ErrorShare& share : cell.shares) utf8(share.data, "a data set");
}

void check_utf8(const QualityTable& table) {
    for (const std::string& tag : table.tags) utf8(tag, "a tag");
    for (const QualityModel& model : table.models) {
        utf8(model.name, "a name");
        utf8(model.file_hash, "a hash");
        utf8(model.note, "a note");
        for (const std::string& tag : model.tags) utf8(tag, "a tag");
        for (const QualityCell& cell : model.cells) check_utf8(cell);
    }
}

void check_schema(const JsonReader& schema) {
    const std::string& text = schema.text();
    std::uint64_t version = 0;
    if (!text.starts_with(table_schema) ||
        !parse_number(std::string_view(text).substr(table_schema.size()), version) ||
        version < table_version)
        schema.refuse_as(fmt::format("{}{}", table_schema, table_version));
    if (version > table_version) {
        schema.refuse(fmt::format("a newer version of Assay wrote `{}`; this one reads `{}{}`",
                                  text, table_schema, table_version));
    }
}

std::string trimmed_text(const JsonReader& value) {
    return std::string(trimmed(value.text()));
}

/// "" means absent.
std::string text_in(const JsonReader& object, std::string_view name) {
    return object.has(name) ? trimmed_text(object[name]) : "";
}

void read_tag(const JsonReader& value, QualityTable& table) {
    const std::string name = trimmed_text(value);
    const std::string loose = loose_name(name);
    for (const std::string_view taken : {name_column, hash_column, note_column}) {
        if (loose == loose_name(taken))
            value.refuse(fmt::format("`{}` is not a name for a tag: it means the {}", name, taken));
    }
    if (const auto meaning = meaning_of(name)) {
        value.refuse(fmt::format("`{}` is not a name for a tag: it means the dimension {}",
                                 shortened(name), facts_of(meaning->dimension).name));
    }
    add_tag(table, name);
}

void read_tags(const JsonReader& tags, const std::vector<std::string>& known, QualityModel& out) {
    for (const auto& entry : tags.object().items()) {
        const auto place = std::ranges::find(known, trimmed(entry.key()));
        if (place == known.end()) {
            tags.refuse(fmt::format("unknown tag `{}`; the table's `tags` are {}",
                                    shortened(entry.key()), fmt::join(known, ", ")));
        }
        out.tags[static_cast<std::size_t>(place - known.begin())] = trimmed_text(tags[entry.key()]);
    }
}

std::vector<ErrorShare> shares_of(const JsonReader& value) {
    std::vector<ErrorShare> shares;
    std::set<std::string> known;
    for (const JsonReader& share : value.entries()) {
        share.only({"data", "parts"});
        ErrorShare& out = shares.emplace_back();
        out.data = trimmed_text(share["data"]);
        if (out.data.empty()) share["data"].refuse_as("the identity of its images");
        if (!known.insert(out.data).second)
            value.refuse(fmt::format("`shares` has the data `{}` twice", shortened(out.data)));
        const JsonReader parts = share["parts"];
        if (parts.list().empty() || parts.list().size() > group_count) {
            parts.refuse(fmt::format("{} parts; allowed: 1 to {}, one per group of images",
                                     parts.list().size(), group_count));
        }
        for (const JsonReader& part : parts.entries()) out.parts.push_back(part.number());
    }
    return shares;
}

void check_sum(const QualityCell& cell, const JsonReader& value) {
    if (cell.shares.empty()) return;
    if (!cell.standard_error) value.refuse("`shares` without a `standard_error`");
    double squares = 0;
    for (const ErrorShare& share : cell.shares) {
        for (const double part : share.parts) squares += part * part;
    }
    const double expected = *cell.standard_error * *cell.standard_error;
    if (!(std::fabs(squares - expected) <= share_tolerance * expected)) {
        value.refuse(
            fmt::format("the squares of the shares add up to {}, not to {}, the square of the "
                        "standard error {}",
                        squares, expected, *cell.standard_error));
    }
}

/// A number for which `fault_of` finds no fault; no value if it is absent or null.
std::optional<double> checked_number(const JsonReader& cell, std::string_view name,
                                     Dimension dimension,
                                     std::string (*fault_of)(Dimension, double)) {
    const auto value = cell.find(name);
    if (!value) return std::nullopt;
    const double number = value->number();
    if (const std::string fault = fault_of(dimension, number); !fault.empty()) value->refuse(fault);
    return number;
}

QualityCell cell_of(Dimension dimension, const JsonReader& value) {
    // The last two keys come from an estimate in a report.
    value.only({"value", "undefined", "standard_error", "n", "definition", "note", "shares", "unit",
                "interval"});
    if (!value.has("value")) value.refuse("`value` is missing; write null if nothing was measured");
    QualityCell out;
    out.value = checked_number(value, "value", dimension, fault_of_value);
    out.standard_error = checked_number(value, "standard_error", dimension, fault_of_error);
    if (value.has("n")) {
        const JsonReader n = value["n"];
        if (!is_image_count(n.number())) n.refuse_as("a number of images");
        out.n = static_cast<std::uint64_t>(n.number());
    }
    out.definition = text_in(value, "definition");
    out.note = text_in(value, "note");
    out.undefined = text_in(value, "undefined");
    if (value.has("shares")) out.shares = shares_of(value["shares"]);
    if (out.value && !out.undefined.empty())
        value.refuse("`value` is set, but `undefined` says that there is none; remove one of them");
    check_sum(out, value);
    return out;
}

void read_dimensions(const JsonReader& dimensions, QualityModel& out) {
    for (const auto& entry : dimensions.object().items()) {
        const auto& known = dimension_facts();
        const auto facts = std::ranges::find(known, entry.key(), &DimensionFacts::name);
        if (facts == known.end()) {
            std::vector<std::string_view> names;
            for (const DimensionFacts& one : known) names.push_back(one.name);
            dimensions.refuse(fmt::format("unknown dimension `{}`; the dimensions are {}",
                                          shortened(entry.key()), fmt::join(names, ", ")));
        }
        out.cells[static_cast<std::size_t>(facts->dimension)] =
            cell_of(facts->dimension, dimensions[entry.key()]);
    }
}

QualityModel model_of(const JsonReader& value, const std::vector<std::string>& tags) {
    value.only({"name", "file_hash", "note", "tags", "dimensions", "parts", "notes"});
    QualityModel out;
    out.name = trimmed_text(value["name"]);
    if (out.name.empty()) value.refuse("a model without a name");
    with_note(fmt::format("reading the model `{}`", shortened(out.name)), [&] {
        out.tags.resize(tags.size());
        out.file_hash = text_in(value, "file_hash");
        out.note = text_in(value, "note");
        if (value.has("tags")) read_tags(value["tags"], tags, out);
        read_dimensions(value["dimensions"], out);
    });
    return out;
}

QualityTable quality_table_of(const JsonReader& root) {
    check_schema(root["schema"]);
    QualityTable table;
    table.source = "the table";
    if (root.has("tags"))
        for (const JsonReader& tag : root["tags"].entries()) read_tag(tag, table);
    const std::vector<JsonReader> models = root["models"].entries(most_table_models);
    if (models.empty()) root["models"].refuse("there is no model");
    for (const JsonReader& model : models) table.models.push_back(model_of(model, table.tags));
    label_models(table);
    return table;
}

}  // namespace

json to_json(const QualityTable& table) {
    check_utf8(table);
    return json_of(ShownQuality{&table});
}

std::string write_quality_json(const QualityTable& table) {
    return json_text(to_json(table));
}

QualityTable parse_quality_json(std::string_view text, const std::string& source) {
    constexpr int depth = 16;
    try {
        const json root = parse_json(text, depth);
        QualityTable table = quality_table_of(JsonReader(root, {.whole = "the table"}));
        table.source = source;
        return table;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        refuse(fmt::format("{}: {}", source, error.what()));
    }
}

}  // namespace assay::quality
