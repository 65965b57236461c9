// The table as json: "assay.quality/1".
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/metric/metric.h"
#include "core/json_limits.h"
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
/// Of the shares' squares, relative to that of the standard error: rounding of sums, no more.
constexpr double share_tolerance = 1e-6;

/// What is read back must be what was written: no replacement characters.
void utf8(const std::string& text, std::string_view what) {
    if (!is_utf8(text))
        refuse(fmt::format("{} `{}` is no UTF-8, as json must be", what, shortened(text)));
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

/// Walks over a table's json and says where something is wrong.
class JsonRows {
public:
    JsonRows(const json& root, const std::string& source) : root_(root) { table_.source = source; }

    QualityTable read() {
        if (!root_.is_object()) fail(fmt::format("an object is needed, not {}", shown_json(root_)));
        check_schema();
        if (root_.contains("tags")) {
            if (!root_["tags"].is_array()) fail_type("tags", "a list of names", root_["tags"]);
            for (const json& tag : root_["tags"]) read_tag(tag);
        }
        const auto models = root_.find("models");
        if (models == root_.end() || !models->is_array())
            fail("`models` is missing; it is a list of models");
        if (models->empty()) fail("`models` is empty: there is no model");
        if (models->size() > most_table_models)
            fail(fmt::format("more than {} models", most_table_models));
        for (std::size_t i = 0; i < models->size(); ++i) {
            place_ = fmt::format("models[{}]", i);
            table_.models.push_back(model((*models)[i]));
        }
        label_models(table_);
        return std::move(table_);
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        refuse(place_.empty() ? fmt::format("{}: {}", table_.source, why)
                              : fmt::format("{}: {}: {}", table_.source, place_, why));
    }
    [[noreturn]] void fail_type(std::string_view key, std::string_view allowed,
                                const json& value) const {
        fail(fmt::format("`{}` is {}; it must be {}", key, shown_json(value), allowed));
    }

    void check_schema() const {
        const auto schema = root_.find("schema");
        const std::string text =
            schema != root_.end() && schema->is_string() ? schema->get<std::string>() : "";
        std::uint64_t version = 0;
        if (!text.starts_with(table_schema) ||
            !parse_number(std::string_view(text).substr(table_schema.size()), version)) {
            fail(fmt::format("`schema` is {}; a table of quality dimensions has `{}{}`",
                             schema == root_.end() ? "missing" : shown_json(*schema), table_schema,
                             table_version));
        }
        if (version > table_version) {
            fail(
                fmt::format("`schema` is `{}`: a newer version of Assay wrote it; this one reads "
                            "`{}{}`",
                            text, table_schema, table_version));
        }
        if (version < table_version)
            fail(fmt::format("`schema` is `{}`; there is only `{}{}`", text, table_schema,
                             table_version));
    }

    void read_tag(const json& tag) {
        if (!tag.is_string()) fail_type("tags", "a list of names", tag);
        const std::string name(trimmed(tag.get_ref<const std::string&>()));
        const std::string loose = loose_name(name);
        for (const std::string_view taken : {name_column, hash_column, note_column}) {
            if (loose == loose_name(taken))
                fail(fmt::format("`{}` is no name for a tag: it means the {}", name, taken));
        }
        if (const auto meaning = meaning_of(name)) {
            fail(fmt::format("`{}` is no name for a tag: it means the dimension {}",
                             shortened(name), facts_of(meaning->dimension).name));
        }
        add_tag(table_, name);
    }

    std::string text_of(std::string_view key, const json& value) const {
        if (!value.is_string()) fail_type(key, "a text", value);
        return std::string(trimmed(value.get_ref<const std::string&>()));
    }

    QualityModel model(const json& value) {
        if (!value.is_object()) fail(fmt::format("{} is no model", shown_json(value)));
        QualityModel out;
        out.tags.resize(table_.tags.size());
        if (const auto name = value.find("name"); name != value.end())
            out.name = text_of("name", *name);
        if (out.name.empty()) fail("a model without a name");
        place_ += fmt::format(" `{}`", shortened(out.name));
        for (const auto& [key, part] : value.items()) {
            if (key == "name" || key == "parts" || key == "notes") continue;
            if (key == "file_hash") {
                out.file_hash = text_of(key, part);
            } else if (key == "note") {
                out.note = text_of(key, part);
            } else if (key == "tags") {
                read_tags(part, out);
            } else if (key == "dimensions") {
                read_dimensions(part, out);
            } else {
                fail(
                    fmt::format("unknown key `{}`; a model has name, file_hash, note, tags, "
                                "dimensions",
                                shortened(key)));
            }
        }
        if (!value.contains("dimensions")) fail("`dimensions` is missing");
        return out;
    }

    void read_tags(const json& tags, QualityModel& out) const {
        if (!tags.is_object()) fail_type("tags", "an object of texts", tags);
        for (const auto& [key, value] : tags.items()) {
            std::size_t place = 0;
            while (place < table_.tags.size() && table_.tags[place] != trimmed(key)) ++place;
            if (place == table_.tags.size()) {
                fail(fmt::format("unknown tag `{}`; the table's `tags` are {}", shortened(key),
                                 fmt::join(table_.tags, ", ")));
            }
            out.tags[place] = text_of(key, value);
        }
    }

    void read_dimensions(const json& dimensions, QualityModel& out) {
        if (!dimensions.is_object()) fail_type("dimensions", "an object of cells", dimensions);
        const std::string model = place_;
        for (const auto& [key, value] : dimensions.items()) {
            std::optional<Dimension> dimension;
            for (const DimensionFacts& facts : dimension_facts()) {
                if (facts.name == key) dimension = facts.dimension;
            }
            if (!dimension) {
                std::vector<std::string_view> known;
                for (const DimensionFacts& facts : dimension_facts()) known.push_back(facts.name);
                fail(fmt::format("unknown dimension `{}`; there are {}", shortened(key),
                                 fmt::join(known, ", ")));
            }
            place_ = fmt::format("{} {}", model, key);
            out.cells[static_cast<std::size_t>(*dimension)] = cell(*dimension, value);
        }
        place_ = model;
    }

    double number_of(std::string_view key, const json& value) const {
        if (!value.is_number()) fail_type(key, "a number, or null where there is none", value);
        const auto number = value.get<double>();
        if (!std::isfinite(number)) fail_type(key, "a finite number", value);
        return number;
    }

    QualityCell cell(Dimension dimension, const json& value) const {
        if (!value.is_object()) fail(fmt::format("{} is no cell", shown_json(value)));
        QualityCell out;
        for (const auto& [key, part] : value.items()) {
            if (key == "value") {
                if (!part.is_null()) out.value = number_of(key, part);
                const std::string fault = out.value ? fault_of_value(dimension, *out.value) : "";
                if (!fault.empty()) fail(fault);
            } else if (key == "standard_error") {
                if (!part.is_null()) out.standard_error = number_of(key, part);
                const std::string fault =
                    out.standard_error ? fault_of_error(dimension, *out.standard_error) : "";
                if (!fault.empty()) fail(fault);
            } else if (key == "n") {
                const double n = number_of(key, part);
                if (!is_image_count(n)) fail_type(key, "a number of images", part);
                out.n = static_cast<std::uint64_t>(n);
            } else if (key == "definition") {
                out.definition = text_of(key, part);
            } else if (key == "note") {
                out.note = text_of(key, part);
            } else if (key == "undefined") {
                out.undefined = text_of(key, part);
            } else if (key == "shares") {
                out.shares = shares_of(part);
            } else if (key != "unit" && key != "interval") {  // of an estimate in a report
                fail(
                    fmt::format("unknown key `{}`; a cell has value, undefined, standard_error, "
                                "n, definition, note, shares",
                                shortened(key)));
            }
        }
        if (!value.contains("value")) fail("`value` is missing; null where nothing was measured");
        if (out.value && !out.undefined.empty())
            fail("there is a `value`, and `undefined` says why there is none");
        check_sum(out);
        return out;
    }

    std::vector<ErrorShare> shares_of(const json& value) const {
        if (!value.is_array()) fail_type("shares", "a list of {data, parts}", value);
        std::vector<ErrorShare> shares;
        std::set<std::string> known;
        for (const json& share : value) {
            if (!share.is_object() || share.size() != 2 || !share.contains("data") ||
                !share.contains("parts") || !share["parts"].is_array())
                fail_type("shares", "a list of {data, parts}", share);
            ErrorShare& out = shares.emplace_back();
            out.data = text_of("data", share["data"]);
            if (out.data.empty()) fail("a share without the identity of its images (`data`)");
            if (!known.insert(out.data).second)
                fail(fmt::format("two shares of the data `{}`", shortened(out.data)));
            if (share["parts"].empty() || share["parts"].size() > group_count) {
                fail(fmt::format("a share of {} parts; there are 1 to {}, one per group of images",
                                 share["parts"].size(), group_count));
            }
            for (const json& part : share["parts"]) out.parts.push_back(number_of("parts", part));
        }
        return shares;
    }

    void check_sum(const QualityCell& cell) const {
        if (cell.shares.empty()) return;
        if (!cell.standard_error) fail("`shares` without a `standard_error`");
        double squares = 0;
        for (const ErrorShare& share : cell.shares) {
            for (const double part : share.parts) squares += part * part;
        }
        const double expected = *cell.standard_error * *cell.standard_error;
        if (!(std::fabs(squares - expected) <= share_tolerance * expected)) {
            fail(
                fmt::format("the squares of the shares add up to {}, not to {}, that of the "
                            "standard error {}",
                            squares, expected, *cell.standard_error));
        }
    }

    const json& root_;
    QualityTable table_;
    std::string place_;  ///< "models[3] `name` accuracy"
};

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
    json root;
    try {
        root = parse_json(text, depth);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        refuse(fmt::format("{}: {}", source, error.what()));
    }
    return JsonRows(root, source).read();
}

}  // namespace assay::quality
