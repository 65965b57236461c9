// Computes values derived from the models' values: ranks, orders, boxes, spreads.
#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/rank_correlation.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_margin.h"
#include "evaluate/gap/ordering.h"

namespace assay {
namespace {

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
    GapWithinMargin count;
    for (const GapModel& model : models) {
        const Estimate& gap = model.metrics[metric].gap;
        if (!gap.value) continue;
        ++count.models;
        count.within += is_within(*gap.value, margin) ? 1 : 0;
    }
    return count;
}

std::vector<Maybe> column(const std::vector<GapModel>& models, GapMetric metric, std::size_t set) {
    std::vector<Maybe> values;
    for (const GapModel& model : models)
        values.push_back(side(model.metrics[static_cast<std::size_t>(metric)], set).value);
    return values;
}

GapOrder order_of(const std::vector<GapModel>& models, GapMetric a, std::size_t a_set, GapMetric b,
                  std::size_t b_set) {
    GapOrder order{a, b, static_cast<int>(a_set), static_cast<int>(b_set), {}, {}, 0};
    const auto one = column(models, a, a_set), two = column(models, b, b_set);
    std::vector<double> x, y;
    for (std::size_t i = 0; i < models.size(); ++i) {
        if (!one[i] || !two[i]) continue;
        x.push_back(*one[i]);
        y.push_back(*two[i]);
    }
    order.kendall.value = kendall_tau_b(x, y);
    order.spearman.value = spearman_rho(x, y);
    order.models = static_cast<std::uint32_t>(x.size());
    for (Estimate* v : {&order.kendall, &order.spearman}) {
        if (!v->value)
            v->undefined =
                x.size() < 2
                    ? fmt::format("an order needs two models with both values, there {} {}",
                                  x.size() == 1 ? "is" : "are", x.size())
                    : "all models have the same value";
    }
    return order;
}

void change_ranks(GapReport& report, std::size_t set) {
    const auto ranks = rank_pairs(column(report.models, GapMetric::asma, set),
                                  column(report.models, GapMetric::top1, set));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].by > 0) report.models[i].rank_change[set] = ranks[i].change();
    }
}

void rank_models(GapReport& report) {
    for (const GapMetric metric : gap_metrics) {
        for (std::size_t set = 0; set < 2; ++set) {
            const auto ranks = competition_ranks(column(report.models, metric, set));
            for (std::size_t i = 0; i < ranks.size(); ++i)
                report.models[i].ranks[static_cast<std::size_t>(metric)][set].rank = ranks[i];
        }
    }
    for (std::size_t set = 0; set < 2; ++set) change_ranks(report, set);
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

}  // namespace assay
