#include "evaluate/score_set.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "evaluate/calibrated_null.h"
#include "evaluate/cluster_interval.h"
#include "evaluate/metric_states.h"
#include "evaluate/score_tables.h"
#include "evaluate/valid_labels.h"
#include "metric/drawn.h"
#include "metric/pass.h"

namespace assay {
namespace {

/// True if some image may have several valid labels.
bool wants_valid_labels(const Truth& truth, const ScoreOptions& options,
                        std::string_view subgroup) {
    if (!options.by_valid_label || !subgroup.empty()) return false;
    if (options.labels) return true;
    for (std::size_t i = 0; i < truth.labels.size(); ++i)
        if (truth.labels[i].size() > 1) return true;
    return false;
}

KeptItems kept_items(const RowReader& reader, const ScoreOptions& options, Keep keep,
                     bool valid_labels) {
    // If only predicted classes are known, most passes leave a metric undefined without reading
    // anything.
    const bool known = reader.full() || reader.has_probabilities();
    KeptItems kept;
    kept.records = keep == Keep::items || valid_labels || (known && options.null_draws > 0);
    kept.odds = valid_labels && known;
    for (const MetricRequest& request : options.metrics) {
        const KeptItems own = pass_of(request).keeps(request, known);
        kept.records = kept.records || own.records;
        kept.odds = kept.odds || own.odds;
    }
    return kept;
}

class Scoring {
public:
    Scoring(const RowReader& reader, const Truth& truth, const ScoreOptions& options,
            std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm, Keep keep,
            const ProgressCallback& progress)
        : store_(reader.store()),
          options_(options),
          subgroup_(subgroup),
          comm_(comm),
          keep_(keep),
          truth_(truth),
          progress_(progress),
          rows_(reader, truth, std::move(rows),
                kept_items(reader, options, keep, wants_valid_labels(truth, options, subgroup))),
          threads_(resolve_threads(options.threads)),
          states_(rows_.shape(), options.resampling),
          again_{rows_,
                 comm,
                 threads_,
                 options.scratch_bytes,
                 options.map.has_value(),
                 options.null_draws > 0},
          run_(states_, &again_) {
        // The numbers of labels are those of the selected items, so that both sides of a comparison
        // have the same ones.
        std::vector<MetricRequest> requests;
        for (const MetricRequest& request : options.metrics) {
            for (MetricRequest& one : pass_of(request).requests_for(request, truth.given))
                requests.push_back(std::move(one));
        }
        set_.requests = expand_labels_per_image(requests, rows_.label_counts());
    }

    ScoredSet run() {
        for (const MetricRequest& request : set_.requests) states_.prepare(request);
        if (options_.reliability) states_.prepare(*options_.reliability);
        agree(comm_, [&] { pass(); });
        join_ranks();
        std::optional<evaluate::AlikeItems> alike;
        if (truth_.clustered) set_.alike = alike.emplace(std::move(clustered_)).all();
        const MeasuredOn on{store_.spec().model_name, store_.spec().dataset_name, subgroup_,
                            report_.counts.items, set_.alike};
        for (MetricRequest& request : set_.requests) {
            const MetricPass& pass = pass_of(request);
            std::string how;
            agree(comm_, [&] { how = pass.choose(request, run_); });
            set_.estimates.push_back(pass.estimate(request, run_));
            add_notes(set_.estimates.back(), {how, pass.note(request, run_)});
            report_.measurements.push_back(measurement_of(
                request, set_.estimates.back(), states_.shape(), on, options_.resampling.level));
        }
        if (options_.null_draws > 0) add_null();
        report_.labels_per_image = rows_.label_counts();
        states_.fill(report_, options_.reliability ? &*options_.reliability : nullptr,
                     alike ? &*alike : nullptr);
        report_.confusions = most_frequent(states_.confusions(), options_.confusions);
        if (wants_valid_labels(truth_, options_, subgroup_)) add_valid_labels();
        add_kind_warning(report_, store_.spec().kind, sampled_[0], sampled_[1]);
        if (keep_ == Keep::items) fill_predictions(set_, rows_, rows_.labels());
        return std::move(set_);
    }

private:
    void pass() {
        const RankPart units = part_of_rank(rows_.units(), comm_);
        const std::uint64_t total = rows_.first_of(units.end) - rows_.first_of(units.begin);
        parallel_blocks(units.size(), threads_, [&](std::size_t block) {
            throw_if_stopped();
            std::vector<RowFacts> facts;
            ScoreCounts counts;
            rows_.score(units.begin + block, facts, counts);
            states_.add(facts);
            const std::lock_guard lock(mutex_);
            add_counts(report_.counts, counts);
            add_clusters(facts);
            if (progress_) progress_({.done = report_.counts.items, .total = total});
        });
    }

