// Metrics from the order of a classifier's confidences. Some give the results if it answered only
// when it is confident (Geifman and El-Yaniv 2017). Others measure how far mean confidence differs
// from accuracy (Gupta et al. 2021).
//
// Items with equal confidence have no order among themselves. Each of them counts as the mean of
// all, so that no value depends on the order of the data set.
#include <algorithm>
#include <cmath>

#include "metric/families.h"
#include "metric/order.h"

namespace assay::families {
namespace {

using Items = std::span<const ConfidentItem>;

Estimate order_value(const MetricContext& context, Items items) {
    Estimate value;
    value.n = items.size();
    if (!context.shape.probabilities) {
        value.undefined = no_probabilities;
    } else if (items.empty()) {
        value.undefined = "no item has a single label";
    }
    return value;
}

// Visits (items so far, errors so far), item by item; errors among equal confidences are spread
// evenly.
template <class Visit>
void each_coverage(Items items, Visit&& visit) {
    double errors = 0;
    for (std::size_t first = 0; first < items.size();) {
        std::size_t last = first;
        double wrong = 0;
        while (last < items.size() && items[last].confidence == items[first].confidence)
            wrong += items[last++].correct ? 0 : 1;
        const double part = wrong / static_cast<double>(last - first);
        for (std::size_t i = first; i < last; ++i)
            visit(static_cast<double>(i + 1), errors + part * static_cast<double>(i + 1 - first));
        errors += wrong;
        first = last;
    }
}

double risk_area(Items items) {
    double sum = 0;
    each_coverage(items, [&](double covered, double errors) { sum += errors / covered; });
    return sum / static_cast<double>(items.size());
}

// The area for the best order, in which all hits are before all errors.
double least_risk_area(Items items) {
    std::size_t hits = 0;
    for (const ConfidentItem& item : items) hits += item.correct ? 1 : 0;
    double sum = 0;
    for (std::size_t covered = hits + 1; covered <= items.size(); ++covered)
        sum += static_cast<double>(covered - hits) / static_cast<double>(covered);
    return sum / static_cast<double>(items.size());
}

}  // namespace

Estimate aurc_of(const MetricContext& context, Items items) {
    Estimate value = order_value(context, items);
    if (value.undefined.empty()) value.value = risk_area(items);
    return value;
}

Estimate excess_aurc_of(const MetricContext& context, Items items) {
    Estimate value = order_value(context, items);
    // Two sums of the same terms may differ by rounding if the order is the best.
    if (value.undefined.empty())
        value.value = std::max(0.0, risk_area(items) - least_risk_area(items));
    return value;
}

Estimate covered_accuracy_of(const MetricContext& context, Items items) {
    Estimate value = order_value(context, items);
    if (!value.undefined.empty()) return value;
    const double coverage = std::stod(context.parameters.at("coverage")) / 100;
    const double wanted = std::ceil(coverage * static_cast<double>(items.size()) - 1e-9);
    each_coverage(items, [&](double covered, double errors) {
        if (covered == std::max(1.0, wanted)) value.value = 1 - errors / covered;
    });
    return value;
}

// The greatest distance between the two running sums, from the least confident item upward. It is
// measured only at the end of each group of equal confidences, because these have no order.
Estimate calibration_ks_of(const MetricContext& context, Items items) {
    Estimate value = order_value(context, items);
    if (!value.undefined.empty()) return value;
    double sum = 0, greatest = 0;
    for (std::size_t i = items.size(); i-- > 0;) {
        sum += items[i].confidence - (items[i].correct ? 1 : 0);
        if (i == 0 || items[i - 1].confidence != items[i].confidence)
            greatest = std::max(greatest, std::abs(sum));
    }
    value.value = greatest / static_cast<double>(items.size());
    return value;
}

}  // namespace assay::families
