#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "assay/evaluate/predict.h"
#include "assay/model/model_spec.h"
#include "assay/model/settings_file.h"

namespace assay {
namespace {

/// Many models on many data sets: a line for each data set is what a person can take in.
constexpr std::size_t most_lines = 12;

Table by_store(std::span<const PredictResult> results, std::vector<Column> columns) {
    Table table{.title = "", .columns = std::move(columns), .rows = {}, .notes = {}};
    for (const PredictResult& r : results) {
        table.add({r.model, r.dataset, Count{r.rows}, Count{r.predicted}, Count{r.bad_rows},
                   r.store.string()});
    }
    return table;
}

Table by_dataset(std::span<const PredictResult> results) {
    Table table{.title = "",
                .columns = {{"data set", false},
                            {"images"},
                            {"models"},
                            {"computed now"},
                            {"without score"},
                            {"stores in", false}},
                .rows = {},
                .notes = {}};
    for (std::size_t begin = 0, end = 0; begin < results.size(); begin = end) {
        const PredictResult& first = results[begin];
        std::uint64_t computed = 0, bad = 0;
        for (end = begin; end < results.size() && results[end].dataset == first.dataset; ++end) {
            computed += results[end].predicted;
            bad += results[end].bad_rows;
        }
        table.add({first.dataset, Count{first.rows}, Count{end - begin}, Count{computed},
                   Count{bad}, first.store.parent_path().string()});
    }
    return table;
}

/// Each model's once, however many data sets it ran on.
std::vector<std::string> model_notes(std::span<const PredictResult> results) {
    std::vector<std::string> notes;
    for (const PredictResult& r : results) {
        for (const std::string& note : r.notes) {
            std::string line = fmt::format("{}: {}.", r.model, note);
            if (std::ranges::find(notes, line) == notes.end()) notes.push_back(std::move(line));
        }
    }
    return notes;
}

std::string settings_source(const ModelSpec& spec) {
    if (!spec.also_read.empty())
        return spec.sidecar.string() + " and " + spec.also_read.filename().string();
    if (!spec.sidecar.empty()) return spec.sidecar.string();
    return spec.preset.empty() ? "flags" : "preset " + spec.preset;
}

}  // namespace

std::string describe(const ModelSpec& spec) {
    std::string input;
    if (spec.input_type == InputType::uint8) input += "; as bytes, not normalised";
    if (spec.layout == InputLayout::nhwc) input += "; channels last";
    const std::string instead =
        spec.instead_of.empty()
            ? std::string()
            : fmt::format("; the size it is evaluated at, --train-size: {}", spec.instead_of);
    return fmt::format("{}: {}{}; {} (from {}{})", spec.name, describe(spec.preprocess), input,
                       name_of(spec.outputs), settings_source(spec), instead);
}

std::string keys_without_effect(const ModelSpec& spec) {
    constexpr std::size_t most = 12;
    const auto& keys = spec.without_effect;
    if (keys.empty()) return "";
    const std::span shown(keys.data(), std::min(most, keys.size()));
    return fmt::format("{}: keys without effect: {}{}", spec.sidecar.filename().string(),
                       fmt::join(shown, ", "),
                       keys.size() > most ? fmt::format(" and {} more", keys.size() - most) : "");
}

Report report_of(std::span<const PredictResult> results) {
    Report report;
    nlohmann::json stores = nlohmann::json::array();
    for (const PredictResult& r : results) {
        nlohmann::json store = {{"model", r.model},
                                {"dataset", r.dataset},
                                {"rows", r.rows},
                                {"computed", r.predicted},
                                {"without_score", r.bad_rows},
                                {"halved_batches", r.halved},
                                {"store", r.store.string()},
                                {"notes", r.notes},
                                {"dataset_notes", r.dataset_notes}};
        if (r.bad_rows > 0) {
            report.partial = true;
            store["first_error"] = r.first_error;
            report.warnings.push_back(
                fmt::format("{} on {}: {} of {} rows have no score; the first: {}", r.model,
                            r.dataset, count_text(r.bad_rows), count_text(r.rows), r.first_error));
        }
        if (r.halved > 0) {
            report.warnings.push_back(
                fmt::format("{}: memory was short, so batches were halved {} times; scores may "
                            "differ from whole batches by about 1e-5; a smaller batch size avoids "
                            "it",
                            r.model, r.halved));
        }
        stores.push_back(std::move(store));
    }
    Table table = results.size() <= most_lines ? by_store(results, {{"model", false},
                                                                    {"data set", false},
                                                                    {"images"},
                                                                    {"computed now"},
                                                                    {"without score"},
                                                                    {"store", false}})
                                               : by_dataset(results);
    table.notes = model_notes(results);
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.records = by_store(results, {{"model", false},
                                        {"dataset", false},
                                        {"rows"},
                                        {"computed"},
                                        {"without_score"},
                                        {"store", false}});
    report.result = {{"schema", "assay.predict/1"}, {"stores", std::move(stores)}};
    return report;
}

Report plan_report_of(std::span<const ModelSpec> models) {
    Report report;
    Section section;
    Table records{.title = "",
                  .columns = {{"model", false},
                              {"preprocessing", false},
                              {"outputs", false},
                              {"settings_from", false}},
                  .rows = {},
                  .notes = {}};
    nlohmann::json list = nlohmann::json::array();
    std::string lines;
    for (const ModelSpec& spec : models) {
        lines += (lines.empty() ? "" : "\n") + describe(spec);
        if (const std::string keys = keys_without_effect(spec); !keys.empty())
            lines += "\n  " + keys;
        for (const std::string& text : notes_on_files_like_sidecars(spec)) lines += "\n  " + text;
        records.add({spec.name, describe(spec.preprocess), std::string(name_of(spec.outputs)),
                     settings_source(spec)});
        list.push_back(to_json(spec));
    }
    section.blocks.emplace_back(std::move(lines));
    report.sections.push_back(std::move(section));
    report.records = std::move(records);
    report.result = {{"schema", "assay.predict.plan/1"}, {"models", std::move(list)}};
    return report;
}

}  // namespace assay
