// The table of metrics for readers: JSON, and the page docs/definitions.md.
#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "metric/definitions.h"

namespace assay {
namespace {

std::vector<std::string> needs_of(unsigned needs) {
    std::vector<std::string> list;
    if (needs & static_cast<unsigned>(Needs::labels)) list.emplace_back("one label per item");
    if (needs & static_cast<unsigned>(Needs::label_sets))
        list.emplace_back("a set of labels per item");
    if (needs & static_cast<unsigned>(Needs::probabilities)) list.emplace_back("probabilities");
    if (needs & static_cast<unsigned>(Needs::full_rows)) list.emplace_back("every class's score");
    if (needs & static_cast<unsigned>(Needs::cues))
        list.emplace_back("the attributes `shape` and `texture`, of class ids");
    return list;
}

// Every definition id a row can have. Some choices do not change the definition.
std::vector<std::string> definitions_of(const MetricFacts& facts) {
    std::vector<std::string> ids;
    for (const auto& chosen : choices_of(facts)) {
        std::string id = facts.definition(chosen);
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
    }
    return ids;
}

std::string joined(const std::vector<std::string>& list, std::string_view separator) {
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : std::string(separator)) + item;
    return text;
}

}  // namespace

std::vector<std::string> names_of(const MetricFacts& facts) {
    std::vector<std::string> names;
    const std::string_view number = facts.numbered_by;
    const std::string_view stem = facts.name.substr(0, facts.name.size() - number.size());
    for (const auto& variant : facts.variants) {
        if (!number.empty()) names.push_back(std::string(stem) + variant.at(std::string(number)));
    }
    names.emplace_back(facts.name);
    return names;
}

std::vector<Parameters> choices_of(const MetricFacts& facts) {
    std::vector<Parameters> choices(1);
    for (const auto& p : facts.parameters) {
        std::vector<Parameters> next;
        std::vector<std::string> values(p.allowed.begin(), p.allowed.end());
        if (values.empty()) values = {std::string(p.fallback)};
        for (const auto& variant : facts.variants) {
            const auto shown = variant.find(std::string(p.name));
            if (shown == variant.end()) continue;
            if (std::find(values.begin(), values.end(), shown->second) == values.end())
                values.push_back(shown->second);
        }
        for (const auto& chosen : choices) {
            for (const auto& value : values) {
                next.push_back(chosen);
                next.back()[std::string(p.name)] = value;
            }
        }
        choices = std::move(next);
    }
    return choices;
}

nlohmann::json metric_table_json() {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& facts : metric_table()) {
        nlohmann::json parameters = nlohmann::json::array();
        for (const auto& p : facts.parameters) {
            nlohmann::json one = {
                {"name", p.name}, {"default", p.fallback}, {"meaning", p.meaning}};
            if (p.allowed.empty()) {
                one["low"] = p.low;
                one["high"] = p.high;
                if (p.list) one["list"] = true;
            } else {
                one["allowed"] = p.allowed;
            }
            parameters.push_back(std::move(one));
        }
        list.push_back({{"name", facts.name},
                        {"title", facts.title},
                        {"formula", facts.formula},
                        {"definitions", definitions_of(facts)},
                        {"parameters", std::move(parameters)},
                        {"needs", needs_of(facts.needs)},
                        {"higher_is_better", facts.judges ? nlohmann::json(facts.higher_is_better)
                                                          : nlohmann::json(nullptr)},
                        {"range", {facts.low, facts.high}},
                        {"source", facts.origin},
                        {"by_default", facts.by_default},
                        {"with_label_sets", facts.with_sets},
                        {"with_cues", facts.with_cues}});
    }
    return list;
}

std::string metric_table_markdown() {
    std::string page =
        "# Definitions of the metrics\n\n"
        "Generated from the table in `src/metric/` by `assay list metrics --markdown`; "
        "do not edit.\n"
        "Results with different definition ids are never compared silently.\n\n"
        "Metrics that need one label per item go by the data set's own labels. Where it has no "
        "single "
        "labels, an\n"
        "item's only valid class stands in, and their ids end in `.only_valid`.\n";
    for (const auto& facts : metric_table()) {
        page += fmt::format("\n## {} (`{}`)\n\n{}.\n\n", facts.title, joined(names_of(facts), ", "),
                            facts.formula);
        page += fmt::format("- definitions: `{}`\n", joined(definitions_of(facts), "`, `"));
        page += fmt::format("- needs: {}\n", joined(needs_of(facts.needs), ", "));
        page += fmt::format("- range: {:g} to {:g}; {} is better\n", facts.low, facts.high,
                            !facts.judges            ? "neither end"
                            : facts.higher_is_better ? "higher"
                                                     : "lower");
        for (const auto& p : facts.parameters) {
            std::string allowed = fmt::format("{} to {}", p.low, p.high);
            if (p.list)
                allowed =
                    fmt::format("numbers and ranges within {} to {}, as in `1-3,7`", p.low, p.high);
            if (!p.allowed.empty())
                allowed = "`" + joined({p.allowed.begin(), p.allowed.end()}, "`, `") + "`";
            page += fmt::format("- parameter `{}` (default `{}`): {}. Allowed: {}\n", p.name,
                                p.fallback, p.meaning, allowed);
        }
        if (facts.with_sets) page += "- shown by default where some item has several labels\n";
        if (facts.with_cues) page += "- shown by default where the data set has these attributes\n";
        page += fmt::format("- source: {}\n", facts.origin);
    }
    return page;
}

}  // namespace assay
