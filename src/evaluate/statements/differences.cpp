#include "evaluate/statements/differences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics.h"

namespace assay::statements {
namespace {

void add_means(GapCovariance& sum, const Factor& a, const Factor& b) {
    const auto models = static_cast<double>(a.models());
    for (std::size_t g = 0; g < a.shared.rows; ++g) {
        const double one = mean_of(a.shared.row(g)), two = mean_of(b.shared.row(g));
        sum.aa += one * one;
        sum.ab += one * two;
        sum.bb += two * two;
    }
    sum.aa += sum_of_products(a.own, a.own) / (models * models);
    sum.bb += sum_of_products(b.own, b.own) / (models * models);
}

void add_model(GapCovariance& sum, const Factor& a, const Factor& b, std::size_t model) {
    for (std::size_t g = 0; g < a.shared.rows; ++g) {
        const double one = a.shared.row(g)[model], two = b.shared.row(g)[model];
        sum.aa += one * one;
        sum.ab += one * two;
        sum.bb += two * two;
    }
    sum.aa += a.own[model] * a.own[model];
    sum.bb += b.own[model] * b.own[model];
}

// The covariance of two means over models with errors of these sizes.
double of_means(std::span<const double> p, std::span<const double> q, double correlation) {
    return correlation * mean_of(p) * mean_of(q) +
           (1 - correlation) * sum_of_products(p, q) / static_cast<double>(p.size() * p.size());
}

/// The ends of gap b / gap a.
std::optional<std::pair<double, double>> ratio(double a, double b, const GapCovariance& v,
                                               double z) {
    const double square = a * a - z * z * v.aa;
    if (square <= 0) return std::nullopt;
    const double middle = a * b - z * z * v.ab, rest = b * b - z * z * v.bb;
    const double root = std::sqrt(std::max(0.0, middle * middle - square * rest));
    return std::pair((middle - root) / square, (middle + root) / square);
}

}  // namespace

GapCovariance covariance_of_means(const MetricFactors& a, const MetricFactors& b) {
    GapCovariance sum;
    add_means(sum, *a.first, *b.first);
    add_means(sum, *a.second, *b.second);
    return sum;
}

GapCovariance covariance_of_model(const MetricFactors& a, const MetricFactors& b,
                                  std::size_t model) {
    GapCovariance sum;
    add_model(sum, *a.first, *b.first, model);
    add_model(sum, *a.second, *b.second, model);
    return sum;
}

GapCovariance covariance_of_means(const TableErrors& errors, double models, double metrics) {
    GapCovariance sum;
    for (std::size_t set = 0; set < 2; ++set) {
        sum.aa += of_means(errors.a[set], errors.a[set], models);
        sum.ab += metrics * of_means(errors.a[set], errors.b[set], models);
        sum.bb += of_means(errors.b[set], errors.b[set], models);
    }
    return sum;
}

GapCovariance covariance_of_model(const TableErrors& errors, std::size_t model, double metrics) {
    GapCovariance sum;
    for (std::size_t set = 0; set < 2; ++set) {
        const double a = errors.a[set][model], b = errors.b[set][model];
        sum.aa += a * a;
        sum.ab += metrics * a * b;
        sum.bb += b * b;
    }
    return sum;
}

GapDifference difference_of_gaps(double gap_a, double gap_b,
                                 std::span<const GapCovariance> covariances, double level) {
    const double z = normal_quantile(.5 + level / 2);
    double error = 0;
    bool clear = true;
    Range share{1 - gap_b / gap_a, 1, 0};
    for (std::size_t k = 0; k < covariances.size(); ++k) {
        const GapCovariance& v = covariances[k];
        error = std::max(error, std::sqrt(std::max(0.0, v.aa - 2 * v.ab + v.bb)));
        const auto ends = ratio(gap_a, gap_b, v, z);
        clear = clear && ends.has_value();
        if (!ends) continue;
        share.low = k == 0 ? 1 - ends->second : std::min(share.low, 1 - ends->second);
        share.high = k == 0 ? 1 - ends->first : std::max(share.high, 1 - ends->first);
    }
    const double value = gap_a - gap_b;
    GapDifference out{{value, value - z * error, value + z * error}, std::nullopt};
    if (clear) out.share = share;
    return out;
}

}  // namespace assay::statements
