#include "evaluate/cluster_interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
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

/// The number of items with which Wilson's interval of `p` is as wide as `plain`; at most `n`.
double size_of_width(const Interval& plain, double p, double n, double level) {
    const double z = normal_quantile(0.5 + level / 2), half = (plain.high - plain.low) / 2;
    constexpr double widest = 0.499;  // an interval from 0 to 1 corresponds to no number of items
    const double h = std::clamp(half, 0.0, widest);
    // half width = z / (1 + u) * root of (p (1 - p) / size + u / (4 size)), where u = z^2 / size.
    const double a = 0.25 - h * h, b = 2 * h * h - p * (1 - p);
    const double u = (b + std::sqrt(b * b + 4 * a * h * h)) / (2 * a);
    return u > 0 ? std::min(n, z * z / u) : n;
}

void cover(Interval& interval, const std::optional<Interval>& plain) {
    if (!plain) return;
    interval.low = std::min(interval.low, plain->low);
    interval.high = std::max(interval.high, plain->high);
}

}  // namespace

AlikeItems::AlikeItems(std::vector<Item> items) {
    std::ranges::sort(items);
    std::map<std::uint32_t, double> squares, counts;  // sums of classes
    const auto in_runs = [&](auto&& of_run) {
        for (std::size_t begin = 0; begin < items.size();) {
            std::size_t end = begin;
            while (end < items.size() && items[end] == items[begin]) ++end;
            of_run(items[begin], static_cast<double>(end - begin));
            begin = end;
        }
    };
    in_runs([&](const Item& item, double size) {
        squares[item.first] += size * size;
        counts[item.first] += size;
    });
    for (const auto& [cls, sum] : squares) classes_[cls] = sum / counts[cls];
    for (Item& item : items) item.first = 0;
    std::ranges::sort(items);
    double all = 0;
    in_runs([&](const Item&, double size) { all += size * size; });
    all_ = items.empty() ? 1 : all / static_cast<double>(items.size());
}

double AlikeItems::of_class(std::size_t cls) const {
    const auto found = classes_.find(static_cast<std::uint32_t>(cls));
    return found == classes_.end() ? 1 : found->second;
}

double mixed_effect(double found, double alike, double errors) {
    constexpr double few = 3;  // number of errors that weigh as much as the assumption `alike`
    return std::max(1.0, (errors * found + few * alike) / (errors + few));
}

void set_cluster_interval(Estimate& value, const ResampledEstimate& estimate,
                          const MetricFacts& facts, double alike, double level) {
    const std::optional<Interval> plain = value.interval;
    value.interval.reset();
    value.standard_error.reset();
    if (!value.value || (estimate.no_interval && !plain)) return;  // the note gives the reason
    const auto add_note = [&](std::string_view text) {
        value.note += (value.note.empty() ? "" : "; ") + std::string(text);
    };
    if (estimate.without.size() < 2) {
        add_note(estimate.without.empty() ? "no interval: this metric has none for clusters"
                                          : "no interval from a single cluster");
        return;
    }
    const double error = jackknife_standard_error(estimate.without);
    const auto degrees = static_cast<double>(estimate.without.size() - 1);
    const auto n = static_cast<double>(value.n);
    if (facts.unit == Unit::proportion && facts.low == 0 && facts.high == 1 && value.n > 0) {
        const double p = std::clamp(*value.value, 0.0, 1.0), spread = p * (1 - p);
        // A mean over classes, or over the items of one class, has fewer items than n.
        const double size = plain ? size_of_width(*plain, p, n, level) : n;
        const double found = spread > 0 ? error * error * size / spread : alike;
        value.interval = wilson_in_clusters(
            p, size, mixed_effect(found, alike, size * std::min(p, 1 - p)), degrees, level);
        cover(*value.interval, plain);
        value.standard_error = error;
        return;
    }
    if (!(error > 0)) {
        add_note("no interval: the value is the same without any of the clusters");
        return;
    }
    value.standard_error = error;
    value.interval =
        symmetric_interval(*value.value, error, level, std::string(clusters_t), degrees);
    value.interval->low = std::max(facts.low, value.interval->low);
    value.interval->high = std::min(facts.high, value.interval->high);
    cover(*value.interval, plain);
}

Interval cluster_proportion(std::span<const std::uint64_t> items,
                            std::span<const std::uint64_t> hits, double at_most, double level) {
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
    const double found =
        spread > 0 ? residuals * groups / (groups - 1) / (n * spread) : std::min(alike, at_most);
    const double effect = std::min(
        alike, mixed_effect(found, std::min(alike, at_most), std::min(correct, n - correct)));
    return wilson_in_clusters(p, n, effect, groups - 1, level);
}

}  // namespace assay::evaluate
