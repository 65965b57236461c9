#include "metric/class_score_intervals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/statistics.h"

namespace assay {
namespace {

double square(double x) {
    return x * x;
}

Interval wide_enough(Interval interval, double value) {
    interval.low = std::min(interval.low, value);
    interval.high = std::max(interval.high, value);
    return interval;
}

/// Mean of 2 x / (images + x) for binomial hits x, minus 2 J / (1 + J): the bias of few images.
double bias_of_f1(double images, double jaccard) {
    constexpr double exact_up_to = 60;
    const double odds = jaccard / (1 - jaccard);
    if (images > exact_up_to)
        return -2 * jaccard * (1 - jaccard) / (std::pow(1 + jaccard, 3) * images);
    images = std::round(images);  // weighted images need not be whole
    double probability = std::pow(1 - jaccard, images), mean = 0;
    for (double x = 0; x <= images; ++x) {
        mean += probability * 2 * x / (images + x);
        probability *= (images - x) / (x + 1) * odds;
    }
    return mean - 2 * jaccard / (1 + jaccard);
}

/// The mean bias of the classes of a cell.
double bias_of_cell(std::span<const ClassScoreCount> classes) {
    const auto united = [](const ClassScoreCount& c) { return c.items + c.predictions - c.hits; };
    double hits = 0, all = 0;
    for (const ClassScoreCount& c : classes) {
        hits += c.hits;
        all += united(c);
    }
    const double jaccard = hits / all;
    if (jaccard <= 0 || jaccard >= 1) return 0;
    std::map<double, double> by_images;  // to classes, as many have equal numbers
    for (const ClassScoreCount& c : classes) ++by_images[united(c)];
    double bias = 0;
    for (const auto& [images, count] : by_images) bias += count * bias_of_f1(images, jaccard);
    return bias / static_cast<double>(classes.size());
}

}  // namespace

Interval class_mean_interval(std::span<const ClassHits> classes, double value, double level) {
    std::vector<ClassHits> present;
    for (const ClassHits& c : classes)
        if (c.images > 0) present.push_back(c);
    if (present.empty()) return {0, 1, level, "score.classes"};  // no information
    return wide_enough(cell_interval(joined_cells(present), level), value);
}

Interval f1_mean_interval(std::span<const ClassScoreCount> classes, double value, double level) {
    std::vector<ClassScoreCount> present;
    std::vector<ClassHits> proportions;
    for (const ClassScoreCount& c : classes) {
        if (c.items <= 0) continue;
        present.push_back(c);
        proportions.push_back({(c.items + c.predictions) / 2, c.hits});
    }
    std::vector<ClassCell> cells = joined_cells(proportions);
    std::size_t begin = 0;
    for (ClassCell& cell : cells) {
        const std::size_t count = cell.end - begin;
        const double bias = bias_of_cell(std::span(present).subspan(begin, count));
        cell.hits = std::min(cell.images, cell.hits - bias * cell.images);
        begin = cell.end;
    }
    return wide_enough(cell_interval(cells, level), value);
}

Interval weighted_mean_interval(double value, std::span<const double> without, double n,
                                double level) {
    const double error = without.size() < 2 ? 0 : jackknife_standard_error(without);
    const double spread = value * (1 - value);
    const double size =
        error > 0 && spread > 0 ? std::clamp(spread / square(error), 1.0, std::max(n, 1.0)) : n;
    return wilson_of_size(value, size, normal_quantile(0.5 + level / 2), level, "jackknife.wilson");
}

Interval chance_corrected_interval(std::span<const ClassScoreCount> classes, ChanceCorrected which,
                                   double value, double level) {
    constexpr double more = 1;
    const bool kappa = which == ChanceCorrected::kappa;
    const std::string method = "wilson.chance_corrected";
    double n = 0, hits = 0;
    for (const ClassScoreCount& c : classes) {
        n += c.items;
        hits += c.hits;
    }
    struct Sums {
        double chance = 0, labels = 0, predictions = 0;
    };
    Sums seen, smooth;
    const double all = n + more;
    for (const ClassScoreCount& c : classes) {
        const double a = c.items / n, b = c.predictions / n, a1 = (c.items + more * a) / all,
                     b1 = (c.predictions + more * b) / all;
        seen.chance += a * b;
        seen.labels += a * a;
        seen.predictions += b * b;
        smooth.chance += a1 * b1;
        smooth.labels += a1 * a1;
        smooth.predictions += b1 * b1;
    }
    const auto scale_of = [&](const Sums& s) {
        return kappa ? 1 - s.chance
                     : std::sqrt(std::max(0.0, 1 - s.labels) * std::max(0.0, 1 - s.predictions));
    };
    constexpr double rounding = 1e-12;
    if (scale_of(seen) < rounding) return {-1, 1, level, method};
    const double accuracy = (hits + more * seen.chance) / all, scale = scale_of(smooth),
                 corrected = (accuracy - smooth.chance) / scale;
    // Mean and mean square of an image's influence: a number for its label, one for its
    // prediction, and 1 / scale for a hit.
    double mean = 0, squares = 0, errors = 0;
    Sums by_label, by_prediction;  // of errors: sums and sums of squares, in two of the fields
    for (const ClassScoreCount& c : classes) {
        const double a = c.items / n, b = c.predictions / n, hit = (c.hits + more * a * b) / all,
                     a1 = (c.items + more * a) / all, b1 = (c.predictions + more * b) / all;
        const double label = kappa ? -(1 - corrected) / scale * b1
                                   : -b1 / scale + corrected * a1 / (1 - smooth.labels);
        const double prediction = kappa ? -(1 - corrected) / scale * a1
                                        : -a1 / scale + corrected * b1 / (1 - smooth.predictions);
        const double of_hit = 1 / scale + label + prediction;
        mean += hit * of_hit + (a1 - hit) * label + (b1 - hit) * prediction;
        squares += hit * square(of_hit);
        errors += a1 - hit;
        by_label.labels += (a1 - hit) * label;
        by_label.predictions += (a1 - hit) * square(label);
        by_prediction.labels += (b1 - hit) * prediction;
        by_prediction.predictions += (b1 - hit) * square(prediction);
    }
    if (errors > 0)
        squares += by_label.predictions + 2 * by_label.labels * by_prediction.labels / errors +
                   by_prediction.predictions;
    const double variance = std::max(0.0, squares - mean * mean) / n;
    const double found = accuracy * (1 - accuracy) / (square(scale) * variance);
    const double size = variance > 0 ? std::clamp(found, 1.0, std::max(n, 1.0)) : n;
    const Interval of_accuracy =
        wilson_of_size(hits / n, size, normal_quantile(0.5 + level / 2), level, method);
    const auto at = [&](double p) {
        return std::clamp((p - seen.chance) / scale_of(seen), -1.0, 1.0);
    };
    return wide_enough({at(of_accuracy.low), at(of_accuracy.high), level, method}, value);
}

}  // namespace assay
