// Further data sets in addition to the two of the gap.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

ScoreOptions score_options_of(const GapReport& report, const std::string& subgroups) {
    ScoreOptions options;
    options.threads = report.options.threads;
    options.resampling.level = report.options.level;
    for (const GapMetric metric : gap_metrics)
        options.metrics.push_back(parse_metric(name_of(metric)));
    MetricRequest& asma = options.metrics.back();
    asma.set("agreement", report.options.agreement);
    const GapSubgroups list = gap_subgroups(subgroups);
    asma.set("subgroups", number_list_text(list.numbers));
    if (list.present) asma.set("absent", "skipped");
    return options;
}

store::SharedModels shared_with(const GapSide& side, const GapReport& report) {
    std::vector<std::string> own, further;
    for (const GapModel& model : report.models) own.push_back(model.name);
    for (const auto& folder : side.stores)
        further.push_back(PredictionStore::open(folder).spec().model_name);
    return store::shared_models(own, further);
}

/// The place of a measured metric among gap_metrics; nullopt for any other metric.
std::optional<std::size_t> metric_place(const MeasurementKey& key) {
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        if (key.metric == parse_metric(name_of(gap_metrics[m])).name()) return m;
    }
    return std::nullopt;
}

/// A data set's values for models of the gap.
struct ScoredSide {
    std::vector<ScoreReport> reports;  ///< with the side's name as the data set
    std::vector<std::string> warnings;
};
ScoredSide scored_side(const GapSide& side, const GapReport& report, ScoreOptions options,
                       Comm& comm, const ProgressCallback& progress) {
    options.labels = side.sets;
    options.unnamed = side.unnamed;
    const auto place_of = model_places(report);
    ScoredSide out;
    for (const auto& folder : side.stores) {
        const PredictionStore store = PredictionStore::open(folder);
        if (!place_of.contains(store.spec().model_name)) continue;
        if (std::string writing = writer_warning(store); !writing.empty())
            out.warnings.push_back(std::move(writing));
        ScoreReport scored = score_store(store, options, comm, progress);
        scored.dataset = side.name;
        for (Measurement& m : scored.measurements) {
            const bool top1 = metric_place(m.key) == static_cast<std::size_t>(GapMetric::top1);
            if (report.options.slivers || !top1 || !m.value) continue;
            if (const std::string why = sliver_of(store.dataset(), side); !why.empty())
                leave_out(m, why);
        }
        out.reports.push_back(std::move(scored));
    }
    return out;
}

}  // namespace

GapAlso also_of_stores(const GapSide& side, const GapReport& report, const std::string& subgroups,
                       Comm& comm, const ProgressCallback& progress) {
    GapAlso out = nothing_measured(side.name, report);
    out.subgroups = subgroups;
    const auto place_of = model_places(report);
    require_shared(shared_with(side, report), report.sets[0].name, side.name);
    ScoredSide scored =
        scored_side(side, report, score_options_of(report, subgroups), comm, progress);
    out.warnings = std::move(scored.warnings);
    for (const ScoreReport& one : scored.reports) {
        for (const Measurement& measurement : one.measurements) {
            if (const auto m = metric_place(measurement.key))
                out.models[place_of.at(one.model)][*m] = measurement;
        }
    }
    return out;
}

GapAlso also_across(std::span<const GapSide> sides, const std::string& name,
                    const GapReport& report, const std::string& subgroups, Comm& comm,
                    const ProgressCallback& progress) {
    const ScoreOptions options = score_options_of(report, subgroups);
    std::vector<ScoreReport> reports;
    std::vector<std::string> warnings;
    for (const GapSide& side : sides) {
        const store::SharedModels models = shared_with(side, report);
        if (models.both.empty()) {
            // An error if no data set has any model of the gap.
            if (&side == &sides.back() && reports.empty())
                require_shared(models, report.sets[0].name, side.name);
            warnings.push_back(not_in_mean(side.name, name));
            continue;
        }
        ScoredSide scored = scored_side(side, report, options, comm, progress);
        for (ScoreReport& one : scored.reports) reports.push_back(std::move(one));
        for (std::string& text : scored.warnings) warnings.push_back(std::move(text));
    }
    GapAlso out =
        also_of_means(name, subgroups, score_across(reports, name, report.options.level), report);
    out.warnings = std::move(warnings);
    return out;
}

GapAlso also_of_means(const std::string& name, const std::string& subgroups,
                      std::vector<AcrossResult> means, const GapReport& report) {
    GapAlso out = nothing_measured(name, report);
    out.subgroups = subgroups;
    const auto place_of = model_places(report);
    for (const AcrossResult& one : means) {
        const auto place = place_of.find(one.mean.key.model);
        const auto m = metric_place(one.mean.key);
        if (place == place_of.end() || !m) continue;
        out.models[place->second][*m] = one.mean;
    }
    out.means = std::move(means);
    return out;
}

std::string not_in_mean(const std::string& dataset, const std::string& name) {
    return fmt::format("{} is not in the mean of `{}`: no model of the gap has scores on it",
                       dataset, name);
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
