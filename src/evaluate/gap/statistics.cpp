#include "statistics.h"

#include <cmath>

#include <fmt/core.h>

namespace assay {
namespace {

std::int64_t slot_of(GapCounts counts, std::size_t stratum, GapSlot slot) {
    return counts[stratum * gap_slots + slot];
}

Maybe ratio(std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

GapStatistics::GapStatistics(const LabelStrata& strata, std::uint32_t classes,
                             SetAgreement agreement)
    : strata_(strata), classes_(classes), agreement_(agreement) {
    for (const std::uint32_t g : strata.subgroups()) stratum_of_.push_back(strata.of(g));
}

std::int64_t GapStatistics::sum(GapCounts counts, GapSlot slot, std::size_t first_stratum) const {
    std::int64_t total = 0;
    for (std::size_t s = first_stratum; s < strata_.size(); ++s) total += slot_of(counts, s, slot);
    return total;
}

Maybe GapStatistics::subgroup_agreement(std::size_t subgroup, GapCounts counts) const {
    const std::size_t s = stratum_of_[subgroup];
    const std::int64_t n = slot_of(counts, s, slot_scored);
    if (n <= 0 || slot_of(counts, s, slot_unknown) > 0) return std::nullopt;
    return mean_agreement(slot_of(counts, s, slot_agreement), n, strata_.subgroups()[subgroup],
                          classes_, agreement_);
}

std::vector<Maybe> GapStatistics::one_side(GapCounts counts) const {
    std::vector<Maybe> values(blocks());
    values[block(GapMetric::top1)] = ratio(sum(counts, slot_top1, 0), sum(counts, slot_single, 0));
    values[block(GapMetric::real)] = ratio(sum(counts, slot_real, 1), sum(counts, slot_scored, 1));
    double total = 0;
    bool whole = !stratum_of_.empty();
    for (std::size_t k = 0; k < stratum_of_.size(); ++k) {
        const std::size_t s = stratum_of_[k];
        values[block(k, GapMetric::top1)] =
            ratio(slot_of(counts, s, slot_top1), slot_of(counts, s, slot_single));
        values[block(k, GapMetric::real)] =
            ratio(slot_of(counts, s, slot_real), slot_of(counts, s, slot_scored));
        const Maybe agreement = subgroup_agreement(k, counts);
        values[block(k, GapMetric::asma)] = agreement;
        if (agreement) total += *agreement;
        whole = whole && agreement.has_value();
    }
    if (whole) values[block(GapMetric::asma)] = total / static_cast<double>(stratum_of_.size());
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

// Label counts of both data sets are matched. With q1 the distribution of the first over the
// matched ones, a1 and a2 the accuracies within a label count, A1 and A2 overall, M1 and M2 over
// the matched images:
//   within = sum q1 (a1 - a2), composition = (A1 - M1) + (sum q1 a2 - M2) + (M2 - A2), unmatched =
//   (A1 - M1) + (M2 - A2).
// M1 = sum q1 a1, hence A1 - A2 = composition + within.
void GapStatistics::decompose(GapCounts first, GapCounts second, std::vector<Maybe>& list) const {
    struct Part {
        std::int64_t n = 0, hits = 0;
    };
    std::vector<Part> one(strata_.pooled_size()), two(strata_.pooled_size());
    for (std::size_t s = 0; s < strata_.size(); ++s) {
        const std::size_t p = strata_.pooled(s);
        one[p].n += slot_of(first, s, slot_single);
        one[p].hits += slot_of(first, s, slot_top1);
        two[p].n += slot_of(second, s, slot_single);
        two[p].hits += slot_of(second, s, slot_top1);
    }
    Part matched_one, matched_two, all_one, all_two;
    double standardised = 0;
    for (std::size_t p = 0; p < one.size(); ++p) {
        all_one.n += one[p].n;
        all_one.hits += one[p].hits;
        all_two.n += two[p].n;
        all_two.hits += two[p].hits;
        if (one[p].n == 0 || two[p].n == 0) continue;
        matched_one.n += one[p].n;
        matched_one.hits += one[p].hits;
        matched_two.n += two[p].n;
        matched_two.hits += two[p].hits;
        standardised += static_cast<double>(one[p].n) * *ratio(two[p].hits, two[p].n);
    }
    if (matched_one.n == 0) return;
    standardised /= static_cast<double>(matched_one.n);
    const double a1 = *ratio(all_one.hits, all_one.n), a2 = *ratio(all_two.hits, all_two.n);
    const double m1 = *ratio(matched_one.hits, matched_one.n),
                 m2 = *ratio(matched_two.hits, matched_two.n);
    list[within()] = m1 - standardised;
    list[composition()] = (a1 - a2) - (m1 - standardised);
    list[unmatched()] = (a1 - m1) + (m2 - a2);
    if (a1 != a2) list[share()] = *list[composition()] / (a1 - a2);
}

std::optional<GapStatistics::Proportion> GapStatistics::proportion(std::size_t b,
                                                                   GapCounts counts) const {
    const auto made = [](std::int64_t hits, std::int64_t n) -> std::optional<Proportion> {
        if (n <= 0) return std::nullopt;
        return Proportion{static_cast<std::uint64_t>(hits), static_cast<std::uint64_t>(n)};
    };
    if (b == block(GapMetric::top1))
        return made(sum(counts, slot_top1, 0), sum(counts, slot_single, 0));
    if (b == block(GapMetric::real))
        return made(sum(counts, slot_real, 1), sum(counts, slot_scored, 1));
    if (b == block(GapMetric::asma)) return std::nullopt;
    const std::size_t k = (b - 3) / 3, s = stratum_of_[k];
    const auto metric = static_cast<GapMetric>((b - 3) % 3);
    if (metric == GapMetric::top1)
        return made(slot_of(counts, s, slot_top1), slot_of(counts, s, slot_single));
    if (metric == GapMetric::real)
        return made(slot_of(counts, s, slot_real), slot_of(counts, s, slot_scored));
    // With one label the agreement is 0 or 1, by recall and by Jaccard's index.
    if (strata_.subgroups()[k] != 1 || agreement_ == SetAgreement::hamming ||
        slot_of(counts, s, slot_unknown) > 0)
        return std::nullopt;
    return made(slot_of(counts, s, slot_real), slot_of(counts, s, slot_scored));
}

std::uint64_t GapStatistics::images(std::size_t b, GapCounts counts) const {
    if (const auto share = proportion(b, counts)) return share->n;
    std::int64_t n = 0;
    if (b == block(GapMetric::asma)) {
        for (const std::size_t s : stratum_of_) n += slot_of(counts, s, slot_scored);
    } else if (b >= 3 && (b - 3) % 3 == static_cast<std::size_t>(GapMetric::asma)) {
        n = slot_of(counts, stratum_of_[(b - 3) / 3], slot_scored);
    }
    return static_cast<std::uint64_t>(n);
}

std::string GapStatistics::reason(std::size_t b, GapCounts counts, const std::string& set) const {
    if (b == block(GapMetric::top1))
        return fmt::format("no scored image of {} has a single label of its own", set);
    if (b == block(GapMetric::real))
        return fmt::format("no scored image of {} has a valid label", set);
    const auto subgroup = [&](std::size_t k) -> std::string {
        const std::uint32_t g = strata_.subgroups()[k];
        if (slot_of(counts, stratum_of_[k], slot_unknown) > 0)
            return fmt::format("the store keeps fewer than {} classes of each image of {}", g, set);
        if (slot_of(counts, stratum_of_[k], slot_scored) == 0)
            return fmt::format("no scored image of {} has {} label{}", set, g, g == 1 ? "" : "s");
        return "";
    };
    if (b != block(GapMetric::asma)) {
        const std::size_t k = (b - 3) / 3;
        const std::string text = subgroup(k);
        const std::uint32_t g = strata_.subgroups()[k];
        return text.empty() || (b - 3) % 3 != 2
                   ? fmt::format(
                         "no scored image of {} with {} label{} has a single label of its own", set,
                         g, g == 1 ? "" : "s")
                   : text;
    }
    if (stratum_of_.empty()) return "no label count is present in both data sets";
    for (std::size_t k = 0; k < stratum_of_.size(); ++k) {
        if (const std::string text = subgroup(k); !text.empty()) return text;
    }
    return "";
}

std::string GapStatistics::decomposition_reason(GapCounts first, GapCounts second) const {
    if (sum(first, slot_single, 0) == 0 || sum(second, slot_single, 0) == 0)
        return "top-1 is undefined";
    return "the two data sets have no label count in common";
}

}  // namespace assay
