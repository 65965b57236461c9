// Tests whether two classifiers err on the same items.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "assay/evaluate/compare.h"
#include "core/statistics.h"
#include "evaluate/kappa.h"

namespace assay {
double agreement_by_chance(const AgreementCells& c) {
    const double n = c[0] + c[1] + c[2] + c[3], one = (c[0] + c[1]) / n, two = (c[0] + c[2]) / n;
    return one * two + (1 - one) * (1 - two);
}

std::optional<double> kappa_of(const AgreementCells& c) {
    const double n = c[0] + c[1] + c[2] + c[3];
    if (!(n > 0)) return std::nullopt;
    const double observed = (c[0] + c[3]) / n, chance = agreement_by_chance(c);
    if (!(chance < 1)) return std::nullopt;
    return (observed - chance) / (1 - chance);
}

void cluster_consistency(Estimate& value, std::span<const std::uint8_t> one,
                         std::span<const std::uint8_t> two, std::span<const std::uint8_t> groups,
                         double level) {
    if (!value.value) return;
    value.interval.reset();
    value.standard_error.reset();
    value.note.clear();
    std::vector<AgreementCells> cells(256, AgreementCells{});
    AgreementCells all{};
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] == 2 || two[i] == 2) continue;
        const std::size_t cell = (one[i] == 1 ? 0U : 2U) + (two[i] == 1 ? 0U : 1U);
        ++cells[groups[i]][cell];
        ++all[cell];
    }
    std::vector<double> without;
    for (const AgreementCells& own : cells) {
        AgreementCells left = all;
        double items = 0;
        for (std::size_t c = 0; c < left.size(); ++c) {
            left[c] -= own[c];
            items += own[c];
        }
        if (items == 0) continue;
        const std::optional<double> kappa = kappa_of(left);
        if (!kappa) {
            value.note = "no interval: the value is undefined without one of the clusters";
            return;
        }
        without.push_back(*kappa);
    }
    const double error = without.size() < 2 ? 0 : jackknife_standard_error(without);
    if (!(error > 0)) {
        value.note = "no interval: the value is the same without any of the clusters";
        return;
    }
    value.standard_error = error;
    value.interval = symmetric_interval(*value.value, error, level, "jackknife.clusters",
                                        static_cast<double>(without.size() - 1));
    value.interval->low = std::max(-1.0, value.interval->low);
    value.interval->high = std::min(1.0, value.interval->high);
}

Estimate error_consistency(std::uint64_t both, std::uint64_t only_baseline,
                           std::uint64_t only_candidate, std::uint64_t neither, double level) {
    Estimate out;
    out.n = both + only_baseline + only_candidate + neither;
    const AgreementCells cells{static_cast<double>(both), static_cast<double>(only_baseline),
                               static_cast<double>(only_candidate), static_cast<double>(neither)};
    if (out.n == 0) {
        out.undefined = "no item has a valid label";
        return out;
    }
    out.value = kappa_of(cells);
    if (!out.value) {
        out.undefined =
            "both are correct on every item, or on none: agreement by chance is certain";
        return out;
    }
    // Without one item, the value is one of four, so the jackknife is a sum of four terms.
    const auto n = static_cast<double>(out.n);
    std::array<double, 4> without{};
    double mean = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        if (cells[c] == 0) continue;
        AgreementCells left = cells;
        --left[c];
        const std::optional<double> value = out.n > 1 ? kappa_of(left) : std::nullopt;
        if (!value) {
            out.note = "no interval: the value is undefined without one of the items";
            return out;
        }
        without[c] = *value;
        mean += cells[c] / n * *value;
    }
    double squares = 0;
    for (std::size_t c = 0; c < 4; ++c)
        squares += cells[c] * (without[c] - mean) * (without[c] - mean);
    out.standard_error = std::sqrt((n - 1) / n * squares);
    out.interval = symmetric_interval(*out.value, *out.standard_error, level, "jackknife.items");
    out.interval->low = std::max(-1.0, out.interval->low);
    out.interval->high = std::min(1.0, out.interval->high);
    if (*out.standard_error == 0)
        out.note = fmt::format("they {} on every item: the interval is too narrow",
                               *out.value > 0 ? "agree" : "disagree");
    return out;
}

}  // namespace assay
