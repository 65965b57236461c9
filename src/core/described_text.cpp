// TypeScript and docs for described results.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "assay/describe_result.h"

namespace assay {
namespace {

using JsonKind = ResultShape::Kind;

std::string quoted(std::span<const std::string_view> words, std::string_view between) {
    std::string out;
    for (const std::string_view word : words)
        out += fmt::format("{}\"{}\"", out.empty() ? std::string_view() : between, word);
    return out;
}

std::string script_of(const ResultShape& shape, const PartFacts& facts, int level = 0) {
    std::string out;
    const std::span<const std::string_view> keys = level == 0 ? facts.keys
                                                   : level == 1
                                                       ? facts.inner_keys
                                                       : std::span<const std::string_view>();
    if (!keys.empty()) {
        out = fmt::format("Record<{}, {}>", quoted(keys, " | "),
                          script_of(*shape.entry, facts, level + 1));
    } else {
        switch (shape.kind) {
            case JsonKind::flag:
                out = "boolean";
                break;
            case JsonKind::number:
                out = "number";
                break;
            case JsonKind::text:
                out = shape.words.empty() ? "string" : quoted(shape.words, " | ");
                break;
            case JsonKind::object:
                out = shape.type().facts.name;
                break;
            case JsonKind::list:
                out = script_of(*shape.entry, facts, level + 1);
                out =
                    out.find(" | ") == std::string::npos || out.ends_with('>') || out.ends_with(']')
                        ? out + "[]"
                        : "(" + out + ")[]";
                break;
            case JsonKind::map:
                out = fmt::format("Record<string, {}>", script_of(*shape.entry, facts, level + 1));
                break;
            case JsonKind::json:
                out = "unknown";
                break;
        }
    }
    return shape.nullable ? out + " | null" : out;
}

/// For a field that may be omitted: its type if it is present.
std::string script_of(const Part& part) {
    if (!part.facts.script.empty()) return std::string(part.facts.script);
    ResultShape shape = part.shape;
    if (part.facts.omitted) shape.nullable = false;
    return script_of(shape, part.facts);
}

std::string comment(std::string_view help, std::string_view indent) {
    return help.empty() ? std::string() : fmt::format("{}/** {}. */\n", indent, help);
}

/// Breaks lines of more than 100 characters in the same way as the formatter of the pages.
std::string script_line(const Part& part, std::string_view indent) {
    const std::string_view colon = part.facts.omitted && !part.facts.usual ? "?:" : ":";
    const std::string type = script_of(part);
    const std::string line = fmt::format("{}{}{} {};\n", indent, part.name, colon, type);
    if (line.size() <= 101 || type.find(" | ") == std::string::npos ||
        type.find('<') != std::string::npos)
        return line;
    std::string out = fmt::format("{}{}{}", indent, part.name, colon);
    for (std::size_t at = 0; at < type.size();) {
        const std::size_t end = std::min(type.find(" | ", at), type.size());
        out += fmt::format("\n{}  | {}", indent, type.substr(at, end - at));
        at = end + 3;
    }
    return out + ";\n";
}

/// Returns the groups in the order of their first rows.
std::vector<std::string_view> groups_of(const ResultType& type) {
    std::vector<std::string_view> out;
    for (const Part& part : type.parts) {
        if (!part.facts.group.empty() && !part.facts.only_csv &&
            std::ranges::find(out, part.facts.group) == out.end())
            out.push_back(part.facts.group);
    }
    return out;
}

template <class Visit>
void each_of_group(const ResultType& type, std::string_view group, Visit&& visit) {
    for (const Part& part : type.parts) {
        if (part.facts.group == group && !part.facts.only_csv && !part.facts.inlined) visit(part);
    }
}

std::string interface_of(const ResultType& type) {
    std::string bases = type.facts.schema.empty() ? "" : "Result";
    for (const Part& part : type.parts) {
        if (!part.facts.inlined) continue;
        std::string base(part.shape.type().facts.name);
        if (part.shape.nullable) base = "Partial<" + base + ">";
        bases += (bases.empty() ? "" : ", ") + base;
    }
    std::string out =
        comment(type.facts.help, "") + fmt::format("export interface {}", type.facts.name);
    if (!bases.empty()) out += " extends " + bases;
    std::string fields;
    const auto add = [&](std::string_view group, std::string_view indent) {
        bool optional = true;
        each_of_group(type, group, [&](const Part& part) {
            fields += comment(part.facts.help, indent) + script_line(part, indent);
            optional = optional && part.facts.omitted;
        });
        return optional;
    };
    add("", "  ");
    for (const std::string_view group : groups_of(type)) {
        const std::size_t at = fields.size();
        const bool optional = add(group, "    ");
        fields.insert(at, fmt::format("  {}{}: {{\n", group, optional ? "?" : ""));
        fields += "  };\n";
    }
    return out + (fields.empty() ? " {}\n" : fmt::format(" {{\n{}}}\n", fields));
}

/// Describes a type for the docs: "list of numbers or null".
std::string type_text(const ResultShape& shape, const PartFacts& facts, int level = 0) {
    std::string out;
    const std::span<const std::string_view> keys = level == 0 ? facts.keys
                                                   : level == 1
                                                       ? facts.inner_keys
                                                       : std::span<const std::string_view>();
    if (!keys.empty()) {
        for (const std::string_view key : keys)
            out += fmt::format("{}`{}`", out.empty() ? "" : ", ", key);
        out = fmt::format("by {}: {}", out, type_text(*shape.entry, facts, level + 1));
    } else {
        switch (shape.kind) {
            case JsonKind::flag:
                out = "true or false";
                break;
            case JsonKind::number:
                out = "number";
                break;
            case JsonKind::text:
                for (const std::string_view word : shape.words)
                    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", word);
                if (out.empty()) out = "text";
                break;
            case JsonKind::object: {
                std::string anchor(shape.type().facts.name);
                std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) {
                    return static_cast<char>(std::tolower(c));
                });
                out = fmt::format("[{}](#{})", shape.type().facts.name, anchor);
                break;
            }
            case JsonKind::list:
                out = "list: " + type_text(*shape.entry, facts, level + 1);
                break;
            case JsonKind::map:
                out = "by name: " + type_text(*shape.entry, facts, level + 1);
                break;
            case JsonKind::json:
                out = "any";
                break;
        }
    }
    return shape.nullable ? out + ", or null" : out;
}

