#include "evaluate/score_set.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "evaluate/calibrated_null.h"
#include "evaluate/metric_states.h"
#include "evaluate/score_adaptive.h"
#include "evaluate/score_columns.h"
#include "evaluate/score_tables.h"
#include "evaluate/score_temperature.h"
#include "metric/families.h"

namespace assay {
namespace {

/// Whether a metric goes over the items once more when all were scored.
bool read_again(const MetricRequest& request) {
    if (request.facts->source != Source::composite)
        return request.facts->source != Source::accumulated;
    return std::any_of(request.facts->parts.begin(), request.facts->parts.end(),
                       [](std::string_view part) { return read_again(parse_metric(part)); });
}

/// Where only predicted classes are known, most such metrics are undefined without a look.
bool read_again(const RowReader& reader, const ScoreOptions& options) {
    const bool known = reader.full() || reader.has_probabilities();
    return (known && options.null_draws > 0) ||
           std::any_of(
               options.metrics.begin(), options.metrics.end(), [&](const MetricRequest& request) {
                   return request.facts->source == Source::ranked || (known && read_again(request));
               });
}

/// Whether a metric orders items by their log-odds.
bool by_log_odds(const MetricRequest& request) {
    const MetricFacts& facts = *request.facts;
    if (facts.source == Source::ordered) return facts.order == Order::log_odds;
    return facts.source == Source::ranked &&
           request.parameters.at(std::string(ranked_by)) != by_stored_score;
}

KeptItems kept_items(const RowReader& reader, const ScoreOptions& options, Keep keep) {
    KeptItems kept;
    kept.records = keep == Keep::items || read_again(reader, options);
    kept.odds = std::ranges::any_of(options.metrics, by_log_odds);
    return kept;
}

class Scoring {
public:
    Scoring(const RowReader& reader, const Truth& truth, const ScoreOptions& options,
            std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm, Keep keep,
            const ProgressCallback& progress)
        : reader_(reader),
          store_(reader.store()),
          labels_(truth.labels),
          options_(options),
          subgroup_(subgroup),
          comm_(comm),
          keep_(keep),
          progress_(progress),
          rows_(reader, truth, std::move(rows), kept_items(reader, options, keep)),
          shape_(rows_.shape()),
          threads_(resolve_threads(options.threads)),
          states_(shape_, options.resampling),
          adaptive_(rows_, store_.spec().storage, options, threads_, comm),
          columns_(rows_, store_.spec().storage, options, threads_, comm) {
        // Which numbers of labels occur is asked of the items at hand: the two sides of a
        // comparison agree.
        set_.requests = expand_labels_per_image(options.metrics, rows_.label_counts());
    }

    ScoredSet run() {
        for (const MetricRequest& request : set_.requests) states_.prepare(request);
        if (options_.reliability) states_.prepare(*options_.reliability);
        agree(comm_, [&] { pass(); });
        join_ranks();
        const MeasuredOn on{store_.spec().model_name, store_.spec().dataset_name, subgroup_,
                            report_.counts.items};
        for (MetricRequest& request : set_.requests) {
            std::string how;
            agree(comm_, [&] { how = columns_.read_scores(request, reader_, labels_); });
            set_.estimates.push_back(estimate_of(request));
            add_notes(set_.estimates.back(), {how, rounded_scores(request)});
            report_.measurements.push_back(measurement_of(request, set_.estimates.back(), shape_,
                                                          on, options_.resampling.level));
        }
        if (options_.null_draws > 0) add_null();
        report_.labels_per_image = rows_.label_counts();
        states_.fill(report_, options_.reliability ? &*options_.reliability : nullptr);
        fill_confusions(report_, states_.confusions(), options_.confusions);
        add_kind_warning(report_, store_.spec().kind, sampled_[0], sampled_[1]);
        if (keep_ == Keep::items) fill_predictions(set_, rows_, labels_);
        return std::move(set_);
    }

private:
    std::size_t first_unit(int rank) const {
        return rows_.units() * static_cast<std::size_t>(rank) /
               static_cast<std::size_t>(comm_.size());
    }

    void pass() {
        const std::size_t begin = first_unit(comm_.rank()), end = first_unit(comm_.rank() + 1);
        const std::uint64_t total = rows_.first_of(end) - rows_.first_of(begin);
        parallel_blocks(end - begin, threads_, [&](std::size_t block) {
            throw_if_stopped();
            std::vector<RowFacts> facts;
            ScoreCounts counts;
            rows_.score(begin + block, facts, counts);
            states_.add(facts);
            const std::lock_guard lock(mutex_);
            add_counts(report_.counts, counts);
            if (progress_) progress_({.done = report_.counts.items, .total = total});
        });
    }

