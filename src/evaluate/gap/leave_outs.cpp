#include "evaluate/gap/leave_outs.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "core/statistics.h"

namespace assay {

LeaveOuts leave_outs(const GapStatistics& statistics, const GapState& first,
                     const GapState& second) {
    const GapScheme& scheme = statistics.scheme();
    const std::array<const GapState*, 2> states{&first, &second};
    const std::array<std::vector<std::int64_t>, 2> totals{scheme.total(first),
                                                          scheme.total(second)};
    const std::array<std::vector<Maybe>, 2> sides{statistics.one_side(totals[0]),
                                                  statistics.one_side(totals[1])};
    LeaveOuts out;
    out.whole = statistics.both(sides[0], totals[0], sides[1], totals[1]);
    for (std::size_t set = 0; set < 2; ++set) {
        for (std::size_t g = 0; g < group_count; ++g) {
            std::vector<std::int64_t> rest = totals[set];
            scheme.add_group(*states[set], g, -1, rest);
            if (scheme.scored(rest) == scheme.scored(totals[set])) {
                out.without[set].emplace_back();
                continue;
            }
            const auto side = statistics.one_side(rest);
            out.without[set].push_back(set == 0 ? statistics.both(side, rest, sides[1], totals[1])
                                                : statistics.both(sides[0], totals[0], side, rest));
        }
    }
    return out;
}

void MeanLeaveOuts::Sums::add(const std::vector<Maybe>& list) {
    sum.resize(list.size(), 0);
    models.resize(list.size(), 0);
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (!list[k]) continue;
        sum[k] += *list[k];
        ++models[k];
    }
}

void MeanLeaveOuts::add(const LeaveOuts& model) {
    whole_.add(model.whole);
    for (std::size_t set = 0; set < 2; ++set) {
        without_[set].resize(model.without[set].size());
        for (std::size_t g = 0; g < without_[set].size(); ++g) {
            const auto& list = model.without[set][g];
            without_[set][g].add(list.empty() ? model.whole : list);
        }
    }
}

LeaveOuts MeanLeaveOuts::mean(const GapStatistics& statistics) const {
    const auto divided = [&](const Sums& sums) {
        std::vector<Maybe> list(sums.sum.size());
        for (std::size_t k = 0; k < list.size(); ++k) {
            // A model that is missing from a replicate would shift the mean by its own level: the
            // replicate has no value instead.
            if (sums.models[k] > 0 && sums.models[k] == whole_.models[k])
                list[k] = sums.sum[k] / sums.models[k];
        }
        const Maybe gap = list[GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap)];
        const Maybe part = list[statistics.composition()];
        list[statistics.explained()] =
            gap && part && *gap != 0 ? Maybe(*part / *gap) : std::nullopt;
        return list;
    };
    LeaveOuts out;
    out.whole = divided(whole_);
    for (std::size_t set = 0; set < 2; ++set) {
        for (const Sums& sums : without_[set]) out.without[set].push_back(divided(sums));
    }
    return out;
}

namespace {

// For two statistics, the equivalent of jackknife_standard_error() for one.
struct Covariance {
    double aa = 0, ab = 0, bb = 0;
};

// One data set's part; no value if a statistic depends on one group, or there is one group.
std::optional<Covariance> jackknife_covariance(const std::vector<std::vector<Maybe>>& without,
                                               std::size_t a, std::size_t b, double& groups) {
    std::vector<std::pair<double, double>> values;
    for (const auto& list : without) {
        if (list.empty()) continue;
        if (!list[a] || !list[b]) return std::nullopt;
        values.emplace_back(*list[a], *list[b]);
    }
    groups = static_cast<double>(values.size());
    if (values.size() < 2) return std::nullopt;
    double mean_a = 0, mean_b = 0;
    for (const auto& [x, y] : values) {
        mean_a += x / groups;
        mean_b += y / groups;
    }
    Covariance sum;
    for (const auto& [x, y] : values) {
        sum.aa += (x - mean_a) * (x - mean_a);
        sum.ab += (x - mean_a) * (y - mean_b);
        sum.bb += (y - mean_b) * (y - mean_b);
    }
    const double scale = (groups - 1) / groups;
    return Covariance{scale * sum.aa, scale * sum.ab, scale * sum.bb};
}

}  // namespace

