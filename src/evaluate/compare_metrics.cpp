#include "evaluate/compare_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/statistics.h"
#include "evaluate/compare_agreement.h"
#include "evaluate/kappa.h"

namespace assay {
namespace {

// If every agreement is yes or no (every counted item has one valid class), it is an accuracy: the
// items are as in hits_of(). Returns nothing if some agreements are not.
std::optional<std::vector<std::uint8_t>> one_label_hits(const MetricRequest& request,
                                                        const ScoredSet& set,
                                                        std::span<const std::uint32_t> labels) {
    if (request.parameters.at("agreement") == "hamming") return std::nullopt;
    const std::optional<std::vector<int>> chosen = request.labels_per_image();
    std::vector<std::uint8_t> hits(set.records.size(), 2);
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const auto g = static_cast<int>(labels[i]);
        if (g == 0 || (chosen && !std::binary_search(chosen->begin(), chosen->end(), g))) continue;
        if (g > 1) return std::nullopt;
        hits[i] = set.correct[i];
    }
    return hits;
}

// Which items count for an accuracy, and which of them are correct: 2 means not counted, otherwise
// 0 or 1.
std::vector<std::uint8_t> hits_of(const MetricRequest& request, const ScoredSet& set) {
    if (request.facts->paired == PairedTest::mcnemar_in_set) return set.correct;
    std::vector<std::uint8_t> hits(set.records.size());
    const int k = std::stoi(request.parameters.at("k"));
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const std::int32_t rank = set.records[i].rank;
        hits[i] = set.targets[i] < 0 ? 2 : rank >= 0 && rank < k ? 1 : 0;
    }
    return hits;
}

struct TwoByTwo {
    std::uint64_t both = 0, baseline = 0, candidate = 0, n = 0;
};

TwoByTwo count(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    TwoByTwo table;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 2 || b[i] == 2) continue;
        ++table.n;
        table.both += a[i] & b[i];
        table.baseline += a[i] & (b[i] ^ 1U);
        table.candidate += (a[i] ^ 1U) & b[i];
    }
    return table;
}

void accuracy_difference(PairedMetric& pair, const TwoByTwo& t, double level) {
    const PairedDifference d = paired_difference(t.both, t.candidate, t.baseline, t.n, level);
    pair.difference.value = d.value;
    pair.difference.interval = d.interval;
    pair.counts = mcnemar(t.baseline, t.candidate);
    pair.p = pair.counts->p;
    pair.test = "mcnemar.exact";
}

// Both sides use the same groups and the same bootstrap weights, which gives the spread of the
// difference instead of the sum of two spreads.
void resampled_difference(PairedMetric& pair, const ResampledEstimate& a,
                          const ResampledEstimate& b, const Resampling& how) {
    Estimate& difference = pair.difference;
    difference.value = *b.value - *a.value;
    const auto differences = [](const std::vector<double>& x, const std::vector<double>& y) {
        std::vector<double> d(std::min(x.size(), y.size()));
        for (std::size_t k = 0; k < d.size(); ++k) d[k] = y[k] - x[k];
        return d;
    };
    const auto without = differences(a.without, b.without),
               replicates = differences(a.replicates, b.replicates);
    difference.interval = interval_of(*difference.value, without, replicates, how.level);
    if (!difference.interval) return;
    difference.interval->method += ".paired";
    const bool bootstrap = replicates.size() >= 2;
    const double degrees = static_cast<double>(without.size() - 1);
    const double quantile = bootstrap ? normal_quantile(0.5 + how.level / 2)
                                      : student_t_quantile(0.5 + how.level / 2, degrees);
    const double error = (difference.interval->high - difference.interval->low) / (2 * quantile);
    pair.test = bootstrap ? "bootstrap.normal" : "jackknife.t";
    if (same_but_rounding(difference.interval->low, difference.interval->high)) {
        pair.p = same_but_rounding(*difference.value, 0) ? 1.0 : 0.0;
    } else {
        const double statistic = std::abs(*difference.value) / error;
        pair.p = bootstrap ? 2 * normal_cdf(-statistic) : 2 * student_t_tail(statistic, degrees);
    }
}

}  // namespace

