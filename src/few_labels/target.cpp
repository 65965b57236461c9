#include "few_labels/target.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "metric/class_mean.h"

namespace assay::few_labels {
namespace {

constexpr std::size_t least_cell = 5;  // labels
constexpr double least_errors = 5;     // fewest labels of the rarer kind for a
                                       // regression
constexpr std::size_t per_slope = 60;  // labels needed per covariate
constexpr double shrinkage = 3;        // weight of the factor 1, as a number of errors
constexpr double most_leverage = 0.95;

/// The cell of each stratum, or -1 if no image of the domain is in it.
std::vector<int> cells_of(const Target& target, std::size_t& cells) {
    const std::size_t strata = target.images.size();
    std::vector<std::size_t> labels(strata, 0);
    for (const LabelledValue& one : target.labelled) ++labels[one.stratum];
    std::vector<int> cell(strata, -1);
    std::size_t got = 0;
    cells = 0;
    for (std::size_t h = 0; h < strata; ++h) {
        if (target.images[h] == 0) continue;
        cell[h] = static_cast<int>(cells);
        got += labels[h];
        if (got < least_cell) continue;
        ++cells;
        got = 0;
    }
    if (cells == 0) cells = 1;
    for (int& one : cell) one = std::min(one, static_cast<int>(cells) - 1);
    return cell;
}

struct LabelCell {
    double images = 0, weight = 0;            // N_k, W_k
    double sum = 0, squares = 0, values = 0;  // sums of the labels' weights, of their squares, and
                                              // of weighted values
    double count = 0;
    Covariates x = {}, means = {};  // weighted sums of the labels, sums over the images
    double size = 0, mean = 0, sampled = 0, unit = 0;  // n_k, z_k, f_k, u_k in the paper
};

std::vector<LabelCell> filled_cells(const Target& target, const std::vector<int>& cell_of,
                                    std::size_t cells, std::span<const double> weight) {
    std::vector<LabelCell> out(cells);
    double all = 0;
    for (std::size_t h = 0; h < cell_of.size(); ++h) {
        if (cell_of[h] < 0) continue;
        LabelCell& cell = out[static_cast<std::size_t>(cell_of[h])];
        cell.images += target.images[h];
        all += target.images[h];
        for (std::size_t p = 0; p < target.covariates; ++p)
            cell.means[p] += target.images[h] * target.means[h][p];
    }
    for (const LabelledValue& one : target.labelled) {
        LabelCell& cell = out[static_cast<std::size_t>(cell_of[one.stratum])];
        const double w = weight[one.stratum];
        cell.sum += w;
        cell.squares += w * w;
        cell.values += w * one.value;
        ++cell.count;
        for (std::size_t p = 0; p < target.covariates; ++p) cell.x[p] += w * one.x[p];
    }
    for (LabelCell& cell : out) {
        cell.weight = cell.images / all;
        cell.size = cell.sum * cell.sum / cell.squares;
        cell.mean = cell.values / cell.sum;
        cell.sampled = std::min(cell.count / cell.images, 1.0);
        cell.unit = cell.sampled < 1 ? (1 - cell.sampled) / std::max(cell.size - 1, 1.0) : 0;
        for (std::size_t p = 0; p < target.covariates; ++p) {
            cell.x[p] /= cell.sum;
            cell.means[p] /= cell.images;
        }
    }
    return out;
}

/// A symmetric matrix with at most two rows.
struct SlopeMatrix {
    std::size_t size = 0;
    std::array<Covariates, most_covariates> at = {};

