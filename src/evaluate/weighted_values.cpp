#include "evaluate/weighted_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/statistics.h"

namespace assay::evaluate {
namespace {

using WeightedImages = std::span<const WeightedImage>;

/// A value, and how much each image moves it.
struct Influenced {
    double value = 0;
    std::vector<double> influence;  ///< one per image; the weighted mean is 0
};

/// From the first number on, so that equal numbers have exactly that mean, and no spread by
/// rounding.
template <class NumberOf>
Influenced weighted_mean(WeightedImages images, NumberOf&& number_of) {
    const double first = number_of(images.front());
    Influenced out{first, {}};
    out.influence.reserve(images.size());
    for (const WeightedImage& image : images) {
        out.influence.push_back(number_of(image));
        out.value += image.weight * (out.influence.back() - first);
    }
    for (double& x : out.influence) x -= out.value;
    return out;
}

double hit_of(const WeightedImage& image) {
    return image.predicted == image.label ? 1 : 0;
}

/// The weight of the images by class: hits, labels and predictions. Or the derivatives of a value
/// with respect to these.
struct OfClasses {
    std::vector<double> hits, labels, predictions;

    explicit OfClasses(std::size_t classes)
        : hits(classes), labels(classes), predictions(classes) {}
};

OfClasses class_weights(WeightedImages images, std::size_t classes) {
    OfClasses out(classes);
    for (const WeightedImage& image : images) {
        const auto label = static_cast<std::size_t>(image.label);
        out.labels[label] += image.weight;
        if (image.predicted == image.label) out.hits[label] += image.weight;
        if (image.predicted >= 0)
            out.predictions[static_cast<std::size_t>(image.predicted)] += image.weight;
    }
    return out;
}

Influenced influenced(WeightedImages images, double value, const OfClasses& slopes) {
    Influenced out{value, {}};
    out.influence.reserve(images.size());
    double mean = 0;
    for (const WeightedImage& image : images) {
        const auto label = static_cast<std::size_t>(image.label);
        double moved = slopes.labels[label];
        if (image.predicted == image.label) moved += slopes.hits[label];
        if (image.predicted >= 0)
            moved += slopes.predictions[static_cast<std::size_t>(image.predicted)];
        out.influence.push_back(moved);
        mean += image.weight * moved;
    }
    for (double& x : out.influence) x -= mean;
    return out;
}

double weighted_ratio(double above, double below) {
    return below > 0 ? above / below : 0;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

enum class Average { macro, weighted, binary };

Average class_average_of(const MetricRequest& request) {
    const auto found = request.parameters.find("average");
    if (found == request.parameters.end() || found->second == "macro") return Average::macro;
    return found->second == "weighted" ? Average::weighted : Average::binary;
}

/// Precision, recall, F1 and balanced accuracy: the average of hits / `below` over the classes.
Influenced class_average(WeightedImages images, std::size_t classes, const MetricRequest& request) {
    const std::string_view name = request.facts->name;
    const Average average = class_average_of(request);
    const OfClasses sums = class_weights(images, classes);
    const double times = name == "f1" ? 2 : 1;
    const bool by_labels = name != "precision",
               by_predictions = name == "precision" || name == "f1";
    const auto is_present = [&](std::size_t c) {
        return sums.labels[c] > 0 || (name != "balanced" && sums.predictions[c] > 0);
    };
    double present = 0;
    for (std::size_t c = 0; c < classes; ++c) present += is_present(c) ? 1 : 0;
    double value = 0;
    OfClasses slopes(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        const double share = average == Average::weighted ? sums.labels[c]
                             : average == Average::binary ? (c == 1 ? 1 : 0)
                             : is_present(c)              ? 1 / present
                                                          : 0;
        const double below =
            (by_labels ? sums.labels[c] : 0) + (by_predictions ? sums.predictions[c] : 0);
        const double own = weighted_ratio(times * sums.hits[c], below);
        const double of_below = -share * weighted_ratio(own, below);
        value += share * own;
        slopes.hits[c] = weighted_ratio(times * share, below);
        slopes.labels[c] = (by_labels ? of_below : 0) + (average == Average::weighted ? own : 0);
        slopes.predictions[c] = by_predictions ? of_below : 0;
    }
    return influenced(images, value, slopes);
}

/// All images have the same class.
bool is_one_class(WeightedImages images, std::int32_t WeightedImage::*cls) {
    const std::int32_t first = images.front().*cls;
    return first >= 0 && std::ranges::all_of(images, [&](const WeightedImage& image) {
               return image.*cls == first;
           });
}

/// Cohen's kappa; nothing if all labels and predictions are one class.
std::optional<Influenced> kappa_value(WeightedImages images, std::size_t classes) {
    if (is_one_class(images, &WeightedImage::label) &&
        is_one_class(images, &WeightedImage::predicted) &&
        images.front().label == images.front().predicted)
        return std::nullopt;
    const OfClasses sums = class_weights(images, classes);
    double agreed = 0;
    for (const double hits : sums.hits) agreed += hits;
    const double chance = dot(sums.labels, sums.predictions), rest = 1 - chance;
    const double of_chance = (agreed - 1) / (rest * rest);
    OfClasses slopes(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        slopes.hits[c] = 1 / rest;
        slopes.labels[c] = sums.predictions[c] * of_chance;
        slopes.predictions[c] = sums.labels[c] * of_chance;
    }
    return influenced(images, (agreed - chance) / rest, slopes);
}

/// Matthews's correlation; 0 if all labels or all predictions are one class.
Influenced matthews_value(WeightedImages images, std::size_t classes) {
    if (is_one_class(images, &WeightedImage::label) ||
        is_one_class(images, &WeightedImage::predicted))
        return {0, std::vector<double>(images.size())};
    const OfClasses sums = class_weights(images, classes);
    const double of_labels = 1 - dot(sums.labels, sums.labels),
                 of_predictions = 1 - dot(sums.predictions, sums.predictions);
    double hits = 0;
    for (const double x : sums.hits) hits += x;
    const double below = std::sqrt(of_labels * of_predictions);
    const double value = (hits - dot(sums.labels, sums.predictions)) / below;
    OfClasses slopes(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        slopes.hits[c] = 1 / below;
        slopes.labels[c] = -sums.predictions[c] / below + value * sums.labels[c] / of_labels;
        slopes.predictions[c] =
            -sums.labels[c] / below + value * sums.predictions[c] / of_predictions;
    }
    return influenced(images, value, slopes);
}

constexpr std::array<std::string_view, 12> names = {
    "topk",     "nll",       "brier",  "confidence", "overconfidence", "binary_brier",
    "balanced", "precision", "recall", "f1",         "kappa",          "matthews"};

std::optional<Influenced> influenced_value(const MetricRequest& request, WeightedImages images,
                                           std::size_t classes) {
    const std::string_view name = request.facts->name;
    const auto mean = [&](auto&& number_of) { return weighted_mean(images, number_of); };
    if (name == "topk") {
        const int k = std::stoi(request.parameters.at("k"));
        return mean([k](const WeightedImage& image) {
            return image.rank >= 0 && image.rank < k ? 1.0 : 0.0;
        });
    }
    if (name == "nll") return mean([](const WeightedImage& image) { return image.loss; });
    if (name == "brier") return mean([](const WeightedImage& image) { return image.brier; });
    // Both classes have the same square.
    if (name == "binary_brier")
        return mean([](const WeightedImage& image) { return image.brier / 2; });
    if (name == "confidence")
        return mean([](const WeightedImage& image) { return double{image.confidence}; });
    if (name == "overconfidence")
        return mean([](const WeightedImage& image) { return image.confidence - hit_of(image); });
    if (name == "kappa") return kappa_value(images, classes);
    if (name == "matthews") return matthews_value(images, classes);
    return class_average(images, classes, request);
}

struct InfluenceSpread {
    double error = 0;    ///< standard error
    double degrees = 0;  ///< of freedom of its square
};

/// Without image i, a mean changes by -w_i z_i / (1 - w_i): the jackknife's variance of a mean.
InfluenceSpread spread_of(WeightedImages images, const std::vector<double>& influence) {
    const auto n = static_cast<double>(images.size());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const double w = images[i].weight, moved = w * influence[i] / (1 - w);
        sum += moved * moved;
        squares += moved * moved * moved * moved;
    }
    if (sum == 0) return {0, n - 1};
    // Satterthwaite 1946: 2 / degrees is the squared coefficient of variation of a sum of n such
    // parts.
    const double uneven = squares / (sum * sum) - 1 / n;
    return {std::sqrt((n - 1) / n * sum), uneven > 0 ? std::min(n - 1, 2 / uneven) : n - 1};
}

Interval interval_around(const MetricFacts& facts, double value, const InfluenceSpread& spread,
                         double effective, double level) {
    const double t = student_t_quantile(0.5 + level / 2, spread.degrees);
    if (facts.name == "topk" || facts.name == "binary_brier") {
        const double size =
            spread.error == 0 ? effective : value * (1 - value) / (spread.error * spread.error);
        return wilson_of_size(value, size, t, level, "wilson.influence");
    }
    Interval interval{value - t * spread.error, value + t * spread.error, level, "influence.t"};
    interval.low = std::max(facts.low, interval.low);
    if (facts.unit != Unit::nats) interval.high = std::min(facts.high, interval.high);
    return interval;
}

}  // namespace

double effective_images(std::span<const WeightedImage> images) {
    double squares = 0;
    for (const WeightedImage& image : images) squares += image.weight * image.weight;
    return squares > 0 ? 1 / squares : 0;
}

bool has_weighted_form(const MetricRequest& request) {
    return std::ranges::find(names, request.facts->name) != names.end();
}

std::string weighted_metrics() {
    return fmt::format("top1, {}", fmt::join(names, ", "));
}

Estimate weighted_value(const MetricRequest& request, std::span<const WeightedImage> images,
                        std::size_t classes, double level) {
    Estimate estimate;
    estimate.unit = request.facts->unit;
    estimate.n = images.size();
    const std::optional<Influenced> found = influenced_value(request, images, classes);
    if (!found) {
        estimate.undefined = "all labels and predictions are one class";
        return estimate;
    }
    estimate.value = found->value;
    const double effective = effective_images(images);
    if (effective < fewest_effective_images) {
        estimate.note = fmt::format(
            "no interval: the weights leave {:.1f} effective images, and "
            "{:g} are needed",
            effective, fewest_effective_images);
        return estimate;
    }
    const InfluenceSpread spread = spread_of(images, found->influence);
    estimate.standard_error = spread.error;
    const Interval interval =
        interval_around(*request.facts, found->value, spread, effective, level);
    constexpr double rounding = 1e-12;  // a narrower interval is that of sums
    if (interval.high - interval.low > rounding * std::abs(found->value)) {
        estimate.interval = interval;
    } else {
        estimate.note = "no interval: the value is the same without any of the images";
    }
    return estimate;
}

}  // namespace assay::evaluate