    void join_ranks() {
        sampled_ = {static_cast<std::int64_t>(rows_.sampled()),
                    static_cast<std::int64_t>(rows_.suspicious())};
        if (comm_.size() == 1) return;
        states_.join(comm_);
        comm_.all_reduce(sampled_);
        for (const auto& counts : exchange<ScoreCounts>(report_.counts))
            add_counts(report_.counts, counts);
        join_items(rows_.records());
        join_items(rows_.odds());
    }

    /// Of each item what its rank knows.
    template <class T>
    void join_items(std::vector<T>& items) {
        if (items.empty()) return;
        const auto first = static_cast<std::size_t>(rows_.first_of(first_unit(comm_.rank())));
        const auto last = static_cast<std::size_t>(rows_.first_of(first_unit(comm_.rank() + 1)));
        std::vector<T> joined;
        for (const auto& part :
             all_gather<T>(comm_, std::span<const T>(items).subspan(first, last - first)))
            joined.insert(joined.end(), part.begin(), part.end());
        items = std::move(joined);
    }

    /// What a store of rounded scores does to a metric of their order; "" for others.
    std::string rounded_scores(const MetricRequest& request) const {
        const Source source = request.facts->source;
        if (source != Source::ranked && !(source == Source::ordered && by_log_odds(request)))
            return "";
        if (store_.spec().storage == StorageFormat::full_f16)
            return "ranked by 16-bit scores: those that round to one number are ties";
        if (store_.spec().storage == StorageFormat::label && source == Source::ordered)
            return "ranked by 32-bit confidences, all that the store keeps: those that round to "
                   "one number are ties";
        return "";
    }

    static void add_notes(ResampledEstimate& estimate, std::initializer_list<std::string> notes) {
        if (!estimate.value) return;
        for (const std::string& note : notes) {
            if (note.empty()) continue;
            estimate.note += (estimate.note.empty() ? "" : "; ") + note;
        }
    }

    // Every rank's value; the local one is reset, so that all can be added to it.
    template <class T>
    std::vector<T> exchange(T& mine) {
        std::vector<T> all;
        for (const auto& part : all_gather<T>(comm_, {&mine, 1})) all.push_back(part.at(0));
        mine = T{};
        return all;
    }

    ResampledEstimate estimate_of(const MetricRequest& request) {
        switch (request.facts->source) {
            case Source::composite:
                return composite_of(request,
                                    [&](const MetricRequest& part) { return estimate_of(part); });
            case Source::class_wise:
                return adaptive_.estimate(request, states_.group_sizes());
            case Source::equal_width:
                return columns_.equal_width(request, states_.group_sizes());
            case Source::ranked:
                return columns_.ranked(request);
            case Source::rescaled:
                return temperature_scaled(request, rows_, store_, options_, threads_, comm_);
            case Source::ordered:
                return ordered(request);
            case Source::accumulated:
                break;
        }
        return states_.estimate(request);
    }

    // Items with a label, the most confident first. 16 bytes each, and only when asked for; each
    // thread of ordered() holds one more such list.
    const std::vector<ConfidentItem>& in_order(Order order) {
        std::vector<ConfidentItem>& list = in_order_[order];
        if (!list.empty() || rows_.records().empty()) return list;
        const bool odds = order == Order::log_odds && !rows_.odds().empty();
        for (std::uint64_t i = 0; i < rows_.items(); ++i) {
            const std::int32_t target = rows_.target(i);
            if (target < 0) continue;
            const auto item = static_cast<std::size_t>(i);
            const ItemRecord& record = rows_.records()[item];
            list.push_back(
                {odds ? rows_.odds()[item].log_odds : static_cast<double>(record.confidence),
                 record.predicted == target, rows_.group_of(i)});
        }
        std::sort(list.begin(), list.end(), [](const ConfidentItem& a, const ConfidentItem& b) {
            return a.confidence > b.confidence;
        });
        return list;
    }

    ResampledEstimate ordered(const MetricRequest& request) {
        const std::vector<ConfidentItem>& items = in_order(request.facts->order);
        MetricContext context = states_.context(request);
        ResampledEstimate result;
        static_cast<Estimate&>(result) = request.facts->of_order(context, items);
        if (!result.value) return result;
        const auto errors = static_cast<std::uint64_t>(std::count_if(
            items.begin(), items.end(), [](const ConfidentItem& item) { return !item.correct; }));
        if (request.facts->uncertainty == Uncertainty::jackknife_log && errors < fewest_errors) {
            result.no_interval = true;
            result.note =
                fmt::format("no interval: {} incorrect, and it needs {}", errors, fewest_errors);
        }
        context.value_only = true;
        std::vector<double> without(group_count);
        parallel_blocks(group_count, threads_, [&](std::size_t group) {
            if (states_.group_sizes()[group] == 0) return;
            std::vector<ConfidentItem> rest;
            rest.reserve(items.size());
            for (const ConfidentItem& item : items) {
                if (item.group != group) rest.push_back(item);
            }
            without[group] = request.facts->of_order(context, rest).value.value_or(*result.value);
        });
        for (std::size_t group = 0; group < group_count; ++group) {
            if (states_.group_sizes()[group] > 0) result.without.push_back(without[group]);
        }
        return result;
    }

