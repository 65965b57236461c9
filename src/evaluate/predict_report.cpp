#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "assay/describe_result.h"
#include "assay/model/model_spec.h"
#include "assay/model/settings_file.h"
#include "core/add_once.h"
#include "core/result_table.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/described_program.h"
#include "model/described_model.h"
#include "model/python/python_model.h"
#include "store/parts.h"

namespace assay {
namespace {

/// With many models on many data sets, the report has only one line per data set.
constexpr std::size_t most_lines = 12;

Table by_store(std::span<const PredictResult> results) {
    Table table = table_of(results);
    const char* const names[] = {"model", "data set", "images", "computed now", "without score"};
    for (std::size_t c = 0; c < std::size(names); ++c) table.columns.at(c).name = names[c];
    return table;
}

/// A folder contains one data set.
std::filesystem::path dataset_folder(const PredictResult& result) {
    const bool part = store::part_named(result.store.filename().string()).has_value();
    return (part ? result.store.parent_path().parent_path() : result.store).parent_path();
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
        for (end = begin;
             end < results.size() && dataset_folder(results[end]) == dataset_folder(first); ++end) {
            computed += results[end].predicted;
            bad += results[end].bad_rows;
        }
        table.add({first.dataset, Count{first.rows}, Count{end - begin}, Count{computed},
                   Count{bad}, dataset_folder(first).string()});
    }
    return table;
}

/// Prints each model's notes once, for any number of data sets.
std::vector<std::string> model_notes(std::span<const PredictResult> results) {
    std::vector<std::string> notes;
    for (const PredictResult& r : results) {
        for (const std::string& note : r.notes) {
            add_once(notes, fmt::format("{}: {}.", r.model, note));
        }
    }
    return notes;
}

std::string settings_source(const ModelSpec& spec) {
    if (!spec.also_read.empty())
        return spec.sidecar.string() + " and " + spec.also_read.filename().string();
    if (!spec.sidecar.empty()) return spec.sidecar.string();
    if (spec.python != nullptr && !spec.python->description().settings.empty()) return spec.source;
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
    return fmt::format("{}: keys without effect: {}{}",
                       spec.sidecar.empty() ? spec.source : spec.sidecar.filename().string(),
                       fmt::join(shown, ", "),
                       keys.size() > most ? fmt::format(" and {} more", keys.size() - most) : "");
}

ResultType result_type(ResultOf<PredictResult>) {
    static constexpr auto rows = describe_result<PredictResult>(
        {.name = "PredictedStore", .columns = "model,dataset,rows,computed,without_score,store"},
        {
            part<&PredictResult::model>({}),
            part<&PredictResult::dataset>({}),
            part<&PredictResult::rows>({}),
            part<&PredictResult::predicted>(
                {.help = "Rows that this run computed", .name = "computed"}),
            part<&PredictResult::bad_rows>({.help = "Of all runs", .name = "without_score"}),
            part({.help = "State of a row without a score", .name = "first_error", .omitted = true},
                 [](const PredictResult& r) { return r.bad_rows > 0 ? &r.first_error : nullptr; }),
            part<&PredictResult::halved>(
                {.help = "Batches that were halved because memory was short",
                 .name = "halved_batches"}),
            part<&PredictResult::store>({}),
            part<&PredictResult::notes>({}),
            part<&PredictResult::dataset_notes>({}),
            part<&PredictResult::image_notes>(
                {.help = "Properties of the files that decoding ignores, and equal files",
                 .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<PredictedStores>) {
    static constexpr auto rows =
        describe_result<PredictedStores>({.name = "PredictionResult",
                                          .help = "What `assay predict` prints",
                                          .schema = "assay.predict/1"},
                                         {part<&PredictedStores::stores>({})});
    return rows;
}

Report report_of(std::span<const PredictResult> results) {
    Report report;
    for (const PredictResult& r : results) {
        if (r.bad_rows > 0) {
            report.partial = true;
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
    }
    Table table = results.size() <= most_lines ? by_store(results) : by_dataset(results);
    table.notes = model_notes(results);
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.records = table_of(results);
    report.result = json_of(PredictedStores{results});
    return report;
}

namespace {

/// A row of csv.
struct PlannedModel {
    const ModelSpec* spec;

    std::string preprocessing() const { return describe(spec->preprocess); }
    std::string settings_from() const { return settings_source(*spec); }
};
ResultType result_type(ResultOf<PlannedModel>) {
    static constexpr auto rows = describe_result<PlannedModel>(
        {.name = "PlannedModel", .columns = "model,preprocessing,outputs,settings_from"},
        {
            part<&PlannedModel::spec, &ModelSpec::name>({.name = "model"}),
            part<&PlannedModel::preprocessing>({}),
            part<&PlannedModel::spec, &ModelSpec::outputs>({}),
            part<&PlannedModel::settings_from>({}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<PredictionPlan>) {
    static constexpr auto rows =
        describe_result<PredictionPlan>({.name = "PredictionPlan",
                                         .help = "What `assay predict --dry-run` prints",
                                         .schema = "assay.predict.plan/1"},
                                        {part<&PredictionPlan::models>({})});
    return rows;
}

Report plan_report_of(std::span<const ModelSpec> models) {
    Report report;
    Section section;
    std::vector<PlannedModel> planned;
    std::string lines;
    for (const ModelSpec& spec : models) {
        lines += (lines.empty() ? "" : "\n") + describe(spec);
        if (const std::string keys = keys_without_effect(spec); !keys.empty())
            lines += "\n  " + keys;
        for (const std::string& text : notes_on_files_like_sidecars(spec)) lines += "\n  " + text;
        planned.push_back({&spec});
    }
    section.blocks.emplace_back(std::move(lines));
    report.sections.push_back(std::move(section));
    report.records = table_of(planned);
    report.result = json_of(PredictionPlan{models});
    return report;
}

}  // namespace assay
