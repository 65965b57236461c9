#include "evaluate/cluster_interval.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/statistics.h"

namespace assay::evaluate {
namespace {

constexpr std::string_view clusters_wilson = "wilson.clusters", clusters_t = "jackknife.clusters";

Interval wilson_in_clusters(double p, double n, double effect, double degrees, double level) {
    const double z = normal_quantile(0.5 + level / 2),
                 t = student_t_quantile(0.5 + level / 2, degrees);
    return wilson_of_size(p, n / effect * (z * z) / (t * t), z, level,
                          std::string(clusters_wilson));
}

}  // namespace

double mixed_effect(double found, double alike, double errors) {
    constexpr double few = 3;  // errors count as much as the assumption that clusters are alike
    return std::max(1.0, (errors * found + few * alike) / (errors + few));
}

std::optional<double> cluster_error(const ResampledEstimate& estimate) {
    if (estimate.without.size() < 2) return std::nullopt;
    return jackknife_standard_error(estimate.without);
}

void set_cluster_interval(Estimate& value, const ResampledEstimate& estimate,
                          const MetricFacts& facts, double alike, double level) {
    value.interval.reset();
    value.standard_error.reset();
    if (!value.value) return;
    const auto add_note = [&](std::string_view text) {
        value.note += (value.note.empty() ? "" : "; ") + std::string(text);
    };
    const std::optional<double> error = cluster_error(estimate);
    if (!error) {
        add_note(estimate.without.empty() ? "no interval: this metric has none for clusters"
                                          : "no interval from a single cluster");
        return;
    }
    const auto degrees = static_cast<double>(estimate.without.size() - 1);
    const auto n = static_cast<double>(value.n);
    if (facts.unit == Unit::proportion && facts.low == 0 && facts.high == 1 && value.n > 0) {
        const double p = std::clamp(*value.value, 0.0, 1.0), spread = p * (1 - p);
        const double found = spread > 0 ? *error * *error * n / spread : alike;
        value.interval = wilson_in_clusters(
            p, n, mixed_effect(found, alike, n * std::min(p, 1 - p)), degrees, level);
        value.standard_error = error;
        return;
    }
    if (!(*error > 0)) {
        add_note("no interval: the value is the same without any of the clusters");
        return;
    }
    value.standard_error = error;
    value.interval =
        symmetric_interval(*value.value, *error, level, std::string(clusters_t), degrees);
    value.interval->low = std::max(facts.low, value.interval->low);
    value.interval->high = std::min(facts.high, value.interval->high);
}

Interval cluster_proportion(std::span<const std::uint64_t> items,
                            std::span<const std::uint64_t> hits, double level) {
    double n = 0, correct = 0, squares = 0, groups = 0, residuals = 0;
    for (std::size_t g = 0; g < items.size(); ++g) {
        const auto own = static_cast<double>(items[g]);
        n += own;
        correct += static_cast<double>(hits[g]);
        squares += own * own;
        groups += items[g] > 0 ? 1 : 0;
    }
    const double p = correct / n, spread = p * (1 - p), alike = squares / n;
    if (groups < 2)
        return wilson_of_size(p, 1, normal_quantile(0.5 + level / 2), level,
                              std::string(clusters_wilson));
    for (std::size_t g = 0; g < items.size(); ++g) {
        const double residual = static_cast<double>(hits[g]) - p * static_cast<double>(items[g]);
        residuals += residual * residual;
    }
    const double found = spread > 0 ? residuals * groups / (groups - 1) / (n * spread) : alike;
    return wilson_in_clusters(
        p, n, std::min(alike, mixed_effect(found, alike, std::min(correct, n - correct))),
        groups - 1, level);
}

}  // namespace assay::evaluate
