#include "evaluate/gap/gap_statistics.h"

#include <cmath>

#include <fmt/core.h>

namespace assay {
namespace {

constexpr auto agreement = static_cast<std::size_t>(GapMetric::asma);

// The metric of a block, and its subgroup.
std::size_t metric_of(std::size_t block) {
    return block % 3;
}
std::size_t subgroup_of(std::size_t block) {
    return (block - 3) / 3;
}

void add(std::vector<std::int64_t>& sum, GapCounts part) {
    sum.resize(part.size(), 0);
    for (std::size_t k = 0; k < part.size(); ++k) sum[k] += part[k];
}

}  // namespace

GapStatistics::GapStatistics(const GapScheme& scheme) : scheme_(scheme) {
    const auto made = [&](const MetricRequest& request) {
        Measure measure{&request, {}};
        measure.context.shape = scheme.shape();
        measure.context.parameters = request.parameters;
        measure.context.value_only = true;
        measure.context.labels_per_image = request.labels_per_image().value_or(std::vector<int>());
        return measure;
    };
    top1_ = made(scheme.top1());
    real_ = made(scheme.real());
    if (scheme.asma()) asma_ = made(*scheme.asma());
    for (std::size_t k = 0; k < subgroups(); ++k) {
        agreements_.push_back(made(scheme.agreement(k)));
        stratum_of_.push_back(scheme.strata().of(scheme.strata().subgroups()[k]));
    }
}

const GapStatistics::Measure* GapStatistics::measure(std::size_t block) const {
    if (metric_of(block) == static_cast<std::size_t>(GapMetric::top1))
        return scheme_.no_top1().empty() ? &top1_ : nullptr;
    if (metric_of(block) == static_cast<std::size_t>(GapMetric::real)) return &real_;
    if (block > 3) return &agreements_[subgroup_of(block)];
    return asma_ ? &*asma_ : nullptr;
}

GapCounts GapStatistics::state_of(std::size_t block, GapCounts counts, GapCounts all) const {
    if (metric_of(block) == agreement) return scheme_.label_sets(counts);
    return block < 3 ? all : scheme_.predictions(counts, stratum_of_[subgroup_of(block)]);
}

std::vector<Maybe> GapStatistics::one_side(GapCounts counts) const {
    const std::vector<std::int64_t> all = scheme_.predictions(counts);
    std::vector<Maybe> values(blocks());
    for (std::size_t b = 0; b < values.size(); ++b) {
        if (const Measure* m = measure(b)) values[b] = m->of(state_of(b, counts, all)).value;
    }
    return values;
}

std::vector<Maybe> GapStatistics::both(std::span<const Maybe> first, GapCounts first_counts,
                                       std::span<const Maybe> second,
                                       GapCounts second_counts) const {
    std::vector<Maybe> list(size());
    for (std::size_t b = 0; b < blocks(); ++b) {
        list[at(b, end_first)] = first[b];
        list[at(b, end_second)] = second[b];
        if (!first[b] || !second[b]) continue;
        list[at(b, end_gap)] = *first[b] - *second[b];
        list[at(b, end_absolute)] = std::abs(*first[b] - *second[b]);
    }
    decompose(first_counts, second_counts, list);
    return list;
}

// Numbers of labels that both data sets have are matched. The distribution of the first data set
// over the matched ones is q1. The accuracies within a number of labels are a1 and a2, overall A1
// and A2, and over the matched images M1 and M2.
//   Within = sum q1 (a1 - a2).
//   Composition = (A1 - M1) + (sum q1 a2 - M2) + (M2 - A2).
//   Unmatched = (A1 - M1) + (M2 - A2).
// M1 = sum q1 a1, hence A1 - A2 = composition + within.
void GapStatistics::decompose(GapCounts first, GapCounts second, std::vector<Maybe>& list) const {
    if (!scheme_.no_top1().empty()) return;
    const LabelStrata& strata = scheme_.strata();
    std::vector<std::vector<std::int64_t>> one(strata.pooled_size()), two(strata.pooled_size());
    for (std::size_t s = 0; s < strata.size(); ++s) {
        add(one[strata.pooled(s)], scheme_.predictions(first, s));
        add(two[strata.pooled(s)], scheme_.predictions(second, s));
    }
    std::vector<std::int64_t> matched_one, matched_two;
    double standardised = 0;
    for (std::size_t p = 0; p < one.size(); ++p) {
        const Estimate a = top1_.of(one[p]), b = top1_.of(two[p]);
        if (!a.value || !b.value) continue;
        add(matched_one, one[p]);
        add(matched_two, two[p]);
        standardised += static_cast<double>(a.n) * *b.value;
    }
    if (matched_one.empty()) return;
    const Estimate matched = top1_.of(matched_one);
    standardised /= static_cast<double>(matched.n);
    const double a1 = *top1_.of(scheme_.predictions(first)).value,
                 a2 = *top1_.of(scheme_.predictions(second)).value, m1 = *matched.value,
                 m2 = *top1_.of(matched_two).value;
    list[within()] = m1 - standardised;
    list[composition()] = (a1 - a2) - (m1 - standardised);
    list[unmatched()] = (a1 - m1) + (m2 - a2);
    if (a1 != a2) list[explained()] = *list[composition()] / (a1 - a2);
}

Estimate GapStatistics::value(std::size_t block, GapCounts counts) const {
    const Measure* const of = measure(block);
    return of ? of->of(state_of(block, counts, scheme_.predictions(counts))) : Estimate();
}

Estimate GapStatistics::estimate(std::size_t block, GapCounts counts, const Shape& shape,
                                 double level, const std::string& set) const {
    Estimate value;
    if (const Measure* m = measure(block)) {
        MetricContext context = m->context;
        context.level = level;
        context.value_only = false;
        context.shape.kept = shape.kept;
        context.shape.full_rows = shape.full_rows;
        value =
            m->request->facts->value(context, state_of(block, counts, scheme_.predictions(counts)));
        value.unit = m->request->facts->unit;
        // A metric does not know the data set; top-1 uses other labels than the subgroups.
        if (!value.value) value.undefined = fmt::format("{}: {}", set, value.undefined);
    } else {
        value.undefined = metric_of(block) == agreement
                              ? "no number of labels is present in both data sets"
                              : scheme_.no_top1();
        return value;
    }
    if (value.value || metric_of(block) == agreement) return value;
    const bool top1 = metric_of(block) == static_cast<std::size_t>(GapMetric::top1);
    const std::string what = top1 ? " a single label" : " a valid label";
    if (block < 3) {
        value.undefined = fmt::format("no scored image of {} has{}", set, what);
        return value;
    }
    const std::uint32_t g = scheme_.strata().subgroups()[subgroup_of(block)];
    const std::string labels = fmt::format("{} label{}", g, g == 1 ? "" : "s");
    value.undefined = top1 ? fmt::format("no scored image of {} with {} has{}", set, labels, what)
                           : fmt::format("no scored image of {} has {}", set, labels);
    return value;
}

std::string GapStatistics::decomposition_reason(GapCounts first, GapCounts second) const {
    if (!scheme_.no_top1().empty()) return scheme_.no_top1();
    for (const GapCounts counts : {first, second}) {
        if (!top1_.of(scheme_.predictions(counts)).value) return "top-1 is undefined";
    }
    return "the two data sets have no number of labels in common";
}

}  // namespace assay
