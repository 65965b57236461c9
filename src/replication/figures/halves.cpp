// Repeats the study on halves, to measure whether the number of images causes bias.
//
// A bias proportional to 1/N doubles in a half, so halves differ from the whole by that bias. (An
// estimate's second-order part is sum q_ij / G^2, with influences q_ij of pairs of the G units. A
// split with signs e_i leaves sum e_i e_j q_ij / G^2 between the mean of its halves and the
// whole. Its mean over splits is sum q_ii / G^2, the bias.) The error of the difference comes
// from leaving out tenths of the units with unchanged splits, which includes the spread over
// splits.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "replication/enough_annotators.h"
#include "replication/figures/figure_parts.h"
#include "replication/thinned.h"

namespace assay::replication::figures {
namespace {

/// The number of parts that are left out in turn, for the error of the difference.
constexpr std::size_t tenths = 10;

/// The counts of a part of the study.
struct HalfCounts {
    CellCounts first, second;
    Correct correct;
    std::vector<double> first_hits;  ///< by classifier
};

HalfCounts count_units(const CountedStudy& counted, const std::vector<std::uint8_t>& taken) {
    const Study& study = counted.study;
    const std::size_t models = study.models();
    HalfCounts half{counted.first, counted.second, {models, {}}, std::vector<double>(models, 0.0)};
    half.first.images.assign(half.first.images.size(), 0.0);
    half.second.images.assign(half.second.images.size(), 0.0);
    half.correct.by_cell.assign(half.second.images.size() * models, 0.0);
    const auto walk = [&](const StudySet& set, const std::vector<std::uint32_t>& order,
                          const std::vector<std::uint32_t>& begin, CellCounts& cells, auto&& sums) {
        for (std::size_t u = 0; u < taken.size(); ++u) {
            if (taken[u] == 0) continue;
            for (std::uint32_t at = begin[u]; at < begin[u + 1]; ++at) {
                const std::uint32_t i = order[at];
                const std::size_t cell = cells.grid.cell(set.annotators[i], set.selected[i]);
                cells.images[cell] += 1;
                double* row = sums(cell);
                const std::uint8_t* hit = set.hits.data() + i * study.row_bytes;
                for (std::size_t m = 0; m < models; ++m) row[m] += hit[m];
            }
        }
    };
    walk(study.first, counted.plan.first_order, counted.plan.first_begin, half.first,
         [&](std::size_t) { return half.first_hits.data(); });
    walk(study.second, counted.plan.second_order, counted.plan.second_begin, half.second,
         [&](std::size_t cell) { return half.correct.by_cell.data() + cell * models; });
    return half;
}

/// The remaining gap, averaged over classifiers; NaN if undefined.
double remaining_of(const HalfCounts& part, const Estimator& estimator) {
    try {
        const double images = part.first.total();
        if (images <= 0 || part.second.total() <= 0) return std::nan("");
        return mean_of(part.first_hits) / images -
               mean_of(estimator.estimate(part.first, part.second, part.correct));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nan("");
    }
}

struct Halved {
    FigureHalves figure;
    std::unique_ptr<Estimator> estimator;
};

/// Naive with eighths of the annotators, as in the paper, and every method with all of them.
std::vector<Halved> halved_estimators(const CountedStudy& counted) {
    std::vector<Halved> out;
    const int most = counted.annotators();
    AdjustOptions each = counted.options;
    each.threads = 1;
    AdjustOptions naive = each;
    naive.likelihood = naive.moments = naive.mixture = naive.npmle = false;
    naive.jackknife.clear();
    const auto add = [&](int m, std::unique_ptr<Estimator> estimator) {
        if (!estimator->resamples()) return;
        FigureHalves figure;
        figure.annotators = m;
        figure.method = estimator->id();
        out.push_back({std::move(figure), std::move(estimator)});
    };
    int last = 0;
    for (int i = 1; i < 8; ++i) {
        const int m = most * i / 8;
        if (m <= last) continue;
        last = m;
        for (auto& e : make_thinned_estimators(naive, counted.first, counted.second, m, most))
            add(m, std::move(e));
    }
    for (auto& e : make_estimators(each, counted.first, counted.second)) add(most, std::move(e));
    return out;
}

/// One estimator's gaps on halves, by split and by the excluded part of the study. The last entry
/// excludes no part.
struct HalfValues {
    explicit HalfValues(std::size_t splits)
        : first(tenths + 1, std::vector<double>(splits)),
          second(first),
          whole(tenths + 1, std::nan("")) {}
    std::vector<std::vector<double>> first, second;
    std::vector<double> whole;

