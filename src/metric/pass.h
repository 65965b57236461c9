// How a metric is computed: a pass. Most metrics are sums over rows, which need none of their own
// (MetricFacts::accumulate); a metric of another kind brings an object of MetricPass in its row of
// the table. score, compare, gap, quality and streams ask the pass and know no kinds.
//
// A pass holds no state, because many threads and scorings share it. What it adds up while rows are
// scored are Accumulators: ranks and streams merge them, and streams write them as bytes. What it
// computes later, from the sums or by reading the rows again, is kept in a PassState of the
// scoring.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "assay/metric/given_truth.h"
#include "assay/metric/metric.h"

namespace assay {

class Comm;
class DrawnMetric;
class DrawnMetrics;
class MetricRows;

/// What is kept of single items while rows are scored.
struct KeptItems {
    bool records = false;
    bool odds = false;  ///< with `records`, where the scores tell them
};

/// The sums over all rows that were scored.
class MetricSums {
public:
    virtual ~MetricSums() = default;
    virtual const Shape& shape() const noexcept = 0;
    virtual const Resampling& resampling() const noexcept = 0;
    /// Items with a target, by group.
    virtual const std::vector<std::uint64_t>& group_sizes() const noexcept = 0;
    /// Of the accumulator with this key, which the request's pass named.
    virtual std::span<const std::int64_t> state(const std::string& key) const = 0;
};

/// For rounds over the rows after all were scored. Ranks do the same rounds in the same order.
struct PassRows {
    const MetricRows& rows;
    Comm& comm;
    int threads = 1;
    std::uint64_t scratch_bytes = std::uint64_t{64} << 20;
    bool class_map = false;    ///< the classes are a map's, not the model's
    bool drawn_later = false;  ///< DrawnMetrics will follow

    /// The parts of this rank, [first, second).
    std::pair<std::uint64_t, std::uint64_t> own_items() const;
    std::pair<std::uint32_t, std::uint32_t> own_classes() const;
};

/// What a pass keeps for the other requests of one scoring: a class of its own, made when first
/// asked for.
class PassState {
public:
    virtual ~PassState() = default;
};

/// What a pass computes from in one scoring.
class PassRun {
public:
    /// `rows`: nullptr in a stream, which asks only passes with of_sums().
    PassRun(const MetricSums& sums, const PassRows* rows) : sums_(sums), rows_(rows) {}

    const MetricSums& sums() const { return sums_; }
    const PassRows& again() const;
    MetricContext context(const MetricRequest& request) const {
        return {sums_.shape(), request.parameters, sums_.resampling().level};
    }
    /// Of a metric that was prepared, as a part of another or by itself.
    ResampledEstimate estimate(const MetricRequest& request);
    template <class State>
    State& state() {
        std::unique_ptr<PassState>& own = states_[typeid(State)];
        if (!own) own = std::make_unique<State>();
        return static_cast<State&>(*own);
    }

private:
    const MetricSums& sums_;
    const PassRows* rows_;
    std::map<std::type_index, std::unique_ptr<PassState>> states_;
};

class MetricPass {
public:
    virtual ~MetricPass() = default;

    /// What a request stands for with what is given, such as one for each level of a hierarchy.
    virtual std::vector<MetricRequest> requests_for(const MetricRequest& request,
                                                    const GivenTruth&) const {
        return {request};
    }
    /// Other metrics that the value is made of. What follows is by default what these need.
    virtual std::vector<MetricRequest> parts() const { return {}; }
    /// What is added up while rows are scored.
    virtual std::vector<std::unique_ptr<Accumulator>> accumulators(
        const MetricRequest& request, const MetricContext& context) const;
    /// `known`: the scores tell more than predicted classes.
    virtual KeptItems keeps(const MetricRequest& request, bool known) const;
    /// Computed from the sums alone, without the rows: streams have it.
    virtual bool of_sums() const;

    /// Sets parameters that leave a choice to the scores, and returns why, for people; "" where
    /// none does. Before estimate(), on every rank.
    virtual std::string choose(MetricRequest&, const PassRun&) const { return ""; }
    /// The value, and what its interval follows from. Collective.
    virtual ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const = 0;
    /// More about a value, for people.
    virtual std::string note(const MetricRequest&, const PassRun&) const { return ""; }
    /// The same under labels drawn from the probabilities (MetricFacts::calibrated_null), after
    /// estimate(); nullptr: it has no such form.
    virtual std::unique_ptr<DrawnMetric> drawn(const MetricRequest&, PassRun&, DrawnMetrics&) const;
};

/// The pass of sums over rows, where the metric names none.
const MetricPass& pass_of(const MetricRequest& request);

}  // namespace assay