std::optional<double> jackknife_error(const LeaveOuts& lists, std::size_t k) {
    if (!lists.whole[k]) return std::nullopt;
    double variance = 0;
    for (const auto& without : lists.without) {
        double groups = 0;
        const auto one = jackknife_covariance(without, k, k, groups);
        if (!one) return std::nullopt;
        variance += one->aa;
    }
    return std::sqrt(variance);
}

std::optional<Interval> ratio_interval(const LeaveOuts& lists, std::size_t numerator,
                                       std::size_t denominator, double level, std::string& reason) {
    if (!lists.whole[numerator] || !lists.whole[denominator]) return std::nullopt;
    const double a = *lists.whole[numerator], b = *lists.whole[denominator];
    if (b == 0) return std::nullopt;  // there is no ratio
    Covariance sum;
    double variance = 0, satterthwaite = 0;
    for (const auto& without : lists.without) {
        double groups = 0;
        const auto one = jackknife_covariance(without, numerator, denominator, groups);
        if (!one) {
            reason = "the value depends on one group of images";
            return std::nullopt;
        }
        sum.aa += one->aa;
        sum.ab += one->ab;
        sum.bb += one->bb;
        // The variance of the numerator minus the estimated ratio times the denominator.
        const double r = a / b, part = one->aa - 2 * r * one->ab + r * r * one->bb;
        variance += part;
        satterthwaite += part * part / (groups - 1);
    }
    if (variance < 1e-24) {
        reason = "the images do not vary";
        return std::nullopt;
    }
    const double t = student_t_quantile(0.5 + level / 2, variance * variance / satterthwaite);
    // Solves (a - r b)^2 <= t^2 (aa - 2 r ab + r^2 bb).
    const double square = b * b - t * t * sum.bb, middle = a * b - t * t * sum.ab,
                 rest = a * a - t * t * sum.aa, root = middle * middle - square * rest;
    if (square <= 0 || root < 0) {
        reason = "the gap is not significantly different from 0, so any proportion of it fits";
        return std::nullopt;
    }
    return Interval{(middle - std::sqrt(root)) / square, (middle + std::sqrt(root)) / square, level,
                    "fieller.jackknife"};
}

std::optional<Interval> jackknife_interval(const LeaveOuts& lists, std::size_t k, double level,
                                           std::string& reason) {
    if (!lists.whole[k]) return std::nullopt;
    double variance = 0, denominator = 0;
    for (const auto& without : lists.without) {
        std::vector<double> values;
        for (const auto& list : without) {
            if (list.empty()) continue;
            if (!list[k]) {
                reason = "the value depends on one group of images";
                return std::nullopt;
            }
            values.push_back(*list[k]);
        }
        if (values.size() < 2) {
            reason = "there is a single image";
            return std::nullopt;
        }
        const double error = jackknife_standard_error(values);
        variance += error * error;
        denominator += error * error * error * error / static_cast<double>(values.size() - 1);
    }
    // This is not exactly 0 because group sums are rounded.
    if (variance < 1e-24) {
        reason = "the images do not vary";
        return std::nullopt;
    }
    return symmetric_interval(*lists.whole[k], std::sqrt(variance), level, "jackknife",
                              variance * variance / denominator);
}

Interval unpaired_difference(const Estimate& first, const Estimate& second) {
    const Interval &one = first.interval.value(), &two = second.interval.value();
    const double p1 = first.value.value(), p2 = second.value.value();
    const bool proportions = one.method == "wilson" && two.method == "wilson";
    return {p1 - p2 - std::hypot(p1 - one.low, two.high - p2),
            p1 - p2 + std::hypot(one.high - p1, p2 - two.low), one.level,
            proportions ? "newcombe.unpaired" : "mover.unpaired"};
}

Interval absolute_interval(const Interval& d) {
    const double a = std::abs(d.low), b = std::abs(d.high);
    return {d.low <= 0 && d.high >= 0 ? 0 : std::min(a, b), std::max(a, b), d.level,
            d.method + ".absolute"};
}

}  // namespace assay
