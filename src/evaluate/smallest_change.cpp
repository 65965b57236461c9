#include "evaluate/smallest_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "assay/describe_result.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/statistics.h"
#include "evaluate/radius_row.h"

namespace assay {
namespace attack {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double uncounted = std::numeric_limits<double>::quiet_NaN();

/// The largest r with P(B < r) <= alpha for B ~ Binomial(n, 1/2); 0 if there is none.
std::size_t lower_rank(std::size_t n, double alpha) {
    const auto trials = static_cast<double>(n);
    double below = 0;
    for (std::size_t r = 0; r <= n; ++r) {
        const auto k = static_cast<double>(r);
        below += std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1) -
                          std::lgamma(trials - k + 1) - trials * std::log(2.0));
        if (below > alpha) return r;
    }
    return n;
}

double middle_of(const std::vector<double>& sorted) {
    const std::size_t n = sorted.size();
    const double high = sorted[n / 2];
    if (n % 2 == 1 || std::isinf(high)) return high;
    const double low = sorted[n / 2 - 1];
    return std::isinf(low) ? low : (low + high) / 2;
}

Estimate median_between(std::vector<double> low, std::vector<double> high, double level,
                        std::string_view why_infinite) {
    Estimate estimate;
    estimate.n = low.size();
    if (low.empty()) {
        estimate.undefined = "there is no image";
        return estimate;
    }
    std::ranges::sort(low);
    std::ranges::sort(high);
    const double middle = middle_of(low);
    if (std::isinf(middle) || middle != middle_of(high)) {
        estimate.undefined = why_infinite;
        return estimate;
    }
    estimate.value = middle;
    const std::size_t rank = lower_rank(low.size(), (1 - level) / 2);
    if (rank == 0) {
        estimate.note =
            fmt::format("{} images are too few for an interval of {:g} %", low.size(), 100 * level);
        return estimate;
    }
    const double begin = low[rank - 1], end = high[high.size() - rank];
    if (std::isinf(begin) || std::isinf(end)) {
        estimate.note =
            std::isinf(begin) && std::isinf(end)
                ? "the interval has no ends, because too many images are not fooled"
                : fmt::format("the interval is {} {:.4g}, {}, because images are not fooled",
                              std::isinf(end) ? "above" : "below", std::isinf(end) ? begin : end,
                              without_another_end);
        return estimate;
    }
    estimate.interval = Interval{begin, end, level, "order_statistics"};
    return estimate;
}

}  // namespace

Estimate median_with_ranks(std::vector<double> values, double level,
                           std::string_view why_infinite) {
    std::vector<double> same = values;
    return median_between(std::move(values), std::move(same), level, why_infinite);
}

SmallestChanges smallest_changes(std::string_view attack, const std::vector<AttackCounts>& counts,
                                 std::span<const RowOutcome> clean,
                                 std::span<const RowOutcome> attacked, double level) {
    SmallestChanges out;
    out.attack = attack;
    out.radii.assign(clean.size(), uncounted);
    for (const AttackCounts& batch : counts) {
        for (std::size_t i = 0; i < batch.radii.size() && batch.first_row + i < clean.size(); ++i)
            out.radii[batch.first_row + i] = batch.radii[i];
    }
    std::vector<double> correct;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        double& radius = out.radii[i];
        if (clean[i] == RowOutcome::none || attacked[i] == RowOutcome::none) {
            radius = uncounted;
        } else if (clean[i] == RowOutcome::incorrect) {
            radius = 0;
        } else {
            // A measured change fooled the model, even if its scores are equal once they are
            // rounded.
            if (attacked[i] == RowOutcome::correct && std::isnan(radius)) {
                radius = unlimited;
                ++out.not_fooled;
            }
            if (std::isnan(radius)) {
                ++out.unknown;
            } else {
                correct.push_back(radius);
            }
        }
    }
    out.correct = correct.size();
    out.median = median_with_ranks(
        std::move(correct), level,
        fmt::format("{} of {} correct images are not fooled", out.not_fooled, out.correct));
    if (out.correct == 0) out.median.undefined = "no image is classified correctly";
    return out;
}

std::vector<RowOutcome> outcomes_within(std::span<const double> radii,
                                        std::span<const RowOutcome> clean, double eps) {
    std::vector<RowOutcome> out(radii.size(), RowOutcome::none);
    for (std::size_t i = 0; i < radii.size(); ++i) {
        if (std::isnan(radii[i])) continue;
        const bool robust = clean[i] == RowOutcome::correct && radii[i] > eps;
        out[i] = robust ? RowOutcome::correct : RowOutcome::incorrect;
    }
    return out;
}

