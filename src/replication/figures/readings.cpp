// Images and accuracy by reading, with fewer annotators.
#include <algorithm>
#include <cmath>
#include <span>

#include "assay/replication/penalised_likelihood.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replication/enough_annotators.h"
#include "replication/figures/figure_parts.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication::figures {
namespace {

/// The number of units that a bin needs for an interval of its accuracy, because fewer units show
/// no spread.
constexpr double fewest_in_bin = 10;

/// One set with its images by unit. Images with too few annotators are excluded.
struct SetWalk {
    const StudySet& set;
    const std::vector<std::uint32_t>& order;
    const std::vector<std::uint32_t>& begin;
    const CellGrid& grid;  ///< grid of the remaining images
    int least;
};

/// Sums over units for each bin: a is its images, b its hits, and n all images.
struct BinSums {
    explicit BinSums(std::size_t bins) : a(bins), b(bins), aa(bins), ab(bins), bb(bins), an(bins) {}
    std::vector<double> a, b, aa, ab, bb, an;
    double n = 0, nn = 0;
};

/// `hits` has a number in [0, 1] for each image of the set.
BinSums sum_bins(const SetWalk& walk, const Thinning& thinning, const std::vector<double>& hits) {
    const auto bins = static_cast<std::size_t>(thinning.m()) + 1;
    BinSums sums(bins);
    std::vector<double> a(bins), b(bins);
    for (std::size_t u = 0; u + 1 < walk.begin.size(); ++u) {
        std::fill(a.begin(), a.end(), 0.0);
        std::fill(b.begin(), b.end(), 0.0);
        double n = 0;
        for (std::uint32_t at = walk.begin[u]; at < walk.begin[u + 1]; ++at) {
            const std::uint32_t i = walk.order[at];
            if (walk.set.annotators[i] < walk.least) continue;
            const auto p =
                thinning.row(walk.grid.cell(walk.set.annotators[i], walk.set.selected[i]));
            for (std::size_t j = 0; j < bins; ++j) {
                a[j] += p[j];
                b[j] += p[j] * hits[i];
            }
            n += 1;
        }
        for (std::size_t j = 0; j < bins; ++j) {
            sums.a[j] += a[j];
            sums.b[j] += b[j];
            sums.aa[j] += a[j] * a[j];
            sums.ab[j] += a[j] * b[j];
            sums.bb[j] += b[j] * b[j];
            sums.an[j] += a[j] * n;
        }
        sums.n += n;
        sums.nn += n * n;
    }
    return sums;
}

/// An interval with Student's t, clipped to [0, 1].
Estimate in_unit(const CountedStudy& counted, double value, double variance, double degrees,
                 double images) {
    Estimate estimate;
    estimate.unit = Unit::proportion;
    estimate.value = value;
    estimate.n = static_cast<std::uint64_t>(std::llround(images));
    estimate.standard_error = std::sqrt(std::max(0.0, variance));
    estimate.interval = symmetric_interval(value, *estimate.standard_error, counted.options.level,
                                           counted.interval_name("t"), std::max(1.0, degrees));
    estimate.interval->low = std::max(0.0, estimate.interval->low);
    estimate.interval->high = std::min(1.0, estimate.interval->high);
    if (estimate.interval->high - estimate.interval->low > 1e-12) return estimate;
    estimate.interval.reset();
    estimate.note = "no interval: the units do not vary";
    return estimate;
}

/// Ratios of sums over units, linearised as for large samples.
Estimate proportion_of(const CountedStudy& counted, const BinSums& s, std::size_t j) {
    const double q = s.a[j] / s.n;
    const double squares = s.aa[j] - 2 * q * s.an[j] + q * q * s.nn;
    Estimate estimate = in_unit(counted, q, counted.plan.plain_factor() * squares / (s.n * s.n),
                                counted.plan.effective - 1, s.n);
    if (s.a[j] > 0) return estimate;
    estimate.standard_error.reset();
    estimate.interval.reset();
    estimate.note = "no interval: no image has this selection frequency";
    return estimate;
}

Estimate accuracy_of(const CountedStudy& counted, const BinSums& s, std::size_t j) {
    Estimate nothing;
    nothing.unit = Unit::proportion;
    nothing.undefined = "no image has this selection frequency";
    if (s.a[j] <= 0) return nothing;
    const double r = s.b[j] / s.a[j];
    const double squares = s.bb[j] - 2 * r * s.ab[j] + r * r * s.aa[j];
    const double units = s.a[j] * s.a[j] / s.aa[j];
    Estimate estimate = in_unit(
        counted, r, counted.plan.plain_factor() * squares / (s.a[j] * s.a[j]), units - 1, s.a[j]);
    if (units >= fewest_in_bin) return estimate;
    estimate.standard_error.reset();
    estimate.interval.reset();
    estimate.note = counted.plan.units == Units::classes
                        ? "no interval: images of too few classes have this selection frequency"
                        : "no interval: too few images have this selection frequency";
    return estimate;
}

std::vector<double> mean_hits(const Study& study, const StudySet& set) {
    std::vector<double> out(set.size(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        const std::uint8_t* hit = set.hits.data() + i * study.row_bytes;
        for (std::size_t m = 0; m < study.models(); ++m) out[i] += hit[m];
        out[i] /= static_cast<double>(study.models());
    }
    return out;
}

std::vector<double> own_hits(const Study& study, const StudySet& set, std::size_t classifier) {
    std::vector<double> out;
    for (std::size_t i = 0; i < set.size(); ++i)
        out.push_back(set.hits[i * study.row_bytes + classifier]);
    return out;
}

std::vector<FigureBin> bins_of(const CountedStudy& counted, const BinSums& sums) {
    std::vector<FigureBin> bins;
    for (std::size_t j = 0; j < sums.a.size(); ++j)
        bins.push_back({proportion_of(counted, sums, j), accuracy_of(counted, sums, j)});
    return bins;
}

std::vector<double> fitted(const std::vector<double>& mass, int n) {
    return penalised::expected_readings(penalised::reading_table(n), n, mass);
}

}  // namespace

void add_readings(const CountedStudy& counted, FigureData& data) {
    const Study& study = counted.study;
    const int most = counted.annotators();
    const CellGrid first_grid = with_annotators(counted.first, most).grid,
                   second_grid = with_annotators(counted.second, most).grid;
    const SetWalk one{study.first, counted.plan.first_order, counted.plan.first_begin, first_grid,
                      most},
        two{study.second, counted.plan.second_order, counted.plan.second_begin, second_grid, most};
    const std::vector<double> first_hits = mean_hits(study, study.first),
                              second_hits = mean_hits(study, study.second);
    const int threads = resolve_threads(counted.options.threads);
    const std::vector<int> numbers = figure_numbers(most);
    data.readings.resize(numbers.size());
    parallel_blocks(data.readings.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        const int m = numbers[i];
        data.readings[i] = {m, bins_of(counted, sum_bins(one, Thinning(first_grid, m), first_hits)),
                            bins_of(counted, sum_bins(two, Thinning(second_grid, m), second_hits))};
    });
    const Thinning all_first(first_grid, most), all_second(second_grid, most);
    data.first_accuracy.resize(study.models());
    data.second_accuracy.resize(study.models());
    parallel_blocks(study.models(), threads, [&](std::size_t c) {
        throw_if_stopped();
        const auto add = [&](const SetWalk& walk, const Thinning& thinning,
                             std::vector<Estimate>& out) {
            const BinSums sums = sum_bins(walk, thinning, own_hits(study, walk.set, c));
            for (std::size_t j = 0; j < sums.a.size(); ++j)
                out.push_back(accuracy_of(counted, sums, j));
        };
        add(one, all_first, data.first_accuracy[c]);
        add(two, all_second, data.second_accuracy[c]);
    });
    if (!counted.options.likelihood) return;
    const PenalisedLikelihood model(counted.first, counted.second);
    data.first_fitted = fitted(model.first_density(), most);
    data.second_fitted = fitted(model.second_density(), most);
}

}  // namespace assay::replication::figures
