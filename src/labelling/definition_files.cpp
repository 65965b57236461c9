#include "labelling/definition_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "labelling/shown_text.h"

namespace assay::labelling {
namespace {

constexpr std::uint64_t most_definition_bytes = std::uint64_t{64} << 20;

/// Returns the text to show, or throws bad_input.
std::string said_text(std::string_view text, std::size_t most, std::string_view what,
                      const std::string& where) {
    std::string line = on_one_line(text);
    if (const std::string fault = fault_of_text(line, most); !fault.empty())
        refuse(fmt::format("{}: the {} {}", where, what, fault));
    return line;
}

std::string said_label(std::string_view text, const std::string& where) {
    std::string label = said_text(text, most_bytes_of_ids, "label", where);
    if (label.empty()) refuse(fmt::format("{}: the label is empty", where));
    return label;
}

std::vector<SaidOfLabel> definitions_of_csv(std::string_view text, const std::string& source) {
    CsvReader row(text, source);
    const std::size_t label = row.column({"label", "wnid", "id", "class"});
    const bool labels_are_classes = row.find_column({"class"}) == label;
    const auto name =
        labels_are_classes ? row.find_column({"name"}) : row.find_column({"name", "class"});
    const auto definition = row.find_column({"definition", "gloss", "description"});
    const auto synonyms = row.find_column({"synonyms"});
    if (!definition && !name && !synonyms) row.column({"definition"});
    std::vector<SaidOfLabel> said;
    while (row.next()) {
        SaidOfLabel one;
        one.where = row.where();
        one.text.id = said_label(row[label], one.where);
        if (name) one.text.name = said_text(row[*name], most_bytes_of_ids, "name", one.where);
        if (definition)
            one.text.definition =
                said_text(row[*definition], most_bytes_of_texts, "definition", one.where);
        if (synonyms)
            one.text.synonyms = parts_of_synonyms(
                said_text(row[*synonyms], most_bytes_of_texts, "synonyms", one.where));
        said.push_back(std::move(one));
    }
    return said;
}

std::string text_in(const nlohmann::json& value, std::size_t most, std::string_view what,
                    const std::string& where) {
    if (value.is_null()) return "";
    if (!value.is_string())
        refuse(fmt::format("{}: the {} is {}, not a text", where, what, shown_json(value)));
    return said_text(value.get_ref<const std::string&>(), most, what, where);
}

SaidOfLabel said_in(const std::string& label, const nlohmann::json& value, std::string where) {
    SaidOfLabel one;
    one.where = std::move(where);
    one.text.id = said_label(label, one.where);
    if (!value.is_object()) {
        one.text.definition = text_in(value, most_bytes_of_texts, "definition", one.where);
        return one;
    }
    for (const auto& [key, part] : value.items()) {
        if (key == "definition") {
            one.text.definition = text_in(part, most_bytes_of_texts, key, one.where);
        } else if (key == "name") {
            one.text.name = text_in(part, most_bytes_of_ids, key, one.where);
        } else if (key == "synonyms" && part.is_array()) {
            for (const nlohmann::json& synonym : part) {
                std::string text = text_in(synonym, most_bytes_of_ids, "synonym", one.where);
                if (!text.empty()) one.text.synonyms.push_back(std::move(text));
            }
        } else if (key == "synonyms") {
            one.text.synonyms =
                parts_of_synonyms(text_in(part, most_bytes_of_texts, key, one.where));
        } else {
            refuse(fmt::format("{}: unknown key `{}`; known: definition, name, synonyms", one.where,
                               shortened(key)));
        }
    }
    return one;
}

std::vector<SaidOfLabel> definitions_of_json(std::string_view text, const std::string& source) {
    const nlohmann::json all =
        with_note(fmt::format("reading {}", source), [&] { return parse_json(text, 3); });
    if (!all.is_object())
        refuse(fmt::format("{}: it must be an object {{\"label\": \"definition\"}}", source));
    std::vector<SaidOfLabel> said;
    for (const auto& [label, value] : all.items())
        said.push_back(
            said_in(label, value, fmt::format("{}: label `{}`", source, shortened(label))));
    return said;
}

}  // namespace

std::vector<std::string> parts_of_synonyms(std::string_view text) {
    std::vector<std::string> parts;
    for_each_part(text, ";", [&](std::string_view part) { parts.emplace_back(part); });
    return parts;
}

std::vector<SaidOfLabel> read_definitions(const std::filesystem::path& file) {
    const std::string whole = read_text(file, most_definition_bytes);
    const std::string source = file.filename().string();
    std::string_view text = whole;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::string_view inside = trimmed(text);
    const bool json = inside.starts_with('{') || inside.starts_with('[');
    return json ? definitions_of_json(text, source) : definitions_of_csv(text, source);
}

}  // namespace assay::labelling
