#include "metric/pass.h"

#include <algorithm>
#include <stdexcept>

#include "collective/rank_part.h"
#include "metric/drawn.h"
#include "metric/metric_rows.h"

namespace assay {
namespace {

/// Computes values from sums over all rows, without one group, or over resampled groups.
class SumsPass final : public MetricPass {
public:
    std::vector<std::unique_ptr<Accumulator>> accumulators(
        const MetricRequest& request, const MetricContext& context) const override {
        std::vector<std::unique_ptr<Accumulator>> list;
        list.push_back(request.facts->accumulate(context));
        return list;
    }
    KeptItems keeps(const MetricRequest&, bool) const override { return {}; }
    bool of_sums() const override { return true; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        const MetricSums& sums = run.sums();
        const auto accumulator = request.facts->accumulate(run.context(request));
        return assay::estimate(request, sums.shape(), *accumulator, sums.state(accumulator->key()),
                               sums.group_sizes(), sums.resampling());
    }

    std::unique_ptr<DrawnMetric> drawn(const MetricRequest& request, PassRun& run,
                                       DrawnMetrics&) const override {
        return std::make_unique<Drawn>(*request.facts, run.context(request));
    }

private:
    class Drawn final : public DrawnMetric {
    public:
        Drawn(const MetricFacts& facts, MetricContext context)
            : facts_(facts),
              context_(std::move(context)),
              accumulator_(facts.accumulate(context_)) {}
        std::size_t slots() const override { return accumulator_->slots(); }
        void add_rows(std::span<std::int64_t> counts,
                      std::span<const RowFacts> rows) const override {
            accumulator_->update(counts, rows);
        }
        double value(std::span<const std::int64_t> counts, std::span<const double>) const override {
            return facts_.value(context_, counts).value.value_or(0);
        }

    private:
        const MetricFacts& facts_;
        const MetricContext context_;
        const std::unique_ptr<const Accumulator> accumulator_;
    };
};

}  // namespace

std::pair<std::uint64_t, std::uint64_t> PassRows::own_items() const {
    const RankPart own = part_of_rank(rows.items(), comm);
    return {own.begin, own.end};
}

std::pair<std::uint32_t, std::uint32_t> PassRows::own_classes() const {
    const RankPart own = part_of_rank(rows.classes(), comm);
    return {static_cast<std::uint32_t>(own.begin), static_cast<std::uint32_t>(own.end)};
}

const PassRows& PassRun::again() const {
    if (rows_ == nullptr) throw std::logic_error("a pass of sums read rows");
    return *rows_;
}

ResampledEstimate PassRun::estimate(const MetricRequest& request) {
    return pass_of(request).estimate(request, *this);
}

std::vector<std::unique_ptr<Accumulator>> MetricPass::accumulators(
    const MetricRequest&, const MetricContext& context) const {
    std::vector<std::unique_ptr<Accumulator>> list;
    for (const MetricRequest& part : parts()) {
        MetricContext own = context;
        own.parameters = part.parameters;
        for (auto& accumulator : pass_of(part).accumulators(part, own))
            list.push_back(std::move(accumulator));
    }
    return list;
}

KeptItems MetricPass::keeps(const MetricRequest&, bool known) const {
    KeptItems all;
    for (const MetricRequest& part : parts()) {
        const KeptItems own = pass_of(part).keeps(part, known);
        all.records = all.records || own.records;
        all.odds = all.odds || own.odds;
    }
    return all;
}

bool MetricPass::of_sums() const {
    const std::vector<MetricRequest> all = parts();
    return !all.empty() && std::ranges::all_of(all, [](const MetricRequest& part) {
        return pass_of(part).of_sums();
    });
}

std::unique_ptr<DrawnMetric> MetricPass::drawn(const MetricRequest&, PassRun&,
                                               DrawnMetrics&) const {
    return nullptr;
}

const MetricPass& pass_of(const MetricRequest& request) {
    static const SumsPass sums;
    return request.facts->pass ? *request.facts->pass : sums;
}

}  // namespace assay