    Covariates solve(const Covariates& right) const {
        if (size == 1) return {right[0] / at[0][0], 0};
        const double det = at[0][0] * at[1][1] - at[0][1] * at[1][0];
        return {(at[1][1] * right[0] - at[0][1] * right[1]) / det,
                (at[0][0] * right[1] - at[1][0] * right[0]) / det};
    }
};

double product(const Covariates& a, const Covariates& b, std::size_t n) {
    double sum = 0;
    for (std::size_t p = 0; p < n; ++p) sum += a[p] * b[p];
    return sum;
}

struct Regressed {
    double adjustment = 0, variance = 0;
};

/// The regression of the labels around the means of their cells, with weights that minimize the
/// variance.
Regressed regressed(const Target& target, const std::vector<LabelCell>& cells,
                    const std::vector<int>& cell_of, std::span<const double> weight,
                    std::size_t slopes) {
    struct Row {
        double a, residual;
        Covariates x;
    };
    std::vector<Row> rows;
    rows.reserve(target.labelled.size());
    SlopeMatrix gram{slopes, {}};
    Covariates right = {};
    Regressed out;
    for (const LabelledValue& one : target.labelled) {
        const LabelCell& cell = cells[static_cast<std::size_t>(cell_of[one.stratum])];
        Row row{cell.weight * cell.weight * cell.unit * weight[one.stratum] / cell.sum,
                one.value - cell.mean,
                {}};
        for (std::size_t p = 0; p < slopes; ++p) row.x[p] = one.x[p] - cell.x[p];
        for (std::size_t p = 0; p < slopes; ++p) {
            right[p] += row.a * row.x[p] * row.residual;
            for (std::size_t q = 0; q < slopes; ++q) gram.at[p][q] += row.a * row.x[p] * row.x[q];
        }
        out.variance += row.a * row.residual * row.residual;
        rows.push_back(row);
    }
    if (slopes == 0) return out;
    double trace = 0;
    for (std::size_t p = 0; p < slopes; ++p) trace += gram.at[p][p];
    for (std::size_t p = 0; p < slopes; ++p)
        gram.at[p][p] += 1e-3 * trace / static_cast<double>(slopes) + 1e-300;
    const Covariates slope = gram.solve(right);
    double variance = 0;
    for (const Row& row : rows) {
        const double leverage =
            std::min(row.a * product(row.x, gram.solve(row.x), slopes), most_leverage);
        const double left = (row.residual - product(slope, row.x, slopes)) / (1 - leverage);
        variance += row.a * left * left;
    }
    if (!(variance < out.variance)) return out;
    out.variance = variance;
    for (const LabelCell& cell : cells) {
        Covariates off = {};
        for (std::size_t p = 0; p < slopes; ++p) off[p] = cell.means[p] - cell.x[p];
        out.adjustment += cell.weight * product(off, slope, slopes);
    }
    return out;
}

/// The additional variance because the number of images that can be judged is estimated.
double growth_of_unjudged(const Target& target, std::span<const StratumSample> strata, double mean,
                          double factor) {
    std::vector<double> hits(strata.size(), 0), labels(strata.size(), 0);
    double all = 0, of_judged = 0, of_values = 0;
    for (const LabelledValue& one : target.labelled) {
        hits[one.stratum] += one.value;
        ++labels[one.stratum];
    }
    for (const double images : target.images) all += images;
    for (std::size_t h = 0; h < strata.size(); ++h) {
        if (labels[h] == 0 || all == 0) continue;
        const double weight = target.images[h] / all, p = hits[h] / labels[h];
        of_judged += weight * weight * (1 - strata[h].judged) * (p - mean) * (p - mean) / labels[h];
        of_values += weight * weight * p * (1 - p) / std::max(labels[h] - 1, 1.0);
    }
    return of_values > 0 ? of_judged / of_values / factor : 0;
}

}  // namespace

TargetEstimate estimate_target(const Target& target, std::span<const StratumSample> strata,
                               double quantile, bool partly_judged) {
    TargetEstimate out;
    out.labels = target.labelled.size() + static_cast<std::size_t>(target.known_images);
    const double others = std::accumulate(target.images.begin(), target.images.end(), 0.0);
    const double everywhere = others + target.known_images;
    /// The mean over all images, from the mean over the images of the strata.
    const auto with_known = [&](double mean) {
        return target.known_images > 0 ? (target.known_sum + others * mean) / everywhere : mean;
    };
    if (others == 0 && target.known_images > 0) {
        out.value = out.low = out.high = target.known_sum / target.known_images;
        return out;
    }
    if (target.labelled.size() < 2) {
        out.low = with_known(0);
        out.high = with_known(1);
        return out;
    }
    std::vector<double> weight(strata.size(), 0);
    for (std::size_t h = 0; h < strata.size(); ++h)
        weight[h] = strata[h].labels > 0 ? strata[h].images / strata[h].labels : 0;
    std::size_t count = 0;
    const std::vector<int> cell_of = cells_of(target, count);
    const std::vector<LabelCell> cells = filled_cells(target, cell_of, count, weight);
    std::vector<ClassCell> score;
    double plain = 0, plain_variance = 0, hits = 0;
    for (const LabelCell& cell : cells) {
        score.push_back({cell.weight, cell.size, cell.mean * cell.size, cell.sampled});
        plain += cell.weight * cell.mean;
        plain_variance += cell.weight * cell.weight * cell.unit * cell.mean * (1 - cell.mean);
    }
    for (const LabelledValue& one : target.labelled) hits += one.value;
    const double rarer = std::min(hits, static_cast<double>(target.labelled.size()) - hits);
    const std::size_t slopes =
        partly_judged || rarer < least_errors
            ? 0
            : std::min(target.covariates, (target.labelled.size() - count) / per_slope);
    const Regressed fit = regressed(target, cells, cell_of, weight, slopes);
    const double gain = plain_variance > 0 ? std::min(1.0, fit.variance / plain_variance) : 1.0;
    out.factor = (rarer * gain + shrinkage) / (rarer + shrinkage);
    out.value = std::clamp(plain + fit.adjustment, 0.0, 1.0);
    const Interval interval = cell_interval(score, quantile, 2 * normal_cdf(quantile) - 1);
    double scale = std::sqrt(out.factor);
    if (partly_judged)
        scale *=
            std::sqrt(1 + growth_of_unjudged(target, strata, with_known(*out.value), out.factor));
    out.low = with_known(std::max(0.0, *out.value - scale * (plain - interval.low)));
    out.high = with_known(std::min(1.0, *out.value + scale * (interval.high - plain)));
    out.value = with_known(*out.value);
    return out;
}

double anytime_quantile(double labels, double planned, double alpha) {
    // The value of -2 ln alpha + ln(1 - 2 ln alpha) for alpha = .05.
    const double narrowest = -2 * std::log(alpha) + std::log(1 - 2 * std::log(alpha));
    const double x = narrowest * labels / planned;
    return std::sqrt(2 * (x + 1) / x * std::log(std::sqrt(x + 1) / alpha));
}

}  // namespace assay::few_labels
