// Prints an evaluation on one screen.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/evaluate/eval.h"
#include "core/result_table.h"
#include "core/text.h"
#include "evaluate/eval/described_eval.h"
#include "evaluate/measurement_text.h"
#include "metric/measurement_result.h"

namespace assay {
namespace {

using Show = Column::Show;

Number percent_of(double value) {
    return {.value = value, .unit = Unit::proportion, .digits = 1};
}

std::string screen_title(const EvalResult& result) {
    std::string title = fmt::format("{}: {}", result.dataset, how_many(result.items, "image"));
    if (result.labelled == 0) {
        title += ", none labelled";
    } else if (result.labelled < result.items) {
        title += fmt::format(", {} labelled", count_text(result.labelled));
    }
    return title;
}

/// Prints a line per model, with a column per metric.
Table eval_models(const EvalResult& result) {
    Table table{
        .title = screen_title(result), .columns = {{"model", false}}, .rows = {}, .notes = {}};
    std::vector<std::string> keys;
    for (const EvaluatedModel& model : result.models) {
        for (const Measurement& m : model.measurements) {
            const std::string key = column_key(m.key);
            if (is_by_labels_per_image(m) || std::ranges::find(keys, key) != keys.end()) continue;
            keys.push_back(key);
            table.columns.push_back({metric_heading(m), true, Show::value_and_interval});
        }
    }
    const bool own_confidence = keys.empty();
    if (own_confidence)
        table.columns.push_back({"mean confidence %", true, Show::value_and_interval});
    const bool all_settled = std::ranges::all_of(result.models, &EvaluatedModel::settled);
    if (!all_settled) table.columns.push_back({"", false});
    for (const EvaluatedModel& model : result.models) {
        std::vector<Cell> cells = {model.model};
        for (const std::string& key : keys) {
            const auto found = std::ranges::find_if(
                model.measurements, [&](const Measurement& m) { return column_key(m.key) == key; });
            cells.push_back(found == model.measurements.end() ? Cell() : Cell(Estimate(*found)));
        }
        if (own_confidence) cells.emplace_back(model.confidence);
        if (!all_settled)
            cells.emplace_back(model.settled() ? std::string() : std::string(not_settled_mark));
        table.add(std::move(cells));
    }
    return table;
}

/// Sentences on the search, the excluded images and the calibration.
std::string eval_lines(const EvalResult& result) {
    std::string text;
    const bool several = result.models.size() > 1;
    const auto line = [&](const EvaluatedModel& model, const std::string& what) {
        if (what.empty()) return;
        text += (text.empty() ? "" : "\n") + (several ? model.model + ": " : std::string()) + what;
    };
    for (const EvaluatedModel& model : result.models) {
        if (model.choice.searched()) {
            line(model, describe(model.choice));
        } else {  // the text begins with the model's name
            text += (text.empty() ? "" : "\n") + model.preprocessing;
        }
        line(model, model.calibration);
        if (!model.settled()) line(model, std::string(not_settled_mark));
    }
    if (result.left_out > 0) {
        text +=
            fmt::format("\n{} chose the preprocessing and {} excluded from the results",
                        how_many(result.left_out, "image"), result.left_out == 1 ? "is" : "are");
    }
    return text;
}

Table eval_differences(const EvalResult& result) {
    const std::vector<PairReport>& pairs = result.comparison->pairs;
    Table table{
        .title = fmt::format("Difference from {}, on the same images", pairs.front().baseline),
        .columns = {{"model", false}},
        .rows = {},
        .notes = {}};
    std::vector<std::string> keys;
    for (const PairedMetric& metric : pairs.front().metrics) {
        const Measurement& m = metric.candidate;
        if (is_by_labels_per_image(m) || !m.key.subgroup.empty()) continue;
        keys.push_back(column_key(m.key));
        table.columns.push_back({metric_heading(m), true, Show::value_and_half, true});
        if (m.key.metric == "top1") {
            table.columns.push_back({"p (Holm)"});
            table.columns.push_back({"verdict", false});
        }
    }
    for (const PairReport& pair : pairs) {
        std::vector<Cell> cells = {pair.candidate};
        for (const PairedMetric& metric : pair.metrics) {
            const Measurement& m = metric.candidate;
            if (std::ranges::find(keys, column_key(m.key)) == keys.end()) continue;
            cells.emplace_back(metric.difference);
            if (m.key.metric != "top1") continue;
            cells.push_back(metric.p_holm ? Cell(PValue{*metric.p_holm}) : Cell());
            cells.emplace_back(std::string(name_of(metric.verdict)));
        }
        table.add(std::move(cells));
    }
    return table;
}

Table eval_classes(const EvaluatedModel& model) {
    Table table{.title = "Worst classes",
                .columns = {{"class", false},
                            {"n"},
                            {"accuracy %", true, Show::value_and_interval},
                            {"confidence %"}},
                .rows = {},
                .notes = {}};
    for (const ClassResult& c : model.worst_classes) {
        table.add({c.name.empty() ? c.id : c.name, Count{c.accuracy.n}, c.accuracy,
                   c.confidence ? Cell(percent_of(*c.confidence)) : Cell()});
    }
    if (model.worst_classes.empty()) table.notes.emplace_back("no class has 5 images or more");
    return table;
}

Table eval_doubts(const EvalResult& result) {
    Table table{
        .title = "Labels to look at: the model predicts another class",
        .columns = {{"image", false}, {"label", false}, {"its %"}, {"predicted", false}, {"its %"}},
        .rows = {},
        .notes = {}};
    if (result.models.size() > 1) {
        table.title = "Labels to look at: every model predicts another class";
        table.columns[3].name = "predicted by the first";
    }
    for (const DoubtedLabel& doubt : result.doubted_labels) {
        table.add({doubt.id, doubt.label, percent_of(doubt.label_probability), doubt.predicted,
                   percent_of(doubt.predicted_probability)});
    }
    return table;
}

Table eval_unsure(const EvalResult& result) {
    const bool several = result.models.size() > 1;
    Table table{.title = several ? "Where the models differ" : "Where the model is least sure",
                .columns = {{"image", false}},
                .rows = {},
                .notes = {}};
    for (const EvaluatedModel& model : result.models) {
        table.columns.push_back({several ? model.model : "predicted", false});
        table.columns.push_back({"its %"});
    }
    for (const UnsureItem& item : result.unsure) {
        std::vector<Cell> cells = {item.id};
        for (std::size_t m = 0; m < item.predicted.size(); ++m) {
            cells.emplace_back(item.predicted[m]);
            cells.emplace_back(percent_of(item.confidence[m]));
        }
        table.add(std::move(cells));
    }
    return table;
}

std::string bullet_list(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "  " : "\n  ") + line;
    return text;
}

/// Writes a line for each metric of each model.
Table eval_records(const EvalResult& result) {
    Table table = result_table<Measurement>();
    for (const EvaluatedModel& model : result.models) {
        for (const Measurement& m : model.measurements) add_row(table, m);
    }
    return table;
}

}  // namespace