    /// The mean over splits and both halves.
    double halves(std::size_t part) const {
        double sum = 0;
        for (std::size_t s = 0; s < first[part].size(); ++s)
            sum += (first[part][s] + second[part][s]) / 2;
        return sum / static_cast<double>(first[part].size());
    }
};

void summarise(const HalfValues& values, const CountedStudy& counted, FigureHalves& figure) {
    figure.whole = values.whole[tenths];
    figure.halves = values.halves(tenths);
    Estimate& difference = figure.difference;
    difference.unit = Unit::proportion;
    difference.n = counted.study.first.size() + counted.study.second.size();
    if (!std::isfinite(figure.halves - figure.whole)) {
        difference.undefined = "halves of the study do not determine this estimate";
        return;
    }
    difference.value = figure.halves - figure.whole;
    double squares = 0;
    for (std::size_t s = 0; s < values.first[tenths].size(); ++s)
        squares += std::pow(values.first[tenths][s] - values.second[tenths][s], 2);
    figure.error_by_halves =
        std::sqrt(squares / static_cast<double>(values.first[tenths].size())) / 2;
    std::vector<double> again;
    for (std::size_t part = 0; part < tenths; ++part)
        again.push_back(values.halves(part) - values.whole[part]);
    if (!std::all_of(again.begin(), again.end(), [](double x) { return std::isfinite(x); })) {
        difference.note = "no interval: nine tenths of the study do not determine this estimate";
        return;
    }
    difference.standard_error = jackknife_standard_error(again);
    difference.interval =
        symmetric_interval(*difference.value, *difference.standard_error, counted.options.level,
                           counted.plan.units == Units::classes ? "t.jackknife.class_tenths"
                                                                : "t.jackknife.image_tenths",
                           tenths - 1);
}

/// The units of the first half, in a random order.
std::vector<std::uint8_t> draw_half(std::size_t units, std::uint64_t seed, std::size_t split) {
    std::vector<std::uint32_t> order(units);
    std::iota(order.begin(), order.end(), 0U);
    RandomStream random(seed, "replicate.halves", split);
    std::vector<std::uint8_t> first(units, 0);
    for (std::size_t i = 0; i < units / 2; ++i) {
        std::swap(order[i], order[i + static_cast<std::size_t>(random.below(units - i))]);
        first[order[i]] = 1;
    }
    return first;
}

}  // namespace

void add_halves(const CountedStudy& counted, int splits, FigureData& data, Ticker& ticker) {
    const std::size_t units = counted.plan.count;
    if (units < fewest_halved_units) {
        data.without_halves = fmt::format("the study has fewer than {} {}", fewest_halved_units,
                                          name_of(counted.plan.units));
        return;
    }
    data.splits = splits;
    std::vector<Halved> halved = halved_estimators(counted);
    const auto count = static_cast<std::size_t>(splits);
    std::vector<HalfValues> values(halved.size(), HalfValues(count));
    const auto evaluate = [&](std::size_t part, auto&& in_half, auto&& put) {
        std::vector<std::uint8_t> taken(units, 0);
        for (std::size_t u = 0; u < units; ++u) taken[u] = u % tenths != part && in_half(u) ? 1 : 0;
        const HalfCounts half = count_units(counted, taken);
        for (std::size_t e = 0; e < halved.size(); ++e) {
            throw_if_stopped();
            put(values[e], remaining_of(half, *halved[e].estimator));
        }
    };
    // One block for each excluded part of the whole study, then one block for each part and split.
    parallel_blocks((tenths + 1) * (count + 1), resolve_threads(counted.options.threads),
                    [&](std::size_t b) {
                        const std::size_t part = b % (tenths + 1), split = b / (tenths + 1);
                        if (split == count) {
                            evaluate(
                                part, [](std::size_t) { return true; },
                                [&](HalfValues& v, double x) { v.whole[part] = x; });
                            return;
                        }
                        const auto half = draw_half(units, counted.options.seed, split);
                        evaluate(
                            part, [&](std::size_t u) { return half[u] == 1; },
                            [&](HalfValues& v, double x) { v.first[part][split] = x; });
                        evaluate(
                            part, [&](std::size_t u) { return half[u] == 0; },
                            [&](HalfValues& v, double x) { v.second[part][split] = x; });
                        if (part == tenths) ticker.add(1);
                    });
    for (std::size_t e = 0; e < halved.size(); ++e) {
        summarise(values[e], counted, halved[e].figure);
        data.halves.push_back(std::move(halved[e].figure));
    }
}

}  // namespace assay::replication::figures
