// Finds the best model of each column, and models that a paired test cannot distinguish.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/metric/metric.h"
#include "report/measured.h"

namespace assay {
namespace {

/// One metric under one definition.
struct MetricColumn {
    MeasurementKey key;  ///< key of the first model
    bool higher_is_better = true;
    std::vector<const Measurement*> values;  ///< by store; nullptr means not measured
    std::size_t best = 0;

    bool is_of(const MeasurementKey& other) const {
        return std::tie(key.metric, key.definition, key.parameters) ==
               std::tie(other.metric, other.definition, other.parameters);
    }
};

/// The columns over all items in which one direction is better and some model has a value, in the
/// order in which they were measured.
std::vector<MetricColumn> columns_of(const ScoreResult& scores) {
    std::vector<MetricColumn> columns;
    for (std::size_t s = 0; s < scores.reports.size(); ++s) {
        for (const Measurement& m : scores.reports[s].measurements) {
            if (!m.key.subgroup.empty() || !m.key.cls.empty() || !metric_named(m.key.metric).judges)
                continue;
            auto column = std::ranges::find_if(
                columns, [&](const MetricColumn& c) { return c.is_of(m.key); });
            if (column == columns.end()) {
                column = columns.insert(columns.end(), MetricColumn{});
                column->key = m.key;
                column->higher_is_better = m.higher_is_better;
                column->values.resize(scores.reports.size());
            }
            column->values[s] = &m;
        }
    }
    std::erase_if(columns, [](MetricColumn& column) {
        const Measurement* best = nullptr;
        for (std::size_t s = 0; s < column.values.size(); ++s) {
            const Measurement* m = column.values[s];
            if (m == nullptr || !m->value) continue;
            // For ties, the first model is the best.
            const bool better =
                best == nullptr ||
                (column.higher_is_better ? *m->value > *best->value : *m->value < *best->value);
            if (!better) continue;
            best = m;
            column.best = s;
        }
        return best == nullptr;
    });
    return columns;
}

std::string top1_name() {
    return parse_metric("top1").name();
}

/// The column for the pairs that are shown with all metrics and disagreements.
const MetricColumn& leading(const std::vector<MetricColumn>& columns) {
    for (const MetricColumn& column : columns)
        if (column.key.metric == top1_name()) return column;
    return columns.front();
}

/// Compares one baseline with all other models of its group.
struct GroupPairs {
    /// by store; no value for the baseline, or if `why` is set
    std::vector<std::optional<PairReport>> pairs;
    std::vector<std::string> why;  ///< reason why a store could not be compared
};

class GroupComparing {
public:
    GroupComparing(const StoreGroup& group, const ReportOptions& options, Comm& comm,
                   const ProgressCallback& progress)
        : group_(group), comm_(comm), progress_(progress) {
        measure_ = options.measure;
        measure_.gates.clear();
        measure_.threads = options.threads;
        for (const ReportStore& store : group.stores)
            stores_.push_back(PredictionStore::open(store.folder));
    }

    /// An empty `metrics` means all requested metrics.
    GroupPairs with_all(std::size_t baseline, const std::vector<MetricRequest>& metrics,
                        std::size_t disagreements) {
        GroupPairs out;
        out.pairs.resize(stores_.size());
        out.why.resize(stores_.size());
        CompareOptions how{resolve(measure_, stores_[baseline]), disagreements, false};
        if (!metrics.empty()) how.score.metrics = metrics;
        std::vector<std::size_t> places;
        for (std::size_t s = 0; s < stores_.size(); ++s)
            if (s != baseline) places.push_back(s);
        try {
            keep(out, places, compare(baseline, places, how, progress_));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            leave_out_those_that_fail(out, baseline, places, how);
            if (!places.empty()) keep(out, places, compare(baseline, places, how, progress_));
        }
        for (std::size_t s = 0; s < stores_.size(); ++s)
            if (out.pairs[s]) name(*out.pairs[s], baseline, s);
        return out;
    }

private:
    std::vector<PairReport> compare(std::size_t baseline, const std::vector<std::size_t>& places,
                                    const CompareOptions& how, const ProgressCallback& progress) {
        std::vector<const PredictionStore*> candidates;
        candidates.reserve(places.size());
        for (const std::size_t s : places) candidates.push_back(&stores_[s]);
        return compare_stores(stores_[baseline], candidates, how, comm_, progress);
    }

    static void keep(GroupPairs& out, const std::vector<std::size_t>& places,
                     std::vector<PairReport> pairs) {
        for (std::size_t i = 0; i < places.size(); ++i) out.pairs[places[i]] = std::move(pairs[i]);
    }

    /// One failing candidate, for example one with different images, must not prevent the
    /// comparison of the others.
    void leave_out_those_that_fail(GroupPairs& out, std::size_t baseline,
                                   std::vector<std::size_t>& places, CompareOptions how) {
        how.disagreements = 0;
        how.score.metrics = {how.score.metrics.front()};
        std::erase_if(places, [&](std::size_t s) {
            try {
                compare(baseline, {s}, how, {});
                return false;
            } catch (const Error& error) {
                if (error.code() != ErrorCode::bad_input) throw;
                out.why[s] = error.message();
                return true;
            }
        });
    }

