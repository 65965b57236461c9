#include "evaluate/metric_states.h"

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "evaluate/cluster_interval.h"
#include "evaluate/score_set.h"
#include "metric/class_score_intervals.h"
#include "metric/families.h"

namespace assay {

MetricStates::MetricStates(const Shape& shape, const Resampling& resampling)
    : shape_(shape), resampling_(resampling) {
    // The class table is always filled, because it is part of the report.
    add_state(families::accumulate_classes({shape_, {}, resampling_.level}));
}

MetricContext MetricStates::context(const MetricRequest& request) const {
    return {shape_, request.parameters, resampling_.level};
}

void MetricStates::prepare(const MetricRequest& request) {
    for (auto& accumulator : pass_of(request).accumulators(request, context(request)))
        add_state(std::move(accumulator));
}

void MetricStates::add_state(std::unique_ptr<Accumulator> accumulator) {
    State& state = states_[accumulator->key()];
    if (state.accumulator) return;
    state.sums.assign(accumulator->slots() * (accumulator->grouped() ? group_count : 1), 0);
    state.accumulator = std::move(accumulator);
}

void MetricStates::add(std::span<const RowFacts> rows) {
    for (auto& [key, state] : states_) {
        const std::lock_guard lock(*state.mutex);
        state.accumulator->update(state.sums, rows);
    }
    const std::lock_guard lock(mutex_);
    for (const RowFacts& row : rows) {
        if (row.target < 0) continue;
        if (row.predicted != row.target) ++confusions_[{row.target, row.predicted}];
        ++group_sizes_[row.group];
    }
}

void MetricStates::merge(const MetricStates& other) {
    for (auto& [key, state] : states_) {
        const std::vector<std::int64_t>& more = other.states_.at(key).sums;
        for (std::size_t i = 0; i < state.sums.size(); ++i) state.sums[i] += more[i];
    }
    for (const auto& [pair, count] : other.confusions_) confusions_[pair] += count;
    for (std::size_t g = 0; g < group_sizes_.size(); ++g) group_sizes_[g] += other.group_sizes_[g];
}

void MetricStates::join(Comm& comm) {
    if (comm.size() == 1) return;
    for (auto& [key, state] : states_) comm.all_reduce(state.sums);
    std::vector<std::int64_t> sizes(group_sizes_.begin(), group_sizes_.end());
    comm.all_reduce(sizes);
    group_sizes_.assign(sizes.begin(), sizes.end());
    std::vector<Confusion> pairs;
    for (const auto& [pair, count] : confusions_) pairs.push_back({pair.first, pair.second, count});
    confusions_.clear();
    for (const auto& part : all_gather<Confusion>(comm, pairs)) {
        for (const Confusion& c : part) confusions_[{c.truth, c.predicted}] += c.count;
    }
}

void MetricStates::clear() {
    for (auto& [key, state] : states_) std::ranges::fill(state.sums, 0);
    confusions_.clear();
    std::ranges::fill(group_sizes_, 0U);
}

void MetricStates::write(FieldWriter& out) const {
    out.number(states_.size());
    for (const auto& [key, state] : states_) {
        out.text(key);
        out.number(state.sums.size());
        for (const std::int64_t sum : state.sums) out.small(sum);
    }
    std::vector<Confusion> pairs;
    for (const auto& [pair, count] : confusions_) pairs.push_back({pair.first, pair.second, count});
    std::ranges::sort(pairs, {},
                      [](const Confusion& c) { return std::pair(c.truth, c.predicted); });
    out.number(pairs.size());
    for (const Confusion& c : pairs)
        out.small(c.truth).small(c.predicted).small(static_cast<std::int64_t>(c.count));
    for (const std::uint64_t size : group_sizes_) out.small(static_cast<std::int64_t>(size));
}

void MetricStates::read(FieldReader& in) {
    const auto refuse_other = [] {
        throw Error(ErrorCode::bad_input, "the state belongs to metrics with different options");
    };
    if (in.count() != states_.size()) refuse_other();
    for (auto& [key, state] : states_) {
        if (in.text() != key || in.count() != state.sums.size()) refuse_other();
        for (std::int64_t& sum : state.sums) sum = in.small();
    }
    const std::size_t pairs = in.count();
    for (std::size_t i = 0; i < pairs; ++i) {
        const auto truth = static_cast<std::int32_t>(in.small());
        const auto predicted = static_cast<std::int32_t>(in.small());
        if (truth < 0 || std::cmp_greater_equal(truth, shape_.classes) || predicted < -1 ||
            std::cmp_greater_equal(predicted, shape_.classes))
            throw Error(ErrorCode::bad_input,
                        "the state is damaged: a confusion refers to classes that do not exist");
        confusions_[{truth, predicted}] = static_cast<std::uint64_t>(in.small());
    }
    for (std::uint64_t& size : group_sizes_) size = static_cast<std::uint64_t>(in.small());
}

void MetricStates::fill(ScoreReport& report, const MetricRequest* reliability,
                        const evaluate::AlikeItems* alike) const {
    fill_classes(report, shape_, states_.at("classes").sums, resampling_.level, alike);
    if (reliability == nullptr || !shape_.probabilities) return;
    const MetricContext bins = context(*reliability);
    fill_reliability(report, bins, states_.at(families::accumulate_bins(bins)->key()).sums,
                     alike != nullptr);
}

namespace {

/// Precision and F1 of classes that are weighted by their items.
bool is_weighted_mean(const MetricRequest& request) {
    const auto average = request.parameters.find("average");
    return average != request.parameters.end() && average->second == "weighted" &&
           request.facts->uncertainty == Uncertainty::closed_form;
}

}  // namespace

Measurement measurement_of(const MetricRequest& request, const ResampledEstimate& estimate,
                           const Shape& shape, const MeasuredOn& on, double level) {
    const MetricFacts& facts = *request.facts;
    Measurement m;
    m.key.metric = request.name();
    m.key.definition = request.definition(shape);
    m.key.parameters = request.parameters;
    m.key.model = on.model;
    m.key.dataset = on.dataset;
    m.key.subgroup = on.subgroup;
    static_cast<Estimate&>(m) = estimate;
    m.unit = facts.unit;
    m.left_out = on.items - std::min(on.items, m.n);
    m.higher_is_better = facts.higher_is_better;
    if (on.alike > 0) {
        evaluate::set_cluster_interval(m, estimate, facts, on.alike, level);
        return m;
    }
    if (m.value && !m.interval && !estimate.no_interval && is_weighted_mean(request))
        m.interval =
            weighted_mean_interval(*m.value, estimate.without, static_cast<double>(m.n), level);
    if (!m.value || m.interval || estimate.no_interval ||
        facts.uncertainty == Uncertainty::closed_form)
        return m;
    m.interval = facts.uncertainty == Uncertainty::jackknife_log
                     ? log_interval(*m.value, estimate.without, level)
                     : interval_of(*m.value, estimate.without, estimate.replicates, level);
    // If all items are correct, the jackknife has no spread, and an interval without width would be
    // wrong.
    const bool no_spread = m.interval && same_but_rounding(m.interval->low, m.interval->high);
    if (no_spread) m.interval.reset();
    if (m.interval) {
        m.interval->low = std::max(facts.low, m.interval->low);
        m.interval->high = std::min(facts.high, m.interval->high);
    } else {
        m.note += m.note.empty() ? "" : "; ";
        m.note += estimate.without.size() < 2 ? "no interval from a single item"
                  : no_spread ? "no interval: the value is the same without any of the items"
                              : "no interval: the value is 0 without some of the items";
    }
    return m;
}

void add_counts(ScoreCounts& sum, const ScoreCounts& more) {
    sum.items += more.items;
    sum.missing += more.missing;
    sum.unreadable += more.unreadable;
    sum.not_finite += more.not_finite;
    sum.scored += more.scored;
    sum.unlabelled += more.unlabelled;
    sum.multi_label += more.multi_label;
}

}  // namespace assay