    /// Items without any label count for no metric.
    void add_clusters(std::span<const RowFacts> facts) {
        if (!truth_.clustered) return;
        for (const RowFacts& fact : facts) {
            if (fact.target < 0 && fact.valid == 0) continue;
            const auto row = static_cast<std::size_t>(rows_.row_of(fact.item));
            clustered_.emplace_back(static_cast<std::uint32_t>(fact.target), truth_.cluster[row]);
        }
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
        if (!truth_.clustered) return;
        std::vector<std::uint64_t> mine;
        for (const auto& [cls, cluster] : clustered_)
            mine.push_back(std::uint64_t{cls} << 32U | cluster);
        clustered_.clear();
        for (const auto& part : all_gather<std::uint64_t>(comm_, mine)) {
            for (const std::uint64_t both : part)
                clustered_.emplace_back(static_cast<std::uint32_t>(both >> 32U),
                                        static_cast<std::uint32_t>(both));
        }
    }

    /// Combines what each rank knows about the items.
    template <class T>
    void join_items(std::vector<T>& items) {
        if (items.empty()) return;
        const RankPart units = part_of_rank(rows_.units(), comm_);
        const auto first = static_cast<std::size_t>(rows_.first_of(units.begin));
        const auto last = static_cast<std::size_t>(rows_.first_of(units.end));
        std::vector<T> joined;
        for (const auto& part :
             all_gather<T>(comm_, std::span<const T>(items).subspan(first, last - first)))
            joined.insert(joined.end(), part.begin(), part.end());
        items = std::move(joined);
    }

    static void add_notes(ResampledEstimate& estimate, std::initializer_list<std::string> notes) {
        if (!estimate.value) return;
        for (const std::string& note : notes) {
            if (note.empty()) continue;
            estimate.note += (estimate.note.empty() ? "" : "; ") + note;
        }
    }

    // The values of all ranks. The local value is reset, so that all can be added to it.
    template <class T>
    std::vector<T> exchange(T& mine) {
        std::vector<T> all;
        for (const auto& part : all_gather<T>(comm_, {&mine, 1})) all.push_back(part.at(0));
        mine = T{};
        return all;
    }

    void add_valid_labels() {
        // A measured mean_average_precision and its parts rank alike.
        const auto own = std::ranges::find_if(set_.requests, [](const MetricRequest& request) {
            return request.facts->name == "mean_average_precision";
        });
        report_.valid_labels = count_valid_labels(
            rows_, run_,
            {.tree = truth_.given.tree.get(),
             .clustered = truth_.clustered,
             .confusions = options_.confusions,
             .scores = own == set_.requests.end() ? "auto" : own->parameters.at("scores")});
    }

    // Computes calibration errors again with labels drawn from the probabilities: the part that
    // would remain without any miscalibration.
    void add_null() {
        DrawnMetrics metrics(run_);
        std::vector<std::pair<std::size_t, std::size_t>>
            which;  // the measurement's place among the metrics
        for (std::size_t i = 0; i < set_.requests.size(); ++i) {
            if (!report_.measurements[i].value || !states_.shape().full_rows) continue;
            if (const auto at = metrics.add(set_.requests[i])) which.emplace_back(i, *at);
        }
        if (metrics.size() == 0) return;  // for example if a store does not keep whole rows
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

    const PredictionStore& store_;
    const ScoreOptions& options_;
    const std::string subgroup_;
    Comm& comm_;
    const Keep keep_;
    const Truth& truth_;
    const ProgressCallback& progress_;
    ScoredRows rows_;
    const int threads_;
    MetricStates states_;
    const PassRows again_;
    PassRun run_;
    std::mutex mutex_;
    std::vector<std::int64_t> sampled_;
    std::vector<evaluate::AlikeItems::Item> clustered_;  ///< items that count
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

bool same_but_rounding(double a, double b) {
    return std::abs(a - b) <= 1e-12 * std::max({1.0, std::abs(a), std::abs(b)});
}

ScoredSet score_set(const RowReader& reader, const Truth& truth, const ScoreOptions& options,
                    std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm,
                    Keep keep, const ProgressCallback& progress) {
    return Scoring(reader, truth, options, std::move(rows), subgroup, comm, keep, progress).run();
}

}  // namespace assay
