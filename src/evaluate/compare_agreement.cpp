#include "evaluate/compare_agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/statistics.h"
#include "metric/agreement.h"

namespace assay {
namespace {

// The sums over the images of a subgroup.
struct Sums {
    std::uint64_t n = 0;
    bool yes_or_no = true;
    double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

    void add(double x, double y, bool one_label) {
        ++n;
        yes_or_no = yes_or_no && one_label;
        a += x;
        b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
};

struct Difference {
    Term term;
    PairedAgreement pair;
    double error2 = 0;  // squared standard error
    double degrees = 0;
};

// `slope` is the factor between the values and the values of the sums.
Difference difference_of(const Sums& s, double slope, double level) {
    const auto n = static_cast<double>(s.n);
    const double a = s.a / n, b = s.b / n, degrees = n - 1;
    double va = 0, vb = 0, cov = 0;
    if (s.n > 1) {
        va = std::max(0.0, (s.aa - n * a * a) / degrees);
        vb = std::max(0.0, (s.bb - n * b * b) / degrees);
        cov = (s.ab - n * a * b) / degrees;
    }
    const double correlation =
        va > 0 && vb > 0 ? std::clamp(cov / std::sqrt(va * vb), -1.0, 1.0) : 0;
    const Interval one = mean_interval({s.n, a, va, s.yes_or_no}, level),
                   two = mean_interval({s.n, b, vb, s.yes_or_no}, level);
    const double a_down = a - one.low, a_up = one.high - a, b_down = b - two.low,
                 b_up = two.high - b;
    const double down =
        std::sqrt(std::max(0.0, b_down * b_down - 2 * correlation * b_down * a_up + a_up * a_up));
    const double up =
        std::sqrt(std::max(0.0, b_up * b_up - 2 * correlation * b_up * a_down + a_down * a_down));
    Difference result;
    result.term = {slope * (b - a), slope * std::max(-1.0, b - a - down),
                   slope * std::min(1.0, b - a + up)};
    result.pair = {s.n, a, b, std::max(0.0, va + vb - 2 * cov), va, vb};
    const double error2 = result.pair.variance / n;
    result.error2 =
        error2 < 1e-24 ? 0 : slope * slope * error2;  // equal columns only have rounding errors
    result.degrees = degrees;
    return result;
}

void test(PairedMetric& pair, const std::vector<Difference>& differences) {
    double error2 = 0, satterthwaite = 0;
    for (const Difference& d : differences) {
        error2 += d.error2;
        if (d.degrees > 0) satterthwaite += d.error2 * d.error2 / d.degrees;
    }
    pair.test = "paired.t";
    if (error2 > 0) {
        const auto terms = static_cast<double>(differences.size());
        const double statistic = std::abs(*pair.difference.value) * terms / std::sqrt(error2);
        pair.p = std::min(1.0, 2 * student_t_tail(statistic, error2 * error2 / satterthwaite));
    } else if (std::abs(*pair.difference.value) < 1e-12) {
        pair.p = 1;
    }
}

}  // namespace

void agreement_difference(PairedMetric& pair, const MetricRequest& request,
                          std::span<const std::uint32_t> labels, std::uint32_t classes,
                          const ScoredSet& baseline, const ScoredSet& candidate, double level) {
    const Agreement named = agreement_named(request.parameters.at("agreement"));
    // One term per subgroup, or a single term for the mean over all images.
    const std::optional<std::vector<int>> chosen = request.labels_per_image();
    const bool together = !chosen;
    // At one number of labels, Hamming is a linear function of recall, whose interval takes the
    // single labels into account.
    const bool line = named == Agreement::hamming && !together;
    const Agreement kind = line ? Agreement::recall : named;
    std::map<int, Sums> subgroups;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::uint32_t g = labels[i];
        const std::int32_t x = baseline.records[i].hits, y = candidate.records[i].hits;
        if (g == 0 || x < 0 || y < 0) continue;
        const int key = together ? 0 : static_cast<int>(g);
        if (!together && !std::binary_search(chosen->begin(), chosen->end(), key)) continue;
        subgroups[key].add(agreement_of(kind, g, static_cast<std::uint32_t>(x), classes),
                           agreement_of(kind, g, static_cast<std::uint32_t>(y), classes),
                           g == 1 && kind != Agreement::hamming);
    }
    std::vector<Difference> differences;
    std::vector<PairedAgreement> pairs;
    std::vector<double> weights;
    for (const auto& [g, sums] : subgroups) {
        const double slope = line ? 2.0 * g / classes : 1.0;
        differences.push_back(difference_of(sums, slope, level));
        pairs.push_back(differences.back().pair);
        weights.push_back(slope / static_cast<double>(subgroups.size()));
    }
    pair.difference.value = *pair.candidate.value - *pair.baseline.value;
    Interval interval;
    if (pairs.size() == 1) {
        const Term& term = differences[0].term;
        interval = {term.low, term.high, level, "mover.paired"};
    } else {
        interval = paired_sum_interval(pairs, weights, level);
    }
    interval.low = std::min(interval.low, *pair.difference.value);
    interval.high = std::max(interval.high, *pair.difference.value);
    pair.difference.interval = interval;
    test(pair, differences);
}

void cluster_difference(PairedMetric& pair, const ResampledEstimate& a, const ResampledEstimate& b,
                        const MetricFacts& facts, double alike, double level) {
    Estimate& difference = pair.difference;
    difference.value = *b.value - *a.value;
    const std::size_t groups = std::min(a.without.size(), b.without.size());
    if (groups < 2) {
        difference.note = a.without.empty() ? "no interval: this metric has none for clusters"
                                            : "no interval from a single cluster";
        return;
    }
    std::vector<double> without(groups);
    for (std::size_t g = 0; g < groups; ++g) without[g] = b.without[g] - a.without[g];
    double error = jackknife_standard_error(without);
    if (facts.unit == Unit::proportion && facts.high - facts.low <= 2)
        error =
            std::max(error, alike / static_cast<double>(std::max<std::uint64_t>(difference.n, 1)));
    if (!(error > 0)) {
        difference.note = "no interval: the value is the same without any of the clusters";
        return;
    }
    const auto degrees = static_cast<double>(groups - 1);
    difference.standard_error = error;
    difference.interval =
        symmetric_interval(*difference.value, error, level, "jackknife.clusters.paired", degrees);
    const double width = facts.high - facts.low;
    difference.interval->low = std::max(-width, difference.interval->low);
    difference.interval->high = std::min(width, difference.interval->high);
    pair.test = "jackknife.t.clusters";
    pair.p = std::min(1.0, 2 * student_t_tail(std::abs(*difference.value) / error, degrees));
}

}  // namespace assay
