#include "metric/class_curves.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/statistics.h"

namespace assay {

ClassCurves::ClassCurves(const ClassPositives& positives, const ClassRanks& ranks,
                         std::span<const std::int64_t> counts, std::uint64_t items,
                         CurveOptions options)
    : positives_(positives),
      ranks_(ranks),
      counts_(counts),
      items_(static_cast<double>(items)),
      options_(options),
      areas_(positives.classes()) {
    for (std::uint32_t c = 0; c < positives.classes(); ++c) {
        if (options.only && c != *options.only) continue;
        const std::uint64_t p = positives.of(c);
        if (p == 0 || (options.curve == Curve::roc && p == items)) continue;
        areas_[c] = area_of(c);
        ++used_;
        all_positives_ += static_cast<double>(p);
    }
    if (used_ == 0) return;
    double sum = 0;
    for (std::uint32_t c = 0; c < positives.classes(); ++c) {
        if (areas_[c]) sum += weight(c) * *areas_[c];
    }
    mean_ = std::min(1.0, sum);
}

double ClassCurves::weight(std::uint32_t c) const {
    return options_.weighted ? static_cast<double>(positives_.of(c)) / all_positives_ : 1.0 / used_;
}

double ClassCurves::negatives(std::uint32_t c, std::size_t slot) const {
    const std::int64_t all = counts_[ranks_.first_slot(c) + slot];
    const std::uint64_t own = slot % 2 == 1 ? ranks_.members(c)[slot / 2] : 0;
    return static_cast<double>(all - static_cast<std::int64_t>(own));
}

double ClassCurves::area_of(std::uint32_t c) const {
    const auto p = static_cast<double>(positives_.of(c));
    const auto members = ranks_.members(c);
    double sum = 0;
    if (options_.curve == Curve::roc) {
        double below = negatives(c, 0);  // whole and half numbers, which are exact
        for (std::size_t j = 0; j < members.size(); ++j) {
            const double at = negatives(c, 2 * j + 1);
            sum += static_cast<double>(members[j]) * (below + at / 2);
            below += at + negatives(c, 2 * j + 2);
        }
        return sum / (p * (items_ - p));
    }
    double hits = 0, all = 0;
    for (std::size_t j = members.size(); j-- > 0;) {
        all += static_cast<double>(members[j]) + negatives(c, 2 * j + 2) + negatives(c, 2 * j + 1);
        hits += static_cast<double>(members[j]);
        sum += static_cast<double>(members[j]) * hits / all;
    }
    return sum / p;
}

void ClassCurves::fill_roc(std::uint32_t c, std::vector<Slot>& slots) const {
    const auto members = ranks_.members(c);
    const auto p = static_cast<double>(positives_.of(c));
    const double m = items_ - p, area = *areas_[c];
    // The spread around a mean of few values is less than the spread around the true value.
    const double few = p > 1 ? std::sqrt(p / (p - 1)) : 1,
                 few_others = m > 1 ? std::sqrt(m / (m - 1)) : 1;
    double below = 0, above = p;
    for (std::size_t s = 0; s < slots.size(); ++s) {
        const double at = s % 2 == 1 ? static_cast<double>(members[s / 2]) : 0;
        above -= at;
        slots[s].negative = ((above + at / 2) / p - area) / m * few_others;
        const double there = negatives(c, s);
        slots[s].positive = ((below + there / 2) / m - area) / p * few;
        below += there;
    }
}

// With TP_k positives among the M_k items at and above the positive k: the area is the mean of
// TP_k / M_k. One more item at x adds 1 to M_k, and a positive also to TP_k, of all k at and below
// x.
void ClassCurves::fill_precision(std::uint32_t c, std::vector<Slot>& slots) const {
    const auto members = ranks_.members(c);
    const auto p = static_cast<double>(positives_.of(c));
    const double area = *areas_[c], few = p > 1 ? std::sqrt(p / (p - 1)) : 1;
    std::vector<double> hits(members.size()), all(members.size());
    double h = 0, a = 0;
    for (std::size_t j = members.size(); j-- > 0;) {
        a += static_cast<double>(members[j]) + negatives(c, 2 * j + 2) + negatives(c, 2 * j + 1);
        h += static_cast<double>(members[j]);
        hits[j] = h;
        all[j] = a;
    }
    double gain = 0, loss = 0;
    for (std::size_t s = 0; s < slots.size(); ++s) {
        if (s % 2 == 1) {
            const std::size_t j = s / 2;
            gain += static_cast<double>(members[j]) / all[j];
            loss += static_cast<double>(members[j]) * hits[j] / (all[j] * all[j]);
            slots[s].positive = (hits[j] / all[j] - area + gain - loss) / p * few;
        }
        slots[s].negative = -loss / p;
    }
}

std::vector<ClassCurves::Slot> ClassCurves::slots_of(std::uint32_t c) const {
    std::vector<Slot> slots(2 * ranks_.values(c).size() + 1);
    options_.curve == Curve::roc ? fill_roc(c, slots) : fill_precision(c, slots);
    return slots;
}

std::vector<std::int64_t> ClassCurves::by_slot() const {
    std::vector<std::int64_t> table(ranks_.slots());
    for (std::uint32_t c = 0; c < ranks_.classes(); ++c) {
        if (!areas_[c]) continue;
        const std::vector<Slot> slots = slots_of(c);
        const double scale = weight(c) * items_ / influence_unit;
        for (std::size_t s = 0; s < slots.size(); ++s)
            table[ranks_.first_slot(c) + s] = std::llround(slots[s].negative * scale);
    }
    return table;
}

// A positive is among those that reach its own score. This makes a precision over few items too
// high. The amount is the excess over the precision among all others that reach the score.
double ClassCurves::own_share(std::uint32_t c) const {
    const auto members = ranks_.members(c);
    double hits = 0, all = 0, sum = 0;
    for (std::size_t j = members.size(); j-- > 0;) {
        all += static_cast<double>(members[j]) + negatives(c, 2 * j + 2) + negatives(c, 2 * j + 1);
        hits += static_cast<double>(members[j]);
        // If only one positive is at the top, it gives no information about the others.
        const double others = all > 1 ? (hits - 1) / (all - 1) : 1;
        sum += static_cast<double>(members[j]) * (hits / all - others);
    }
    return sum / static_cast<double>(positives_.of(c));
}

Interval area_interval(double area, double variance, double positives, double degrees,
                       double level) {
    const double spread = area * (1 - area);
    double size = positives;
    if (variance > 0 && spread > 0)
        size = spread / (variance + 2 * spread / (positives * positives));
    const double z = degrees > 0 ? student_t_quantile(0.5 + level / 2, degrees)
                                 : normal_quantile(0.5 + level / 2);
    return wilson_of_size(area, size, z, level, "influence.wilson");
}

/// The interval of an area that is `bias` too high. The uncertainty of the correction is about as
/// large as the correction. `squares`: of the variance's parts, each by its degrees of freedom.
static Interval corrected_interval(double area, double bias, double variance, double squares,
                                   double positives, double level) {
    const double degrees = squares > 0 ? std::max(1.0, variance * variance / squares) : 0;
    Interval interval =
        area_interval(area - bias, variance + bias * bias / 2, positives, degrees, level);
    interval.high = std::max(interval.high, area);
    return interval;
}

Estimate ClassCurves::class_estimate(std::uint32_t c) const {
    Estimate result;
    result.unit = Unit::proportion;
    result.n = static_cast<std::uint64_t>(items_);
    const auto p = static_cast<double>(positives_.of(c));
    if (!areas_[c]) {
        result.undefined = p == 0 ? "no image of this class" : "all images are of this class";
        return result;
    }
    result.value = *areas_[c];
    if (p == 1) {
        result.note = "no interval: one image of this class";
        return result;
    }
    const std::vector<Slot> slots = slots_of(c);
    const auto members = ranks_.members(c);
    double of_positives = 0, of_negatives = 0;
    for (std::size_t s = 0; s < slots.size(); ++s) {
        of_negatives += negatives(c, s) * slots[s].negative * slots[s].negative;
        if (s % 2 == 1)
            of_positives +=
                static_cast<double>(members[s / 2]) * slots[s].positive * slots[s].positive;
    }
    const double bias = options_.curve == Curve::precision_recall ? own_share(c) : 0;
    const double variance = of_positives + of_negatives;
    const double squares = of_positives * of_positives / std::max(1.0, p - 1) +
                           of_negatives * of_negatives / std::max(1.0, items_ - p - 1);
    result.interval = corrected_interval(*result.value, bias, variance, squares, p, options_.level);
    return result;
}

ResampledEstimate ClassCurves::estimate(std::span<const std::int64_t> sums,
                                        std::span<const std::uint16_t> groups) const {
    ResampledEstimate result;
    result.n = static_cast<std::uint64_t>(items_);
    result.value = mean_;
    std::vector<double> influence(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        influence[i] = static_cast<double>(sums[i]) * (influence_unit / items_);
    // Until now, every item counted as a negative of every class.
    const std::vector<std::int64_t> table = by_slot();
    std::vector<std::uint32_t> rarest(sums.size(), ranks_.classes());
    double bias = 0, inverse = 0;
    // A class with one positive gives no information about how its positives vary: the spread of
    // the other classes is used.
    std::pair<double, double> spread_of_many;  // squares, degrees of freedom
    double alone = 0;
    for (std::uint32_t c = 0; c < ranks_.classes(); ++c) {
        if (!areas_[c]) continue;
        const std::vector<Slot> slots = slots_of(c);
        const double w = weight(c);
        const auto p = static_cast<double>(positives_.of(c));
        inverse += w * w / p;
        if (p == 1) alone += w * w;
        if (options_.curve == Curve::precision_recall) bias += w * own_share(c);
        for (std::uint64_t k = positives_.first[c]; k < positives_.first[c + std::size_t{1}]; ++k) {
            const auto item = static_cast<std::size_t>(positives_.item[k]);
            const std::size_t s = ranks_.slot_of_positive(static_cast<std::size_t>(k));
            double mine = w * slots[s].positive;
            if (p > 1) {
                spread_of_many.first += slots[s].positive * slots[s].positive * p * (p - 1);
                spread_of_many.second += (p - 1) / p;
            }
            if (options_.weighted) mine += (*areas_[c] - *mean_) / all_positives_;
            influence[item] += mine - static_cast<double>(table[ranks_.first_slot(c) + s]) *
                                          (influence_unit / items_);
            std::uint32_t& least = rarest[item];
            if (least == ranks_.classes() || positives_.of(c) < positives_.of(least)) least = c;
        }
    }
    // There is one part for each rarest class of an item, and one for items that are not a
    // positive. The parts give the number of draws behind the variance.
    std::vector<double> parts(ranks_.classes() + std::size_t{1}), sizes(parts.size());
    std::vector<double> of_group(group_count, 0.0), members(group_count, 0.0);
    for (std::size_t i = 0; i < influence.size(); ++i) {
        if (groups[i] >= group_count) continue;
        parts[rarest[i]] += influence[i] * influence[i];
        sizes[rarest[i]] += 1;
        of_group[groups[i]] += influence[i];
        members[groups[i]] += 1;
    }
    double variance = 0, squares = 0;
    for (std::size_t c = 0; c < parts.size(); ++c) {
        variance += parts[c];
        squares += parts[c] * parts[c] / std::max(1.0, sizes[c] - 1);
    }
    for (std::size_t g = 0; g < group_count; ++g) {
        if (members[g] == 0) continue;
        const double left = items_ - members[g];
        result.without.push_back(left > 0 ? *mean_ - of_group[g] * items_ / left : *mean_);
    }
    if (spread_of_many.second > 0) {
        const double one = spread_of_many.first / spread_of_many.second * alone;
        variance += one;
        squares += one * one / spread_of_many.second;
    }
    result.standard_error = std::sqrt(variance);
    if (alone > 0 && spread_of_many.second == 0) {
        result.note = "no interval: no class has two positives";
        result.standard_error.reset();
        result.no_interval = true;
        return result;
    }
    result.interval =
        corrected_interval(*mean_, bias, variance, squares, 1 / inverse, options_.level);
    return result;
}

}  // namespace assay
