#include "evaluate/gap/statement_parts.h"

#include <cmath>

#include "core/statistics.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/statements/differences.h"

namespace assay {
namespace {

constexpr std::array<std::pair<GapMetric, GapMetric>, 3> metric_pairs{
    {{GapMetric::top1, GapMetric::real},
     {GapMetric::top1, GapMetric::asma},
     {GapMetric::real, GapMetric::asma}}};

using statements::GapCovariance;

GapDifference shown(GapMetric a, GapMetric b, double gap_a, double gap_b,
                    const std::vector<GapCovariance>& covariances, double level) {
    const statements::GapDifference found =
        statements::difference_of_gaps(gap_a, gap_b, covariances, level);
    GapDifference out;
    out.first_metric = a;
    out.second_metric = b;
    out.value.unit = out.share.unit = Unit::proportion;
    put_range(out.value, found.difference, level, "normal");
    if (found.share) {
        put_range(out.share, *found.share, level, "fieller");
    } else {
        out.share.undefined =
            std::string("the gap by ") + std::string(name_of(a)) +
            " is not significantly different from 0, so a proportion of it means nothing";
    }
    return out;
}

/// The models that have both gaps.
std::vector<std::size_t> models_with_gaps(const GapReport& report, std::size_t a, std::size_t b) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < report.models.size(); ++i) {
        const auto& metrics = report.models[i].metrics;
        if (metrics[a].gap.value && metrics[b].gap.value) out.push_back(i);
    }
    return out;
}

/// Covariances of one pair of metrics, over some models of the report.
class PairErrors {
public:
    PairErrors(const GapNoise& noise, std::size_t a, std::size_t b,
               const std::vector<std::size_t>& models)
        : noise_(noise) {
        for (std::size_t set = 0; set < 2; ++set) {
            if (noise.same_groups) {
                factors_[0][set] = statements::selected(*noise.bounds[0][a][set], models);
                factors_[1][set] = statements::selected(*noise.bounds[0][b][set], models);
                continue;
            }
            for (const std::size_t i : models) {
                sizes_[0][set].push_back(noise.sizes[a][set][i]);
                sizes_[1][set].push_back(noise.sizes[b][set][i]);
            }
        }
    }
    std::vector<GapCovariance> of_means() const {
        if (noise_.same_groups) return {statements::covariance_of_means(by(0), by(1))};
        std::vector<GapCovariance> out;
        for (const double models : noise_.model_correlations) {
            for (const double metrics : noise_.metric_correlations)
                out.push_back(statements::covariance_of_means(sizes(), models, metrics));
        }
        return out;
    }
    std::vector<GapCovariance> of_model(std::size_t k) const {
        if (noise_.same_groups) return {statements::covariance_of_model(by(0), by(1), k)};
        std::vector<GapCovariance> out;
        for (const double metrics : noise_.metric_correlations)
            out.push_back(statements::covariance_of_model(sizes(), k, metrics));
        return out;
    }

private:
    statements::MetricFactors by(std::size_t metric) const {
        return {factors_[metric].data(), factors_[metric].data() + 1};
    }
    statements::TableErrors sizes() const {
        return {{sizes_[0][0], sizes_[0][1]}, {sizes_[1][0], sizes_[1][1]}};
    }

    const GapNoise& noise_;
    std::array<std::array<statements::Factor, 2>, 2> factors_;  ///< by [metric][data set]
    std::array<std::array<std::vector<double>, 2>, 2> sizes_;
};

}  // namespace

double normal_half(double variance, double level) {
    return normal_quantile(.5 + level / 2) * std::sqrt(variance);
}

void put_range(Estimate& estimate, const statements::Range& range, double level,
               std::string method) {
    estimate.value = range.value;
    estimate.undefined.clear();
    if (!std::isfinite(range.low) || !std::isfinite(range.high)) return;
    estimate.interval = Interval{range.low, range.high, level, std::move(method)};
    estimate.note.clear();
}

void add_differences(GapReport& report, const GapNoise& noise) {
    if (noise.bounds.empty()) return;
    for (const auto& [first, second] : metric_pairs) {
        const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
        bool known = true;
        for (const std::size_t m : {a, b}) {
            for (std::size_t set = 0; set < 2; ++set)
                known = known && noise.bounds[0][m][set].has_value();
        }
        const std::vector<std::size_t> models = models_with_gaps(report, a, b);
        if (!known || models.empty()) continue;
        const PairErrors errors(noise, a, b, models);
        double mean_a = 0, mean_b = 0;
        for (std::size_t k = 0; k < models.size(); ++k) {
            GapModel& model = report.models[models[k]];
            const double gap_a = *model.metrics[a].gap.value, gap_b = *model.metrics[b].gap.value;
            mean_a += gap_a / static_cast<double>(models.size());
            mean_b += gap_b / static_cast<double>(models.size());
            model.differences.push_back(
                shown(first, second, gap_a, gap_b, errors.of_model(k), report.options.level));
        }
        report.average.differences.push_back(
            shown(first, second, mean_a, mean_b, errors.of_means(), report.options.level));
        report.average.differences.back().value.n = models.size();
    }
}

}  // namespace assay
