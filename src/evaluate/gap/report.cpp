#include "report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/statistics.h"
#include "ordering.h"
#include "uncertainty.h"

namespace assay {
namespace {

// Fills the values of a report from lists of statistics: of one model, or of the mean over models.
class Writer {
public:
    Writer(const GapStatistics& statistics, const GapInput& input, double level)
        : statistics_(statistics), input_(input), level_(level) {}

    // `counts` of one model: its proportions get closed-form intervals. `mean`: an average over
    // models.
    void fill(const LeaveOuts& lists, const std::array<std::vector<std::int64_t>, 2>& counts,
              const MeanLeaveOuts* mean) {
        lists_ = &lists;
        counts_ = &counts;
        mean_ = mean;
    }
    GapPair pair(std::size_t block) const;
    std::vector<GapSubgroup> subgroups() const;
    GapDecomposition decomposition(const GapValue& gap) const;

private:
    GapValue value(std::size_t k, double low, double high) const;
    std::uint64_t images(std::size_t block, std::size_t set) const {
        return statistics_.images(block, (*counts_)[set]);
    }

    const GapStatistics& statistics_;
    const GapInput& input_;
    double level_;
    const LeaveOuts* lists_ = nullptr;
    const std::array<std::vector<std::int64_t>, 2>* counts_ = nullptr;
    const MeanLeaveOuts* mean_ = nullptr;
};

GapValue Writer::value(std::size_t k, double low, double high) const {
    GapValue v;
    v.value = lists_->whole[k];
    if (mean_ != nullptr) v.models = mean_->models(k);
    if (!v.value) return v;
    v.interval = jackknife_interval(*lists_, k, level_, v.no_interval);
    if (v.interval) {
        v.interval->low = std::max(low, v.interval->low);
        v.interval->high = std::min(high, v.interval->high);
    }
    return v;
}

GapPair Writer::pair(std::size_t block) const {
    GapPair p;
    p.first = value(GapStatistics::at(block, end_first), 0, 1);
    p.second = value(GapStatistics::at(block, end_second), 0, 1);
    p.gap = value(GapStatistics::at(block, end_gap), -1, 1);
    p.absolute = value(GapStatistics::at(block, end_absolute), 0, 1);
    const std::array<GapValue*, 2> sides{&p.first, &p.second};
    std::array<std::optional<GapStatistics::Proportion>, 2> shares;
    for (std::size_t set = 0; set < 2; ++set) {
        GapValue& side = *sides[set];
        side.n = images(block, set);
        shares[set] = statistics_.proportion(block, (*counts_)[set]);
        if (!side.value)
            side.undefined = statistics_.reason(block, (*counts_)[set], input_.sets[set].name);
        if (mean_ == nullptr && shares[set]) {
            side.interval = wilson(shares[set]->hits, shares[set]->n, level_);
            side.no_interval.clear();
        }
    }
    p.gap.n = p.absolute.n = p.first.n + p.second.n;
    if (!p.gap.value) p.gap.undefined = p.first.value ? p.second.undefined : p.first.undefined;
    if (mean_ == nullptr) {
        if (shares[0] && shares[1]) {
            p.gap.interval = unpaired_difference(*shares[0], *shares[1], level_);
            p.gap.no_interval.clear();
        }
        if (p.gap.interval) {
            p.absolute.interval = absolute_interval(*p.gap.interval);
            p.absolute.no_interval.clear();
        }
    }
    p.absolute.undefined = p.gap.undefined;
    return p;
}

std::vector<GapSubgroup> Writer::subgroups() const {
    std::vector<GapSubgroup> list;
    const auto& counts = input_.strata.subgroups();
    for (std::size_t k = 0; k < counts.size(); ++k) {
        list.push_back({counts[k], pair(GapStatistics::block(k, GapMetric::top1)),
                        pair(GapStatistics::block(k, GapMetric::real)),
                        pair(GapStatistics::block(k, GapMetric::asma))});
    }
    return list;
}

GapDecomposition Writer::decomposition(const GapValue& gap) const {
    GapDecomposition d;
    d.composition = value(statistics_.composition(), -1, 1);
    d.within = value(statistics_.within(), -1, 1);
    d.unmatched = value(statistics_.unmatched(), -1, 1);
    d.share = value(statistics_.share(), -1e300, 1e300);
    for (GapValue* part : {&d.composition, &d.within, &d.unmatched, &d.share}) {
        part->n = gap.n;
        if (mean_ != nullptr) part->models = mean_->models(statistics_.within());
        if (!part->value)
            part->undefined = statistics_.decomposition_reason((*counts_)[0], (*counts_)[1]);
    }
    const bool clear = gap.interval && (gap.interval->low > 0 || gap.interval->high < 0);
    if (d.composition.value && !clear) {
        d.share = {};
        d.share.n = gap.n;
        d.share.models = d.composition.models;
        d.share.undefined = "the gap cannot be told from 0, and a share of it means nothing";
    }
    return d;
}

void mark(GapReport& report) {
    std::vector<std::string> names;
    for (const GapModel& model : report.models) names.push_back(model.name);
    for (const std::string& wanted : report.options.marked) {
        const auto found = std::find(names.begin(), names.end(), wanted);
        if (found == names.end())
            throw Error(ErrorCode::usage,
                        fmt::format("no model `{}` to mark{}", wanted, suggest(wanted, names)));
        report.marked.push_back(static_cast<std::size_t>(found - names.begin()));
    }
}

GapWithinMargin within_margin(const std::vector<GapModel>& models, std::size_t metric,
                              double margin) {
    // Differences of decimals are not exact: 63.2 % - 58.2 % comes out just below 5 %, and is not
    // within it.
    margin -= 1e-9;
    GapWithinMargin count;
    std::uint32_t inside = 0, outside = 0, intervals = 0;
    for (const GapModel& model : models) {
        const GapValue& gap = model.metrics[metric].gap;
        if (!gap.value) continue;
        ++count.models;
        count.within += std::abs(*gap.value) < margin ? 1 : 0;
        if (!gap.interval) continue;
        ++intervals;
        inside += gap.interval->low > -margin && gap.interval->high < margin ? 1 : 0;
        outside += gap.interval->low >= margin || gap.interval->high <= -margin ? 1 : 0;
    }
    if (intervals > 0) {
        count.surely_within = inside;
        count.surely_outside = outside;
    }
    return count;
}

const GapValue& side(const GapPair& pair, std::size_t set) {
    return set == 0 ? pair.first : pair.second;
}

std::vector<Maybe> column(const std::vector<GapModel>& models, GapMetric metric, std::size_t set) {
    std::vector<Maybe> values;
    for (const GapModel& model : models)
        values.push_back(side(model.metrics[static_cast<std::size_t>(metric)], set).value);
    return values;
}

GapOrder order_of(const std::vector<GapModel>& models, GapMetric a, std::size_t a_set, GapMetric b,
                  std::size_t b_set) {
    GapOrder order{a, b, static_cast<int>(a_set), static_cast<int>(b_set), {}, {}};
    const auto one = column(models, a, a_set), two = column(models, b, b_set);
    std::vector<double> x, y;
    for (std::size_t i = 0; i < models.size(); ++i) {
        if (!one[i] || !two[i]) continue;
        x.push_back(*one[i]);
        y.push_back(*two[i]);
    }
    order.kendall.value = kendall_tau_b(x, y);
    order.spearman.value = spearman_rho(x, y);
    for (GapValue* v : {&order.kendall, &order.spearman}) {
        v->models = static_cast<std::uint32_t>(x.size());
        if (!v->value)
            v->undefined =
                x.size() < 2
                    ? fmt::format("an order needs two models with both values, there {} {}",
                                  x.size() == 1 ? "is" : "are", x.size())
                    : "all models have the same value";
    }
    return order;
}

void rank_models(GapReport& report) {
    for (const GapMetric metric : gap_metrics) {
        for (std::size_t set = 0; set < 2; ++set) {
            const auto ranks = competition_ranks(column(report.models, metric, set));
            for (std::size_t i = 0; i < ranks.size(); ++i)
                report.models[i].ranks[static_cast<std::size_t>(metric)][set].rank = ranks[i];
        }
    }
    for (GapModel& model : report.models) {
        for (std::size_t set = 0; set < 2; ++set) {
            const std::uint32_t by_top1 = model.ranks[0][set].rank,
                                by_asma = model.ranks[2][set].rank;
            if (by_top1 > 0 && by_asma > 0)
                model.rank_change[set] =
                    static_cast<std::int64_t>(by_top1) - static_cast<std::int64_t>(by_asma);
        }
    }
    for (std::size_t set = 0; set < 2; ++set) {
        std::vector<std::size_t> best;
        for (std::size_t i = 0; i < report.models.size(); ++i) {
            if (report.models[i].ranks[2][set].rank > 0) best.push_back(i);
        }
        std::stable_sort(best.begin(), best.end(), [&](std::size_t i, std::size_t j) {
            return report.models[i].ranks[2][set].rank < report.models[j].ranks[2][set].rank;
        });
        best.resize(std::min(best.size(), report.options.top));
        report.best[set] = std::move(best);
    }
}

void add_boxes(GapReport& report) {
    for (std::size_t k = 0; k < report.subgroups.size(); ++k) {
        for (std::size_t set = 0; set < 2; ++set) {
            GapBox box;
            box.labels = report.subgroups[k];
            box.set = static_cast<int>(set);
            for (const GapModel& model : report.models)
                box.points.push_back(k < model.subgroups.size()
                                         ? side(model.subgroups[k].agreement, set).value
                                         : std::nullopt);
            box.box = box_numbers(box.points);
            report.boxes.push_back(std::move(box));
        }
    }
}

}  // namespace

std::vector<std::size_t> report_order(std::span<const Maybe> top1,
                                      std::span<const std::string> names) {
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        if (top1[i].has_value() != top1[j].has_value()) return top1[i].has_value();
        if (top1[i] && *top1[i] != *top1[j]) return *top1[i] > *top1[j];
        return names[i] < names[j];
    });
    return order;
}

