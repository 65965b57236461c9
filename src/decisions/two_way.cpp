#include "decisions/two_way.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/statistics.h"

namespace assay::decisions {
namespace {

double mean_of(std::span<const double> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
           static_cast<double>(numbers.size());
}

double variance_of(std::span<const double> numbers) {
    const double mean = mean_of(numbers);
    double sum = 0;
    for (const double x : numbers) sum += (x - mean) * (x - mean);
    return sum / static_cast<double>(numbers.size() - 1);
}

/// A table of numbers with the means of its rows (runs) and columns (images).
struct Means {
    std::vector<double> runs, images;
    double interaction = 0;  ///< mean square of the unexplained part
};

template <class Cell>
Means means_of(std::size_t runs, std::size_t images, const Cell& cell) {
    Means out{std::vector<double>(runs), std::vector<double>(images), 0};
    for (std::size_t r = 0; r < runs; ++r) {
        for (std::size_t i = 0; i < images; ++i) {
            const double x = cell(r, i);
            out.runs[r] += x;
            out.images[i] += x;
        }
    }
    for (double& run : out.runs) run /= static_cast<double>(images);
    for (double& image : out.images) image /= static_cast<double>(runs);
    const double mean = mean_of(out.runs);
    double squares = 0;
    for (std::size_t r = 0; r < runs; ++r) {
        for (std::size_t i = 0; i < images; ++i) {
            const double rest = cell(r, i) - out.runs[r] - out.images[i] + mean;
            squares += rest * rest;
        }
    }
    out.interaction = squares / static_cast<double>((runs - 1) * (images - 1));
    return out;
}

/// Sets the images' part, with `more` pseudo-images of this sum and sum of squares.
void take_images(TwoWay& out, std::span<const double> images, double more, double sum,
                 double squares) {
    const double n = static_cast<double>(images.size()) + more;
    out.n = images.size();
    out.mean = mean_of(images);
    for (const double x : images) {
        sum += x;
        squares += x * x;
    }
    out.center = sum / n;
    out.images = std::max(0.0, squares - n * out.center * out.center) / (n - 1) / n;
}

void take_runs(TwoWay& out, const Means& means) {
    const auto count = static_cast<double>(means.runs.size());
    const double interaction = means.interaction / count / static_cast<double>(means.images.size());
    out.runs.push_back({variance_of(means.runs), count, interaction});
    out.interaction += interaction;
}

double pure_images(const TwoWay& mean) {
    return std::max(0.0, mean.images - mean.interaction);
}

/// The variance of runs plus `more` times the mean's part, times Student's t squared.
double runs_part(const TwoWay& mean, double runs, double level, bool next) {
    const auto quantile = [&](double freedom) {
        return student_t_quantile(1 - (1 - level) / 2, freedom);
    };
    // Welch's number of degrees of freedom is itself an estimate. It is far too large if the small
    // group happens to vary little, so each group of its own number keeps its own degrees.
    const bool unequal =
        runs <= 0 && mean.runs.size() == 2 && mean.runs.front().count != mean.runs.back().count;
    double sum = 0, squares = 0, all = 0, apart = 0;
    for (const TwoWay::Runs& one : mean.runs) {
        const double count = runs > 0 ? runs : one.count;
        const double part = one.variance / count;
        if (unequal) {
            const double t = quantile(count - 1);
            apart += t * t * (part + (next ? one.variance : 0));
        }
        sum += part;
        squares += part * part / (count - 1);
        all += part + (next ? one.variance : 0);
    }
    if (unequal) return apart;
    if (sum <= 0) return 0;
    // Welch and Satterthwaite, at least the smaller group's own degrees by construction.
    const double t = quantile(sum * sum / squares);
    return t * t * all;
}

Interval around(const TwoWay& mean, double half, double level, const char* method, double center) {
    return {std::max(mean.low, std::min(mean.mean, center - half)),
            std::min(mean.high, std::max(mean.mean, center + half)), level, method};
}

double normal_of(double level) {
    return normal_quantile(1 - (1 - level) / 2);
}

}  // namespace

TwoWay two_way(const RunTable& runs) {
    const Means means =
        means_of(runs.size(), runs.front().size(),
                 [&](std::size_t r, std::size_t i) { return static_cast<double>(runs[r][i]); });
    TwoWay out;
    take_images(out, means.images, 4, 2, 2);
    take_runs(out, means);
    return out;
}

TwoWay two_way_paired(const RunTable& baseline, const RunTable& candidate) {
    const Means means =
        means_of(baseline.size(), baseline.front().size(), [&](std::size_t r, std::size_t i) {
            return static_cast<double>(candidate[r][i]) - static_cast<double>(baseline[r][i]);
        });
    TwoWay out;
    out.low = -1;
    take_images(out, means.images, 2, 0, 1);
    take_runs(out, means);
    return out;
}

TwoWay two_way_apart(const RunTable& baseline, const RunTable& candidate) {
    TwoWay out;
    out.low = -1;
    std::vector<double> difference(baseline.front().size());
    for (const auto& [table, sign] : {std::pair(&baseline, -1.0), std::pair(&candidate, 1.0)}) {
        const RunTable& runs = *table;
        const Means means = means_of(
            runs.size(), runs.front().size(),
            [&runs](std::size_t r, std::size_t i) { return static_cast<double>(runs[r][i]); });
        for (std::size_t i = 0; i < difference.size(); ++i) difference[i] += sign * means.images[i];
        take_runs(out, means);
    }
    take_images(out, difference, 2, 0, 1);
    return out;
}

Interval expected_interval(const TwoWay& mean, double level) {
    return around(mean, half_width_with(mean, 0, level), level, "two-way", mean.center);
}

Interval images_interval(const TwoWay& mean, double level) {
    return around(mean, normal_of(level) * std::sqrt(mean.images), level, "images", mean.center);
}

Interval next_run_interval(const TwoWay& mean, double level) {
    const double z = normal_of(level);
    const double both = 2 * z * z * pure_images(mean) + runs_part(mean, 0, level, true);
    return around(mean, std::sqrt(std::max(both, 2 * z * z * mean.images)), level,
                  "two-way.prediction", mean.center);
}

double half_width_with(const TwoWay& mean, double runs, double level) {
    const double z = normal_of(level);
    const double images = pure_images(mean);
    double least = runs > 0 ? images : mean.images;
    if (runs > 0)
        for (const TwoWay::Runs& one : mean.runs) least += one.interaction * one.count / runs;
    return std::sqrt(std::max(z * z * images + runs_part(mean, runs, level, false), z * z * least));
}

double from_runs(const TwoWay& mean) {
    double runs = 0;
    for (const TwoWay::Runs& one : mean.runs) runs += one.variance / one.count;
    const double all = runs + pure_images(mean);
    return all > 0 ? runs / all : 0;
}

double spread_of_runs(const TwoWay& mean) {
    double spread = 0;
    for (const TwoWay::Runs& one : mean.runs) spread += one.variance;
    // The mean of the interaction over one run's images.
    const double images = mean.interaction * mean.runs.front().count;
    return std::sqrt(std::max(0.0, spread - images));
}

}  // namespace assay::decisions