std::string table_of_fields(const ResultType& type) {
    std::string out = fmt::format("### {}\n\n", type.facts.name);
    std::string about;
    if (!type.facts.schema.empty()) about = fmt::format("`{}`", type.facts.schema);
    if (!type.facts.help.empty())
        about += fmt::format("{}{}", about.empty() ? "" : ": ", type.facts.help);
    for (const Part& part : type.parts) {
        if (part.facts.inlined) {
            if (!about.empty()) about += ". ";
            about += fmt::format("With all fields of {}", type_text(part.shape, {}));
        }
    }
    if (!about.empty()) out += about + ".\n\n";
    out += "| field | type | what it says |\n|---|---|---|\n";
    const auto add = [&](std::string_view group) {
        each_of_group(type, group, [&](const Part& part) {
            ResultShape shape = part.shape;
            if (part.facts.omitted) shape.nullable = false;
            std::string text;
            for (const char c : part.facts.help) text += c == '|' ? "\\|" : std::string(1, c);
            if (part.facts.omitted) text += text.empty() ? "may be absent" : "; may be absent";
            out += fmt::format("| `{}{}{}` | {} | {} |\n", group, group.empty() ? "" : ".",
                               part.name, type_text(shape, part.facts), text);
        });
    };
    add("");
    for (const std::string_view group : groups_of(type)) add(group);
    std::string columns;
    for (const char c : type.facts.columns)
        columns += c == ',' ? std::string("`, `") : std::string(1, c);
    if (!columns.empty()) out += fmt::format("\nCSV: `{}`.\n", columns);
    return out;
}

}  // namespace

std::string type_script_of(std::span<const ResultType> types) {
    std::string out =
        "// Made of the descriptions of the results (include/assay/describe_result.h) by the test\n"
        "// `Docs.*` with ASSAY_WRITE=1. Do not edit.\n"
        "import type { Result } from \"../document.ts\";\n";
    for (const ResultType& type : types_in(types)) out += "\n" + interface_of(type);
    return out;
}

std::string markdown_of(std::span<const ResultType> types) {
    std::vector<ResultType> all = types_in(types);
    std::ranges::stable_sort(all, {}, [](const ResultType& type) {
        return std::pair(type.facts.schema.empty(), type.facts.schema);
    });
    std::string out;
    for (const ResultType& type : all) out += (out.empty() ? "" : "\n") + table_of_fields(type);
    return out;
}

}  // namespace assay
