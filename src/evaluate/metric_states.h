// The sums of a scoring. They are the states of all metrics that are sums, the table of classes,
// confusions, and the number of items in each group.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "core/byte_fields.h"
#include "evaluate/score_tables.h"
#include "metric/pass.h"

namespace assay {

/// Sums of integers: rows may be added by any threads, in any order, and states for other rows can
/// be merged.
class MetricStates final : public MetricSums {
public:
    MetricStates(const Shape& shape, const Resampling& resampling);

    /// Call it before any row: prepares the sums of the metric's pass. The sums of classes always
    /// exist.
    void prepare(const MetricRequest& request);
    /// Thread-safe.
    void add(std::span<const RowFacts> rows);
    /// Adds the sums of another object with the same shape and metrics.
    void merge(const MetricStates& other);
    /// The sums over all ranks. Collective.
    void join(Comm& comm);
    void clear();
    /// Writes all sums, and reads them back into states with the same shape and metrics (others are
    /// refused).
    void write(FieldWriter& out) const;
    void read(FieldReader& in);

    const Shape& shape() const noexcept override { return shape_; }
    const Resampling& resampling() const noexcept override { return resampling_; }
    const std::vector<std::uint64_t>& group_sizes() const noexcept override { return group_sizes_; }
    std::span<const std::int64_t> state(const std::string& key) const override {
        return states_.at(key).sums;
    }
    const ConfusionCounts& confusions() const noexcept { return confusions_; }
    /// Classes, and with `reliability` (prepared) its bins. `alike`: nullptr if items are
    /// independent.
    void fill(ScoreReport& report, const MetricRequest* reliability,
              const evaluate::AlikeItems* alike = nullptr) const;

private:
    struct State {
        std::unique_ptr<Accumulator> accumulator;
        std::vector<std::int64_t> sums;
        std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
    };
    MetricContext context(const MetricRequest& request) const;
    void add_state(std::unique_ptr<Accumulator> accumulator);

    const Shape shape_;
    const Resampling resampling_;
    std::map<std::string, State> states_;  ///< keyed by the accumulators' keys, which metrics share
    std::mutex mutex_;                     ///< for the members below
    ConfusionCounts confusions_;
    std::vector<std::uint64_t> group_sizes_ = std::vector<std::uint64_t>(group_count, 0);
};

/// The parts of a measurement other than its estimate.
struct MeasuredOn {
    std::string model, dataset, subgroup;
    std::uint64_t items = 0;
    double alike = 0;  ///< as in ScoredSet: above 0 if items are in clusters
};
/// Adds the interval from the values without each group, or from replicates.
Measurement measurement_of(const MetricRequest& request, const ResampledEstimate& estimate,
                           const Shape& shape, const MeasuredOn& on, double level);

/// Adds the counts of items.
void add_counts(ScoreCounts& sum, const ScoreCounts& more);

}  // namespace assay
