#include "replication/asking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace assay::replication {
namespace {

/// The |t| of the least-squares slope of y on x, with its error from sums over classes.
double slope_t(const std::vector<double>& x, const std::vector<double>& y,
               const std::vector<std::uint32_t>& classes) {
    const double n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (xx <= 0) return 0;
    const double slope = xy / xx;
    std::map<std::uint32_t, double> by_class;
    for (std::size_t i = 0; i < x.size(); ++i)
        by_class[classes[i]] += (x[i] - mean_x) * (y[i] - mean_y - slope * (x[i] - mean_x));
    double squares = 0;
    for (const auto& [c, sum] : by_class) squares += sum * sum;
    const double units = static_cast<double>(by_class.size());
    if (units < 2 || squares <= 0) return 0;
    return std::abs(slope) / std::sqrt(squares * units / (units - 1)) * xx;
}

}  // namespace

std::optional<AskingCheck> check_asking(const StudySet& set) {
    std::vector<double> log_n, disagreement, frequency;
    std::vector<std::uint32_t> classes;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const double n = set.annotators[i], k = set.selected[i];
        if (n < 2) continue;
        log_n.push_back(std::log(n));
        disagreement.push_back(2 * k * (n - k) / (n * (n - 1)));
        frequency.push_back(k / n);
        classes.push_back(set.classes[i]);
    }
    if (log_n.empty()) return std::nullopt;
    std::vector<double> sorted = log_n;
    std::ranges::sort(sorted);
    if (sorted.front() == sorted.back()) return std::nullopt;
    // With two values, the half with fewer annotators may be the smaller part.
    double middle = sorted[(sorted.size() - 1) / 2];
    if (middle == sorted.back()) middle = *(std::ranges::lower_bound(sorted, middle) - 1);
    AskingCheck check;
    double few = 0, many = 0;
    for (std::size_t i = 0; i < log_n.size(); ++i) {
        (log_n[i] <= middle ? few : many) += 1;
        (log_n[i] <= middle ? check.few : check.many) += disagreement[i];
    }
    check.few /= few;
    check.many /= many;
    check.largest_t =
        std::max(slope_t(log_n, disagreement, classes), slope_t(log_n, frequency, classes));
    return check;
}

}  // namespace assay::replication