PairedMetric paired(const MetricRequest& request, const ScoredSet& a, const ScoredSet& b,
                    std::size_t i, std::span<const std::uint32_t> labels_per_image,
                    const Resampling& how, double alike, evaluate::PairWeigher* weigher) {
    PairedMetric pair;
    if (weigher != nullptr) weigher->weigh(i);
    pair.baseline = a.report.measurements[i];
    pair.candidate = b.report.measurements[i];
    const MetricRequest& other = b.requests[i];
    if (request != other) {
        throw Error(ErrorCode::usage,
                    fmt::format("the scores of {} and {} are ranked by `{}` and `{}`, which cannot "
                                "be compared: pass --metrics {}:{}={} or {}:{}={}",
                                pair.baseline.key.model, pair.candidate.key.model,
                                pair.baseline.key.definition, pair.candidate.key.definition,
                                request.facts->name, ranked_by, by_probability, request.facts->name,
                                ranked_by, by_stored_score));
    }
    if (pair.baseline.key.definition != pair.candidate.key.definition) {
        throw Error(ErrorCode::internal,
                    fmt::format("`{}` and `{}` are different definitions",
                                pair.baseline.key.definition, pair.candidate.key.definition));
    }
    pair.difference.unit = pair.candidate.unit;
    pair.difference.n = pair.candidate.n;
    if (!pair.baseline.value || !pair.candidate.value) {
        const bool first = !pair.baseline.value;
        pair.difference.undefined =
            fmt::format("undefined for the {}: {}", first ? "baseline" : "candidate",
                        first ? pair.baseline.undefined : pair.candidate.undefined);
        return pair;
    }
    if (weigher != nullptr) {
        weigher->fill_difference(pair, how.level);
        return pair;
    }
    if (alike > 0) {
        cluster_difference(pair, a.estimates[i], b.estimates[i], *request.facts, alike, how.level);
        return pair;
    }
    switch (request.facts->paired) {
        case PairedTest::mcnemar_top_k:
        case PairedTest::mcnemar_in_set:
            accuracy_difference(pair, count(hits_of(request, a), hits_of(request, b)), how.level);
            break;
        case PairedTest::agreement:
            if (const auto one = one_label_hits(request, a, labels_per_image)) {
                accuracy_difference(
                    pair, count(*one, *one_label_hits(request, b, labels_per_image)), how.level);
                break;
            }
            agreement_difference(pair, request, labels_per_image,
                                 static_cast<std::uint32_t>(a.report.per_class.size()), a, b,
                                 how.level);
            break;
        case PairedTest::resampled:
            resampled_difference(pair, a.estimates[i], b.estimates[i], how);
            break;
    }
    return pair;
}

void fill_predictions(PairReport& report, const ScoredSet& a, const ScoredSet& b,
                      const Alignment& rows, const LabelSets& labels, const StringColumn& ids,
                      std::size_t listed, double level) {
    const TwoByTwo table = count(a.correct, b.correct);
    report.both_correct = table.both;
    report.only_baseline_correct = table.baseline;
    report.only_candidate_correct = table.candidate;
    report.both_incorrect = table.n - table.both - table.baseline - table.candidate;
    report.error_consistency = error_consistency(table.both, table.baseline, table.candidate,
                                                 report.both_incorrect, level);
    std::vector<std::size_t> differing;
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        if (a.records[i].predicted == b.records[i].predicted) {
            ++report.same_prediction;
        } else {
            differing.push_back(i);
        }
    }
    const auto surest = [&](std::size_t i) {
        return std::max(a.records[i].confidence, b.records[i].confidence);
    };
    const auto before = [&](std::size_t i, std::size_t j) {
        return surest(i) != surest(j) ? surest(i) > surest(j) : i < j;
    };
    const std::size_t kept = std::min(listed, differing.size());
    std::partial_sort(differing.begin(), differing.begin() + static_cast<std::ptrdiff_t>(kept),
                      differing.end(), before);
    for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t i = differing[k];
        const auto row = static_cast<std::size_t>(rows.baseline[i]);
        report.disagreements.push_back({std::string(ids[row]),
                                        {labels[row].begin(), labels[row].end()},
                                        a.records[i].predicted,
                                        b.records[i].predicted,
                                        a.records[i].confidence,
                                        b.records[i].confidence,
                                        a.correct[i] == 1,
                                        b.correct[i] == 1});
    }
}

}  // namespace assay
