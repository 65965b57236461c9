// Writes the table of metrics for readers as JSON, and the page docs/definitions.md.
#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "metric/definitions.h"
#include "metric/described_metric.h"

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
    if (needs & static_cast<unsigned>(Needs::soft_labels))
        list.emplace_back("soft labels (`--labels` with rows of probabilities)");
    if (needs & static_cast<unsigned>(Needs::hierarchy))
        list.emplace_back("a hierarchy of the classes (`--hierarchy`)");
    if (needs & static_cast<unsigned>(Needs::class_order))
        list.emplace_back("an order of the classes (`--ordinal`)");
    return list;
}

// All definition ids that a row can have. Some choices do not change the definition.
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

ResultType result_type(ResultOf<ParameterFacts>) {
    static constexpr auto whole = [](const ParameterFacts& of) { return of.allowed.empty(); };
    static constexpr auto rows = describe_result<ParameterFacts>(
        {.name = "MetricParameter"},
        {
            part<&ParameterFacts::name>({}),
            part<&ParameterFacts::fallback>({.name = "default"}),
            part<&ParameterFacts::meaning>({}),
            part({.help = "Of whole numbers", .name = "low", .omitted = true},
                 [](const ParameterFacts& of) { return whole(of) ? &of.low : nullptr; }),
            part({.help = "Of whole numbers", .name = "high", .omitted = true},
                 [](const ParameterFacts& of) { return whole(of) ? &of.high : nullptr; }),
            part({.help = "Several numbers and ranges of them: `1-5`, `2,3,4`",
                  .name = "list",
                  .omitted = true},
                 [](const ParameterFacts& of) { return whole(of) && of.list; }),
            part<&ParameterFacts::allowed>({.help = "Of words", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<MetricFacts>) {
    static constexpr auto rows = describe_result<MetricFacts>(
        {.name = "ListedMetric", .columns = "metric=name,definition,formula,from=source"},
        {
            part<&MetricFacts::name>({}),
            part<&MetricFacts::title>({}),
            part<&MetricFacts::formula>({}),
            part({.help = "Ids for all values of the parameters", .name = "definitions"},
                 [](const MetricFacts& facts) { return definitions_of(facts); }),
            part<&MetricFacts::parameters>({}),
            part({.name = "needs"}, [](const MetricFacts& facts) { return needs_of(facts.needs); }),
            part({.help = "Null if neither direction is better", .name = "higher_is_better"},
                 [](const MetricFacts& facts) {
                     return facts.judges ? &facts.higher_is_better : nullptr;
                 }),
            part({.name = "range", .script = "[number | null, number | null]"},
                 [](const MetricFacts& facts) {
                     return std::array{facts.low, facts.high};
                 }),
            part<&MetricFacts::origin>({.help = "Paper and equation", .name = "source"}),
            part<&MetricFacts::by_default>({}),
            part<&MetricFacts::with_sets>(
                {.help = "Shown by default only if an item has several labels",
                 .name = "with_label_sets"}),
            part<&MetricFacts::with_cues>(
                {.help = "Shown by default only if items have shape and texture cues"}),
            part({.name = "definition", .only_csv = true},
                 [](const MetricFacts& facts) { return parse_metric(facts.name).definition(); }),
        });
    return rows;
}

nlohmann::json metric_table_json() {
    nlohmann::json list = nlohmann::json::array();
    for (const MetricFacts& facts : metric_table()) list.push_back(json_of(facts));
    return list;
}

std::string metric_table_markdown() {
    std::string page =
        "# Definitions of the metrics\n\n"
        "Generated from the table in `src/metric/` by `assay list metrics --markdown`; "
        "do not edit.\n"
        "Results with different definition ids are never compared silently.\n\n"
        "Metrics that need one label per item use the data set's own labels. If it has no "
        "single\n"
        "labels, an item's only valid class replaces them, and the ids end in `.only_valid`.\n";
    for (const auto& facts : metric_table()) {
        page += fmt::format("\n## {} (`{}`)\n\n{}.\n\n", facts.title, joined(names_of(facts), ", "),
                            facts.formula);
        page += fmt::format("- definitions: `{}`\n", joined(definitions_of(facts), "`, `"));
        page += fmt::format("- needs: {}\n", joined(needs_of(facts.needs), ", "));
        page += fmt::format("- range: {:g} to {:g}; {} is better\n", facts.low, facts.high,
                            !facts.judges            ? "neither direction"
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
        if (facts.with_sets) page += "- shown by default if some item has several labels\n";
        if (facts.with_cues) page += "- shown by default if the data set has these attributes\n";
        if (shows_with_given(facts)) page += "- shown by default if these are given\n";
        page += fmt::format("- source: {}\n", facts.origin);
    }
    return page;
}

}  // namespace assay
