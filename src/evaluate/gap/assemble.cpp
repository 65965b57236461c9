// Computes values with intervals from counts: for each model, and for the averages over models.
#include "evaluate/gap/assemble.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "evaluate/gap/leave_outs.h"
#include "evaluate/gap/store_errors.h"

namespace assay {
namespace {

using SetCounts = std::array<std::vector<std::int64_t>, 2>;

// A statistic with its jackknife interval, clipped to [low, high].
Estimate resampled(const LeaveOuts& lists, std::size_t k, double level, double low, double high) {
    Estimate v;
    v.unit = Unit::proportion;
    v.value = lists.whole[k];
    if (!v.value) return v;
    std::string reason;
    v.interval = jackknife_interval(lists, k, level, reason);
    if (v.interval) {
        v.interval->low = std::max(low, v.interval->low);
        v.interval->high = std::min(high, v.interval->high);
    } else {
        v.note = "no interval: " + reason;
    }
    return v;
}

// The difference between a model's values on two data sets, whose images are independent.
void add_gap(GapPair& p) {
    p.gap.unit = p.absolute.unit = Unit::proportion;
    p.gap.n = p.absolute.n = p.first.n + p.second.n;
    if (!p.first.value || !p.second.value) {
        p.gap.undefined = p.absolute.undefined =
            p.first.value ? p.second.undefined : p.first.undefined;
        return;
    }
    p.gap.value = *p.first.value - *p.second.value;
    p.absolute.value = std::abs(*p.gap.value);
    p.gap.interval = unpaired_difference(p.first, p.second);
    p.absolute.interval = absolute_interval(*p.gap.interval);
}

// The blocks of the statistics in the order of the report.
template <class Pair>
void fill(std::array<GapPair, 3>& metrics, std::vector<GapSubgroup>& subgroups,
          const GapScheme& scheme, Pair&& pair) {
    for (const GapMetric m : gap_metrics)
        metrics[static_cast<std::size_t>(m)] = pair(GapStatistics::block(m));
    const auto& labels = scheme.strata().subgroups();
    for (std::size_t k = 0; k < labels.size(); ++k) {
        subgroups.push_back({labels[k], pair(GapStatistics::block(k, GapMetric::top1)),
                             pair(GapStatistics::block(k, GapMetric::real)),
                             pair(GapStatistics::block(k, GapMetric::asma))});
    }
}

GapDecomposition decomposition(const GapStatistics& statistics, const LeaveOuts& lists,
                               const Estimate& gap, double level, const std::string& undefined) {
    GapDecomposition d;
    d.composition = resampled(lists, statistics.composition(), level, -1, 1);
    d.within = resampled(lists, statistics.within(), level, -1, 1);
    d.unmatched = resampled(lists, statistics.unmatched(), level, -1, 1);
    d.explained = {};
    d.explained.unit = Unit::proportion;
    d.explained.value = lists.whole[statistics.explained()];
    std::string reason;
    d.explained.interval = ratio_interval(
        lists, statistics.composition(),
        GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap), level, reason);
    if (d.explained.value && !d.explained.interval) d.explained.note = "no interval: " + reason;
    const bool clear = gap.interval && (gap.interval->low > 0 || gap.interval->high < 0);
    if (d.composition.value && !clear) {
        d.explained = {};
        d.explained.unit = Unit::proportion;
        d.explained.undefined =
            "the gap is not significantly different from 0, so a proportion of it means nothing";
    }
    for (Estimate* part : {&d.composition, &d.within, &d.unmatched, &d.explained}) {
        part->n = gap.n;
        if (!part->value && part->undefined.empty()) part->undefined = undefined;
    }
    return d;
}

GapModel model_of(const GapInput& input, const GapInput::Model& from,
                  const GapStatistics& statistics, const LeaveOuts& lists, double level) {
    const GapScheme& scheme = statistics.scheme();
    const SetCounts counts{scheme.total(from.states[0]), scheme.total(from.states[1])};
    GapModel model;
    model.name = from.name;
    model.not_scored = from.not_scored;
    fill(model.metrics, model.subgroups, scheme, [&](std::size_t block) {
        GapPair p;
        p.first = statistics.estimate(block, counts[0], from.shapes[0], level, input.sets[0].name);
        p.second = statistics.estimate(block, counts[1], from.shapes[1], level, input.sets[1].name);
        add_gap(p);
        return p;
    });
    model.decomposition = decomposition(statistics, lists, model.metrics[0].gap, level,
                                        statistics.decomposition_reason(counts[0], counts[1]));
    return model;
}

const GapPair& pair_of(const GapModel& model, std::size_t block) {
    if (block < 3) return model.metrics[block];
    const GapSubgroup& s = model.subgroups[(block - 3) / 3];
    const auto metric = static_cast<GapMetric>(block % 3);
    return metric == GapMetric::top1 ? s.top1 : metric == GapMetric::real ? s.real : s.agreement;
}

const Estimate& gap_end(const GapPair& pair, GapEnd end) {
    switch (end) {
        case end_first:
            return pair.first;
        case end_second:
            return pair.second;
        case end_absolute:
            return pair.absolute;
        default:
            return pair.gap;
    }
}

// The interval of a mean over models that share their images. The distance to each end is the mean
// of the distances in the models' own intervals, as if all models erred together. It is multiplied
// by the ratio of the jackknife's standard error of the mean to the mean of the models' standard
// errors, at most 1. One model keeps its interval, and a thousand copies of it have the same
// interval. A mean without spread also has an interval with a width.
std::optional<Interval> shared_interval(const std::vector<GapModel>& models, std::size_t block,
                                        GapEnd end, double value, std::optional<double> error,
                                        double errors) {
    double below = 0, above = 0, count = 0;
    Interval interval;
    for (const GapModel& model : models) {
        const Estimate& one = gap_end(pair_of(model, block), end);
        if (!one.value || !one.interval) continue;
        below += *one.value - one.interval->low;
        above += one.interval->high - *one.value;
        interval.level = one.interval->level;
        interval.method = one.interval->method;
        ++count;
    }
    if (count == 0 || !error) return std::nullopt;
    // Rounding of group sums does not count as spread.
    const double part = errors / count > 1e-12 ? std::min(1.0, *error * count / errors) : 1;
    interval.low = value - part * below / count;
    interval.high = value + part * above / count;
    if (count > 1) interval.method += ".shared";
    return interval;
}

GapAverage average_of(const std::vector<GapModel>& models, const GapStatistics& statistics,
                      const MeanLeaveOuts& sums, std::span<const double> errors, double level) {
    const LeaveOuts lists = sums.mean(statistics);
    GapAverage average;
    fill(average.metrics, average.subgroups, statistics.scheme(), [&](std::size_t block) {
        const auto value = [&](GapEnd end, double low) {
            const std::size_t k = GapStatistics::at(block, end);
            Estimate v = resampled(lists, k, level, low, 1);
            if (!v.value) return v;
            if (const auto shared = shared_interval(models, block, end, *v.value,
                                                    jackknife_error(lists, k), errors[k])) {
                v.interval = shared;
                v.note.clear();
            }
            return v;
        };
        GapPair p{value(end_first, 0), value(end_second, 0), value(end_gap, -1),
                  value(end_absolute, 0)};
        const auto behind = [&](GapEnd end) { return sums.models(GapStatistics::at(block, end)); };
        p.models = {behind(end_first), behind(end_second), behind(end_gap)};
        // The largest number of images of any model: what the others lack shows in their own n. A
        // value that no model has is undefined for the same reason in all of them.
        for (const GapModel& model : models) {
            const GapPair& one = pair_of(model, block);
            p.first.n = std::max(p.first.n, one.first.n);
            p.second.n = std::max(p.second.n, one.second.n);
        }
        p.gap.n = p.absolute.n = p.first.n + p.second.n;
        const GapPair& any = pair_of(models.front(), block);
        if (!p.first.value) p.first.undefined = any.first.undefined;
        if (!p.second.value) p.second.undefined = any.second.undefined;
        if (!p.gap.value) p.gap.undefined = p.absolute.undefined = any.gap.undefined;
        return p;
    });
    // One model's |gap| has an interval; a mean of several is too large, by how much is told of the
    // three metrics alone.
    for (GapSubgroup& subgroup : average.subgroups) {
        for (GapPair* pair : {&subgroup.top1, &subgroup.real, &subgroup.agreement}) {
            if (pair->models[2] < 2 || !pair->absolute.value) continue;
            pair->absolute.interval.reset();
            pair->absolute.note =
                "no interval: the images' errors make a mean of |gap| too large; mean |gap| by "
                "top-1, ReaL and ASMA is without them";
        }
    }
    average.decomposition = decomposition(statistics, lists, average.metrics[0].gap, level,
                                          models.front().decomposition.composition.undefined);
    average.decomposition.models = sums.models(statistics.within());
    return average;
}

}  // namespace