    // Calibration errors again with labels drawn from the probabilities: what would remain without
    // any miscalibration.
    void add_null() {
        std::vector<NullMetric> metrics;
        std::vector<std::pair<std::size_t, std::size_t>>
            which;  // measurement, its place among the metrics
        for (std::size_t i = 0; i < set_.requests.size(); ++i) {
            if (!report_.measurements[i].value || !shape_.full_rows) continue;
            if (const auto at = null_metric(set_.requests[i], metrics)) which.emplace_back(i, *at);
        }
        if (metrics.empty()) return;  // as where a store does not keep whole rows
        const auto values = calibrated_null(rows_, metrics, options_.null_draws,
                                            options_.resampling.seed, threads_, comm_);
        for (const auto& [measurement, at] : which) {
            Measurement& m = report_.measurements[measurement];
            double sum = 0, reached = 1;
            for (const double x : values[at]) {
                sum += x;
                reached += x >= *m.value ? 1 : 0;
            }
            const auto draws = static_cast<double>(options_.null_draws);
            m.calibrated_null = {sum / draws, reached / (1 + draws), options_.null_draws};
            if (set_.requests[measurement].facts->null_replaces_note) m.note.clear();
        }
    }

    // Where the metric is in the list, added with its parts if need be; nothing for metrics that
    // have no null.
    std::optional<std::size_t> null_metric(const MetricRequest& request,
                                           std::vector<NullMetric>& metrics) {
        for (std::size_t k = 0; k < metrics.size(); ++k) {
            if (metrics[k].request == request) return k;
        }
        if (!request.facts->calibrated_null) return std::nullopt;
        NullMetric metric{request};
        switch (request.facts->source) {
            case Source::class_wise:
                metric.top_label = request.parameters.at("variant") == "top_label";
                metric.sums =
                    &adaptive_.sums(std::stoi(request.parameters.at("bins")), metric.top_label);
                break;
            case Source::ordered:
            case Source::equal_width:
            case Source::ranked:
            case Source::rescaled:
                return std::nullopt;  // none of these has a null yet
            case Source::accumulated:
                metric.accumulator = request.facts->accumulate(states_.context(request));
                break;
            case Source::composite:
                for (const auto part : request.facts->parts) {
                    const auto at = null_metric(parse_metric(part), metrics);
                    if (!at) return std::nullopt;
                    metric.parts.push_back(*at);
                }
                break;
        }
        metrics.push_back(metric);
        return metrics.size() - 1;
    }

    const RowReader& reader_;
    const PredictionStore& store_;
    const LabelSets& labels_;
    const ScoreOptions& options_;
    const std::string subgroup_;
    Comm& comm_;
    const Keep keep_;
    const ProgressCallback& progress_;
    ScoredRows rows_;
    const Shape shape_;
    const int threads_;
    MetricStates states_;
    AdaptiveBins adaptive_;
    ColumnMetrics columns_;
    std::mutex mutex_;
    std::vector<std::int64_t> sampled_;
    std::map<Order, std::vector<ConfidentItem>> in_order_;
    ScoredSet set_;
    ScoreReport& report_ = set_.report;
};

}  // namespace

std::optional<Interval> interval_of(double value, std::span<const double> without,
                                    std::span<const double> replicates, double level) {
    if (without.size() < 2) return std::nullopt;
    if (replicates.size() < 2) {
        return symmetric_interval(value, jackknife_standard_error(without), level, "jackknife",
                                  static_cast<double>(without.size() - 1));
    }
    double mean = 0, squares = 0;
    for (const double x : replicates) mean += x;
    mean /= static_cast<double>(replicates.size());
    for (const double x : replicates) squares += (x - mean) * (x - mean);
    return symmetric_interval(value,
                              std::sqrt(squares / static_cast<double>(replicates.size() - 1)),
                              level, "bootstrap.normal");
}

ScoredSet score_set(const RowReader& reader, const Truth& truth, const ScoreOptions& options,
                    std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm,
                    Keep keep, const ProgressCallback& progress) {
    return Scoring(reader, truth, options, std::move(rows), subgroup, comm, keep, progress).run();
}

}  // namespace assay