void write_radii(const std::filesystem::path& file, const Dataset& dataset,
                 const SmallestChanges& changes) {
    std::string text;
    DescribedCsv<RadiusRow> csv(text);
    for (std::size_t i = 0; i < changes.radii.size(); ++i) {
        const double radius = changes.radii[i];
        RadiusRow row{dataset.ids[i], "fooled", radius};
        if (std::isnan(radius)) row = {dataset.ids[i], "not counted", std::nullopt};
        if (std::isinf(radius)) row = {dataset.ids[i], "not fooled", std::nullopt};
        if (radius == 0) row.outcome = "misclassified before";
        csv.add(row);
    }
    write_file_atomically(file, text);
}

double rounded_budget(Norm norm, double radius) {
    if (norm == Norm::linf) return std::max(std::round(radius * 255 * 1000), 1.0) / 1000 / 255;
    if (norm == Norm::l0) return std::max(std::round(radius), 1.0);
    const double unit = std::pow(10, std::floor(std::log10(std::max(radius, 1e-6))) - 2);
    return std::round(radius / unit) * unit;
}

ResultType result_type(ResultOf<RadiusRow>) {
    static constexpr auto rows = describe_result<RadiusRow>(
        {.name = "RadiusRow",
         .help = "The smallest change of an image, in `radii.csv` of a store of fmn or ddn",
         .columns = "image,outcome,radius"},
        {
            part<&RadiusRow::image>({}),
            part<&RadiusRow::outcome>({.help =
                                           "`fooled`, `not fooled`, `misclassified before` or "
                                           "`not counted` (no label, no score, or no gradient)"}),
            part<&RadiusRow::radius>({.help = "Size of the change, in the unit of eps; 0 for an "
                                              "image that was misclassified before"}),
        });
    return rows;
}

}  // namespace attack

std::span<const double> usual_budgets(Norm norm) {
    static constexpr std::array linf = {.25 / 255, .5 / 255, 1. / 255,  2. / 255,
                                        4. / 255,  8. / 255, 16. / 255, 32. / 255};
    static constexpr std::array l2 = {.05, .1, .25, .5, 1., 2., 4., 8.};
    static constexpr std::array few = {1., 2., 5., 10., 20., 50., 100., 200.};
    if (norm == Norm::linf) return linf;
    return norm == Norm::l2 ? std::span<const double>(l2) : std::span<const double>(few);
}

std::vector<SmallestPair> compare_smallest(std::span<const AttackedResult> results, double level) {
    std::vector<SmallestPair> pairs;
    const auto compare = [&](const AttackedResult& a, const AttackedResult& b,
                             const SmallestChanges& one, const SmallestChanges& two) {
        SmallestPair pair;
        pair.dataset = a.dataset;
        pair.attack = one.attack;
        pair.first = a.model;
        pair.second = b.model;
        std::vector<double> low, high;
        for (std::size_t i = 0; i < one.radii.size(); ++i) {
            const double x = one.radii[i], y = two.radii[i];
            if (!(x > 0) || !(y > 0)) continue;
            pair.first_larger += x > y ? 1 : 0;
            pair.second_larger += y > x ? 1 : 0;
            // If neither model is fooled, the difference may be anything.
            const bool open = std::isinf(x) && std::isinf(y);
            low.push_back(open ? -attack::unlimited : x - y);
            high.push_back(open ? attack::unlimited : x - y);
        }
        pair.images = low.size();
        pair.difference = attack::median_between(
            std::move(low), std::move(high), level,
            "it depends on images that do not fool one of the models, or both");
        if (pair.images == 0) pair.difference.undefined = "both models are correct on no image";
        pair.p = mcnemar(pair.first_larger, pair.second_larger).p;
        pairs.push_back(std::move(pair));
    };
    for (std::size_t a = 0; a < results.size(); ++a) {
        for (std::size_t b = a + 1; b < results.size(); ++b) {
            if (results[a].dataset != results[b].dataset) continue;
            for (const SmallestChanges& one : results[a].smallest) {
                for (const SmallestChanges& two : results[b].smallest) {
                    if (one.attack == two.attack && one.radii.size() == two.radii.size())
                        compare(results[a], results[b], one, two);
                }
            }
        }
    }
    std::vector<double> p;
    for (const SmallestPair& pair : pairs) p.push_back(pair.p);
    const std::vector<double> adjusted = holm(p);
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k].p_adjusted = adjusted[k];
    return pairs;
}

}  // namespace assay
