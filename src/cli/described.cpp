#include "cli/described.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

using nlohmann::json;

/// The name of the value in the help.
std::string value_name(const Field& field) {
    if (!field.facts.value.empty()) return std::string(field.facts.value);
    switch (field.shape.kind) {
        case FieldKind::whole:
            return "N";
        case FieldKind::number:
            return "NUMBER";
        case FieldKind::path:
            return "FILE";
        case FieldKind::word:
            return fmt::format("{{{}}}", fmt::join(field.shape.words, ","));
        case FieldKind::flag:
        case FieldKind::text:
            return "TEXT";
    }
    return "TEXT";
}

/// The range in the format of CLI::Range, which help shows and the manual reads.
std::string range_description(const Field& of) {
    const Field field = as_typed(of);
    if (!std::isfinite(field.facts.min) || !std::isfinite(field.facts.max)) return {};
    std::string range = range_of(field);
    range.replace(range.find(" to "), 4, " - ");
    return fmt::format("{} in [{}]", field.shape.kind == FieldKind::whole ? "INT" : "FLOAT", range);
}

std::string long_option(const Field& field) {
    return "--" + field.option();
}

std::string default_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return value.dump();
    std::string out;
    for (const json& entry : value) out += (out.empty() ? "" : ",") + default_text(entry);
    return out;
}

void throw_fault(const Field& field, const std::string& fault) {
    if (!fault.empty()) throw CLI::ConversionError(long_option(field) + " " + fault);
}

}  // namespace

void add_field_options(CLI::App& app, void* object, std::shared_ptr<void> scratch,
                       std::span<const Field> fields, const std::string& group,
                       std::initializer_list<std::string_view> without) {
    const json defaults = json_of_fields(object, fields);
    for (const Field& field : fields) {
        if (!field.is_in(without)) continue;
        std::string names = long_option(field);
        if (!field.facts.also.empty()) names += "," + std::string(field.facts.also);
        std::string help = help_of(field);
        if (field.shape.kind == FieldKind::flag) {
            app.add_flag_callback(
                   names, [&field, object] { field.set(object, true); }, help)
                ->group(group);
            continue;
        }
        json initial = defaults.at(std::string(field.name));
        if (field.facts.typed != 1) initial = initial.get<double>() * field.facts.typed;
        const bool told = !field.facts.empty.empty() &&
                          (initial == 0 || initial == "" || initial == json::array());
        if (told) help += fmt::format(" (default: {})", field.facts.empty);
        CLI::Option* const option = app.add_option(
            names,
            [&field, object](const std::vector<std::string>& texts) {
                throw_fault(field, set_texts(field, object, texts));
                return true;
            },
            help);
        option->type_name(value_name(field))->group(group);
        option->check(CLI::Validator(
            [&field, scratch](std::string& text) {
                throw_fault(field, set_texts(field, scratch.get(), {&text, 1}));
                return std::string();
            },
            range_description(field)));
        if (!told) option->default_str(default_text(initial));
        if (!field.facts.alone.empty()) option->expected(0, 1);
        if (!field.shape.list) continue;
        option->expected(1, CLI::detail::expected_max_vector_size);
        if (!field.facts.separator.empty()) option->delimiter(field.facts.separator.front());
    }
    for (const Field& field : fields) {
        if (field.facts.excludes.empty() || !field.is_in(without)) continue;
        for (const Field& other : fields) {
            if (other.name == field.facts.excludes)
                app.get_option(long_option(field))->excludes(app.get_option(long_option(other)));
        }
    }
}

void copy_given_fields(const CLI::App& app, const void* from, void* to,
                       std::span<const Field> fields) {
    for (const Field& field : fields) {
        if (app.count(long_option(field)) > 0) field.copy(from, to);
    }
}

}  // namespace assay::cli