Report report_of(const EvalResult& result) {
    Report report;
    const auto section = [&](std::string title, Block block) {
        report.sections.push_back(
            {.title = std::move(title), .blocks = {std::move(block)}, .sections = {}});
    };
    section("", eval_models(result));
    if (std::string lines = eval_lines(result); !lines.empty())
        report.sections.back().blocks.emplace_back(std::move(lines));
    if (result.agreement && result.agreement->value) {
        const Estimate& agreement = *result.agreement;
        report.sections.back().blocks.emplace_back(
            fmt::format("All {} models predict the same class for {:.1f} % of the images (95 % CI "
                        "{:.1f}-{:.1f})",
                        result.models.size(), 100 * *agreement.value, 100 * agreement.interval->low,
                        100 * agreement.interval->high));
    }
    if (result.comparison && !result.comparison->pairs.empty())
        section("", eval_differences(result));
    if (result.models.size() == 1 && result.labelled > 0)
        section("", eval_classes(result.models.front()));
    if (!result.doubted_labels.empty()) section("", eval_doubts(result));
    if (!result.unsure.empty()) section("", eval_unsure(result));
    std::vector<std::string> warnings;
    for (const EvaluatedModel& model : result.models) {
        report.partial = report.partial || model.unreadable > 0;
        for (const std::string& text : model.warnings)
            warnings.push_back(result.models.size() > 1 ? model.model + ": " + text : text);
        for (const Measurement& m : model.measurements) report.values.push_back(named_value(m));
    }
    if (!warnings.empty()) section("Warnings", bullet_list(warnings));
    if (!result.next.empty()) section("Next", bullet_list(result.next));
    if (!result.report.empty()) section("", fmt::format("report: {}", result.report.string()));
    report.gates = outcomes_of(result.gates);
    report.records = eval_records(result);
    report.result = json_of(result);
    return report;
}

}  // namespace assay
