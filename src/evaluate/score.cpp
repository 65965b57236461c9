#include "assay/evaluate/score.h"

#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/measure_options.h"
#include "core/json_limits.h"
#include "data/attributes.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/image_weights.h"
#include "evaluate/score_set.h"
#include "evaluate/score_tables.h"

namespace assay {
namespace {

/// Finds the command that made a store, from its record.
std::string command_of(const StoreSpec& spec) {
    constexpr int deepest = 64;
    if (!spec.provenance_json.empty()) {
        const nlohmann::json made = parse_json(spec.provenance_json, deepest);
        const auto command = made.is_object() ? made.find("command") : made.end();
        if (command != made.end() && command->is_string()) return command->get<std::string>();
    }
    return "assay predict";
}

}  // namespace

ScoreReport score_store(const PredictionStore& store, const ScoreOptions& given, Comm& comm,
                        const ProgressCallback& progress) {
    const RowReader reader(store, given.map);
    Truth truth;
    ScoreOptions options = given;
    agree(comm, [&] { truth = truth_for(store, options); });
    if (options.metrics.empty()) {
        LabelCoverage coverage = coverage_of(truth.targets, truth.labels);
        coverage.two_classes = reader.classes() == 2;
        DefaultMetrics defaults =
            default_metrics_for(coverage, truth.cues_named, truth.given.needs());
        options.metrics = std::move(defaults.metrics);
        options.left_out = std::move(defaults.left_out);
    }
    evaluate::check_attributes(store.dataset(), options);
    evaluate::ImageWeights weights;
    const bool weighted = !options.weights.empty() || !options.item_weights.empty();
    if (weighted) {
        weights = evaluate::weights_by(store.dataset(), options);
        evaluate::keep_weighted(options);
    }
    ScoredSet set = score_set(reader, truth, options, {}, "", comm,
                              options.by.empty() ? Keep::report : Keep::items, progress);
    if (weighted) evaluate::weigh(set, weights, reader, truth, options, comm);
    if (!options.by.empty())
        set.report.groups = evaluate::accuracy_by_group(set, store.dataset(), options);
    ScoreReport report = std::move(set.report);
    report.model = store.spec().model_name;
    report.dataset = store.spec().dataset_name;
    report.map = options.map ? options.map->name : "";
    report.counts.unnamed = options.unnamed;
    if (!options.left_out.empty()) report.notes.push_back(options.left_out);
    report.notes.insert(report.notes.end(), options.notes.begin(), options.notes.end());
    report.thresholds = truth.given.thresholds;
    if (!options.cluster.empty())
        report.notes.push_back(evaluate::cluster_note(store.dataset(), options.cluster));
    report.kind = store.spec().kind;
    report.storage = store.spec().storage;
    const ClassList& known = options.map ? options.map->targets : store.dataset().classes;
    if (known.size() == report.per_class.size()) report.classes = known;
    name_classes(report);
    if (std::string writing = writer_warning(store); !writing.empty())
        report.warnings.push_back(std::move(writing));
    const bool empty = report.counts.items > 0 && report.counts.missing == report.counts.items;
    if (empty) {
        report.warnings.push_back(
            fmt::format("`{}` has no rows yet; rerun the command that made it: {}",
                        store.folder().string(), command_of(store.spec())));
    } else if (report.counts.missing > 0) {
        report.warnings.push_back(
            fmt::format("{} of {} items are in missing shards; the results cover the rest",
                        report.counts.missing, report.counts.items));
    }
    if (empty) {
        const std::string why = "no rows are stored yet";
        for (Measurement& m : report.measurements)
            if (!m.value) m.undefined = why;
        for (AccuracyByGroup& groups : report.groups) {
            groups.worst.undefined = why;
            for (GroupAccuracy& group : groups.groups)
                group.accuracy.undefined = group.difference.undefined = why;
        }
    }
    if (options.subgroup.empty()) return report;

    const auto& attribute = attribute_named(store.dataset(), options.subgroup);
    if (empty) return report;
    std::map<std::string, std::vector<std::uint64_t>> members;
    for (std::size_t i = 0; i < attribute.values.size(); ++i) {
        members[std::string(attribute.values[i])].push_back(i);
        if (members.size() > 1000) {
            throw Error(
                ErrorCode::usage,
                fmt::format("attribute `{}` has more than 1000 values, too many for subgroups",
                            options.subgroup));
        }
    }
    for (auto& [value, rows] : members) {
        const std::string name = fmt::format("{}={}", options.subgroup, value);
        auto part =
            score_set(reader, truth, options, std::move(rows), name, comm, Keep::report).report;
        for (auto& m : part.measurements) report.measurements.push_back(std::move(m));
    }
    return report;
}

}  // namespace assay