GapReport assemble_gap(GapInput& input, const GapScheme& scheme, const GapOptions& options) {
    if (input.models.empty()) throw Error(ErrorCode::usage, "no model to compare");
    const GapStatistics statistics(scheme);
    std::vector<Maybe> top1;
    std::vector<std::string> names;
    for (const GapInput::Model& model : input.models) {
        const auto values = statistics.one_side(scheme.total(model.states[0]));
        top1.push_back(values[GapStatistics::block(scheme.no_top1().empty() ? GapMetric::top1
                                                                            : GapMetric::asma)]);
        names.push_back(model.name);
    }
    std::vector<GapInput::Model> sorted;
    for (const std::size_t i : report_order(top1, names))
        sorted.push_back(std::move(input.models[i]));
    input.models = std::move(sorted);

    GapReport report;
    report.source = "stores";
    report.sets = input.sets;
    report.options = options;
    report.subgroups = scheme.strata().subgroups();
    MeanLeaveOuts sums;
    std::vector<double> errors(statistics.size(), 0);  // errors of the models, added
    for (const GapInput::Model& from : input.models) {
        const LeaveOuts lists = leave_outs(statistics, from.states[0], from.states[1]);
        sums.add(lists);
        for (std::size_t k = 0; k < errors.size(); ++k)
            errors[k] += jackknife_error(lists, k).value_or(0);
        report.models.push_back(model_of(input, from, statistics, lists, options.level));
        for (const std::uint64_t missing : from.not_scored)
            report.partial = report.partial || missing > 0;
    }
    report.average = average_of(report.models, statistics, sums, errors, options.level);
    describe_models(report);
    state_about_models(report, noise_of_stores(report, input, statistics));
    return report;
}

}  // namespace assay
