// Further data sets in addition to the two of the gap.
#include <algorithm>
#include <unordered_map>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/truth.h"
#include "metric/number_list.h"
#include "store/same_models.h"

namespace assay {
namespace {

GapAlso nothing_measured(std::string name, const GapReport& report) {
    GapAlso out{.name = std::move(name), .subgroups = "", .models = {}, .warnings = {}};
    out.models.resize(report.models.size());
    for (auto& metrics : out.models) {
        for (Estimate& e : metrics) {
            e.unit = Unit::proportion;
            e.undefined = "the model was not measured there";
        }
    }
    return out;
}

std::unordered_map<std::string, std::size_t> model_places(const GapReport& report) {
    std::unordered_map<std::string, std::size_t> out;
    for (std::size_t i = 0; i < report.models.size(); ++i) out.emplace(report.models[i].name, i);
    return out;
}

/// Reason to skip top-1, as for the two data sets of the gap; "" if it is not skipped.
std::string sliver_of(const Dataset& dataset, const GapSide& side) {
    const LabelSets& own = dataset.labels;
    const LabelSets& sets = side.sets ? *side.sets : own;
    const LabelCoverage coverage =
        coverage_of(OnlyMembers(only_valid_stands_in(own, sets) ? sets : own), sets);
    if (!is_sliver(coverage.single, coverage.labelled)) return "";
    return sliver_text(coverage.single, coverage.labelled, side.name);
}

void leave_out(Estimate& value, const std::string& why) {
    Estimate none;
    none.unit = value.unit;
    none.n = value.n;
    none.undefined = why;
    value = std::move(none);
}

}  // namespace

GapAlso also_of_stores(const GapSide& side, const GapReport& report, const std::string& subgroups,
                       Comm& comm, const ProgressCallback& progress) {
    GapAlso out = nothing_measured(side.name, report);
    out.subgroups = subgroups;
    const auto place_of = model_places(report);
    ScoreOptions options;
    options.labels = side.sets;
    options.unnamed = side.unnamed;
    options.threads = report.options.threads;
    options.resampling.level = report.options.level;
    for (const GapMetric metric : gap_metrics)
        options.metrics.push_back(parse_metric(name_of(metric)));
    MetricRequest& asma = options.metrics.back();
    asma.set("agreement", report.options.agreement);
    const GapSubgroups list = gap_subgroups(subgroups);
    asma.set("subgroups", number_list_text(list.numbers));
    if (list.present) asma.set("absent", "skipped");
    std::vector<std::string> own, further;
    for (const GapModel& model : report.models) own.push_back(model.name);
    for (const auto& folder : side.stores)
        further.push_back(PredictionStore::open(folder).spec().model_name);
    require_shared(store::shared_models(own, further), report.sets[0].name, side.name);
    for (const auto& folder : side.stores) {
        const PredictionStore store = PredictionStore::open(folder);
        const auto place = place_of.find(store.spec().model_name);
        if (place == place_of.end()) continue;
        if (std::string writing = writer_warning(store); !writing.empty())
            out.warnings.push_back(std::move(writing));
        const ScoreReport scored = score_store(store, options, comm, progress);
        for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
            const std::string metric = options.metrics[m].name();
            const auto found = std::ranges::find_if(
                scored.measurements,
                [&](const Measurement& measurement) { return measurement.key.metric == metric; });
            if (found != scored.measurements.end()) out.models[place->second][m] = *found;
        }
        Estimate& top1 = out.models[place->second][static_cast<std::size_t>(GapMetric::top1)];
        if (report.options.slivers || !top1.value) continue;
        if (const std::string why = sliver_of(store.dataset(), side); !why.empty())
            leave_out(top1, why);
    }
    return out;
}

GapAlso also_of_table(const GapTable& table, std::size_t which, const GapReport& report) {
    GapAlso out = nothing_measured(table.also.at(which), report);
    const auto place_of = model_places(report);
    for (const GapTable::Row& row : table.rows) {
        const auto place = place_of.find(row.model);
        if (place == place_of.end()) continue;
        for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
            Estimate& e = out.models[place->second][m];
            e.value = row.also[which][m];
            e.undefined = e.value ? "" : "the table's cell is empty";
        }
    }
    return out;
}

}  // namespace assay
