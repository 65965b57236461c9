// A pass computes a metric. Most metrics are sums over rows and need no pass of their own
// (MetricFacts::accumulate). Any other metric provides an object of MetricPass in its row of the
// table. All of score, compare, gap, quality and streams only call the pass and do not distinguish
// kinds of metrics.
//
// A pass has no state, because many threads and scorings share it. Sums that it needs while rows
// are scored are Accumulators: ranks and streams merge them, and streams write them as bytes.
// Results that it computes later, from the sums or by reading the rows again, are stored in a
// PassState of the scoring.
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

/// The data of single items that is kept while rows are scored.
struct KeptItems {
    bool records = false;
    bool odds = false;  ///< log-odds with `records`, if the scores give them
};

/// The sums over all rows that were scored.
class MetricSums {
public:
    virtual ~MetricSums() = default;
    virtual const Shape& shape() const noexcept = 0;
    virtual const Resampling& resampling() const noexcept = 0;
    /// Number of items with a target, by group.
    virtual const std::vector<std::uint64_t>& group_sizes() const noexcept = 0;
    /// The state of the accumulator with this key, which the request's pass named.
    virtual std::span<const std::int64_t> state(const std::string& key) const = 0;
};

/// Gives rounds over the rows after all were scored. All ranks do the same rounds in the same
/// order.
struct PassRows {
    const MetricRows& rows;
    Comm& comm;
    int threads = 1;
    std::uint64_t scratch_bytes = std::uint64_t{64} << 20;
    bool class_map = false;    ///< the classes belong to a map and not to the model
    bool drawn_later = false;  ///< DrawnMetrics will follow

    /// The range [first, second) of this rank's items.
    std::pair<std::uint64_t, std::uint64_t> own_items() const;
    std::pair<std::uint32_t, std::uint32_t> own_classes() const;
};

/// The data that a pass keeps for the other requests of one scoring: a class of its own,
/// constructed on first use.
class PassState {
public:
    virtual ~PassState() = default;
};

/// The input of a pass in one scoring.
class PassRun {
public:
    /// `rows` is nullptr in a stream, which uses only passes with of_sums().
    PassRun(const MetricSums& sums, const PassRows* rows) : sums_(sums), rows_(rows) {}

    const MetricSums& sums() const { return sums_; }
    const PassRows& again() const;
    MetricContext context(const MetricRequest& request) const {
        return {sums_.shape(), request.parameters, sums_.resampling().level};
    }
    /// The estimate of a metric that was prepared, as a part of another or by itself.
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

    /// The requests that a request expands to with the given data, such as one for each level of a
    /// hierarchy.
    virtual std::vector<MetricRequest> requests_for(const MetricRequest& request,
                                                    const GivenTruth&) const {
        return {request};
    }
    /// Other metrics that the value depends on. The functions below return by default what these
    /// need.
    virtual std::vector<MetricRequest> parts() const { return {}; }
    /// The sums that are computed while rows are scored.
    virtual std::vector<std::unique_ptr<Accumulator>> accumulators(
        const MetricRequest& request, const MetricContext& context) const;
    /// `known` means that the scores contain more than predicted classes.
    virtual KeptItems keeps(const MetricRequest& request, bool known) const;
    /// It is computed only from the sums, without the rows: streams support it.
    virtual bool of_sums() const;

    /// Sets parameters that depend on the scores, and returns the reason for people; "" if there
    /// are none. It is called before estimate(), on every rank.
    virtual std::string choose(MetricRequest&, const PassRun&) const { return ""; }
    /// The value, and the data for its interval. Collective.
    virtual ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const = 0;
    /// Returns further information about a value, for people.
    virtual std::string note(const MetricRequest&, const PassRun&) const { return ""; }
    /// The same under labels drawn from the probabilities (MetricFacts::calibrated_null), after
    /// estimate(); nullptr if it has no such form.
    virtual std::unique_ptr<DrawnMetric> drawn(const MetricRequest&, PassRun&, DrawnMetrics&) const;
};

/// The pass of the metric, or the pass of sums over rows if the metric names none.
const MetricPass& pass_of(const MetricRequest& request);

}  // namespace assay