void describe_models(GapReport& report) {
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        std::vector<Maybe> gaps;
        for (const GapModel& model : report.models) gaps.push_back(model.metrics[m].gap.value);
        report.average.between[m] = between_models(gaps);
        report.average.within_margin[m] = within_margin(report.models, m, report.options.margin);
    }
    rank_models(report);
    using enum GapMetric;
    for (std::size_t set = 0; set < 2; ++set) {
        report.orders.push_back(order_of(report.models, top1, set, real, set));
        report.orders.push_back(order_of(report.models, top1, set, asma, set));
    }
    for (const GapMetric metric : gap_metrics)
        report.orders.push_back(order_of(report.models, metric, 0, metric, 1));
    add_boxes(report);
    mark(report);
}

GapReport assemble_gap(GapInput& input, const GapOptions& options) {
    if (input.models.empty()) throw Error(ErrorCode::usage, "no model to compare");
    const GapStatistics statistics(input.strata, input.classes, options.agreement);
    const std::size_t slots = gap_state_size(input.strata);
    std::vector<Maybe> top1;
    std::vector<std::string> names;
    for (const GapInput::Model& model : input.models) {
        const auto counts = summed_groups(model.states[0], slots);
        top1.push_back(statistics.one_side(counts)[GapStatistics::block(GapMetric::top1)]);
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
    report.subgroups = input.strata.subgroups();
    Writer writer(statistics, input, options.level);
    MeanLeaveOuts sums;
    // Of the averages: the most that any model has, and what the others lack shows in their own
    // numbers.
    std::array<std::vector<std::int64_t>, 2> most{std::vector<std::int64_t>(slots, 0),
                                                  std::vector<std::int64_t>(slots, 0)};
    for (const GapInput::Model& from : input.models) {
        const std::array<std::vector<std::int64_t>, 2> counts{summed_groups(from.states[0], slots),
                                                              summed_groups(from.states[1], slots)};
        const LeaveOuts lists = leave_outs(statistics, from.states[0], from.states[1]);
        sums.add(lists);
        writer.fill(lists, counts, nullptr);
        GapModel& model = report.models.emplace_back();
        model.name = from.name;
        model.not_scored = from.not_scored;
        for (const GapMetric m : gap_metrics)
            model.metrics[static_cast<std::size_t>(m)] = writer.pair(GapStatistics::block(m));
        model.subgroups = writer.subgroups();
        model.decomposition = writer.decomposition(model.metrics[0].gap);
        for (std::size_t set = 0; set < 2; ++set) {
            report.partial = report.partial || from.not_scored[set] > 0;
            for (std::size_t k = 0; k < slots; ++k)
                most[set][k] = std::max(most[set][k], counts[set][k]);
        }
    }
    const LeaveOuts mean = sums.mean(statistics);
    writer.fill(mean, most, &sums);
    for (const GapMetric m : gap_metrics)
        report.average.metrics[static_cast<std::size_t>(m)] = writer.pair(GapStatistics::block(m));
    report.average.subgroups = writer.subgroups();
    report.average.decomposition = writer.decomposition(report.average.metrics[0].gap);
    describe_models(report);
    bootstrap_orders(report, input);
    return report;
}

}  // namespace assay