    void name(PairReport& pair, std::size_t baseline, std::size_t candidate) const {
        pair.baseline = group_.stores[baseline].model;
        pair.candidate = group_.stores[candidate].model;
        pair.dataset = pair.candidate_dataset = group_.dataset;
        for (PairedMetric& m : pair.metrics) {
            m.baseline.key.model = pair.baseline;
            m.candidate.key.model = pair.candidate;
            m.baseline.key.dataset = m.candidate.key.dataset = group_.dataset;
        }
    }

    const StoreGroup& group_;
    Comm& comm_;
    const ProgressCallback& progress_;
    MeasureOptions measure_;
    std::vector<PredictionStore> stores_;
};

/// The reason for a missing verdict on a candidate; "" if there is a verdict.
std::string why_untested(const PairedMetric& m) {
    if (m.p_holm) return {};
    if (!m.difference.value) return m.difference.undefined;
    return m.difference.note.empty() ? "the difference has no interval, so there is no test"
                                     : m.difference.note;
}

ColumnBest best_of_column(const StoreGroup& group, const MetricColumn& column,
                          const GroupPairs* compared, double level) {
    ColumnBest out{group.dataset,
                   column.key.metric,
                   column.key.definition,
                   column.key.parameters,
                   group.stores[column.best].model,
                   {},
                   {},
                   level};
    for (std::size_t s = 0; compared != nullptr && s < group.stores.size(); ++s) {
        if (s == column.best) continue;
        std::string why = compared->why[s];
        if (compared->pairs[s]) {
            const auto& metrics = compared->pairs[s]->metrics;
            const auto found = std::ranges::find_if(
                metrics, [&](const PairedMetric& m) { return column.is_of(m.candidate.key); });
            why = found == metrics.end() ? "the metric is not defined on the common items"
                                         : why_untested(*found);
            if (why.empty() && found->verdict != Verdict::worse)
                out.alike.push_back(group.stores[s].model);
        }
        if (!why.empty()) out.untested.push_back({group.stores[s].model, why});
    }
    return out;
}

std::vector<std::size_t> best_first(const MetricColumn& column) {
    std::vector<std::size_t> order(column.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t s) {
        const Measurement* m = column.values[s];
        if (m == nullptr || !m->value) return -std::numeric_limits<double>::infinity();
        return column.higher_is_better ? *m->value : -*m->value;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    return order;
}

/// The pairs that a report keeps completely: those of the best models, in the order of the stores,
/// with the notes of `assay compare`.
CompareResult kept_pairs(const StoreGroup& group, const std::vector<std::size_t>& order,
                         GroupPairs& compared, std::size_t most, Said& said) {
    CompareResult result;
    std::size_t pairs = 0;
    for (const std::size_t s : order)
        if (compared.pairs[s] && ++pairs > most) compared.pairs[s].reset();
    for (auto& pair : compared.pairs) {
        if (!pair) continue;
        for (const std::string& text : pair->warnings) result.warnings.push_back(text);
        result.pairs.push_back(std::move(*pair));
    }
    if (pairs > most)
        said.leave_out(
            fmt::format("{} of the {} comparisons on {} are omitted, because the report would "
                        "become too large; to see them, run `assay compare`.",
                        pairs - most, pairs, group.dataset));
    return result;
}

}  // namespace

BestOfGroup best_of_group(const StoreGroup& group, const ScoreResult& scores,
                          const ReportOptions& options, Comm& comm,
                          const ProgressCallback& progress, Said& said) {
    BestOfGroup out;
    const double level = options.measure.resampling.level;
    const std::vector<MetricColumn> columns = columns_of(scores);
    if (columns.empty()) {
        for (std::size_t s = 0; s < group.stores.size(); ++s) out.order.push_back(s);
        return out;
    }
    const std::size_t leader = leading(columns).best;
    out.order = best_first(leading(columns));
    std::map<std::size_t, GroupPairs> compared;  // pairs by baseline
    if (group.stores.size() > 1) {
        std::map<std::size_t, std::vector<MetricRequest>> metrics;
        metrics[leader];  // all metrics
        for (const MetricColumn& column : columns)
            if (column.best != leader)
                metrics[column.best].push_back(
                    {&metric_named(column.key.metric), column.key.parameters});
        GroupComparing comparing(group, options, comm, progress);
        for (const auto& [baseline, requests] : metrics)
            compared[baseline] = comparing.with_all(baseline, requests,
                                                    baseline == leader ? options.disagreements : 0);
    }
    for (const MetricColumn& column : columns) {
        const auto pairs = compared.find(column.best);
        out.columns.push_back(best_of_column(
            group, column, pairs == compared.end() ? nullptr : &pairs->second, level));
    }
    if (!compared.empty())
        out.comparison = kept_pairs(group, out.order, compared.at(leader), options.pairs, said);
    for (const auto& [baseline, pairs] : compared)
        for (std::size_t s = 0; s < pairs.why.size(); ++s)
            if (!pairs.why[s].empty())
                said.leave_out(fmt::format("{} and {} are not compared on {}: {}.",
                                           group.stores[baseline].model, group.stores[s].model,
                                           group.dataset, pairs.why[s]));
    return out;
}

}  // namespace assay
