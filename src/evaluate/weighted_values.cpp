#include "evaluate/weighted_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "evaluate/weighted_parts.h"
#include "metric/class_score_intervals.h"

namespace assay::evaluate {
namespace {

using WeightedImages = std::span<const WeightedImage>;

/// From the first number on, so that equal numbers have exactly that mean, and no spread by
/// rounding.
template <class NumberOf>
Influenced weighted_mean(WeightedImages images, NumberOf&& number_of) {
    const double first = number_of(images.front());
    Influenced out{.value = first};
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

/// The weights of hits, labels and predictions by class, or the derivatives of a value by
/// these.
struct OfClasses {
    std::vector<double> hits, labels, predictions;
    double none = 0;  ///< predictions of no class

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
        else
            out.none += image.weight;
    }
    return out;
}

/// Counts for the intervals of images that count the same (metric/class_score_intervals.h): the
/// sums of the weights, scaled so that a class has as many images as its weights are worth (Kish).
class EffectiveCounts {
public:
    EffectiveCounts(WeightedImages images, std::size_t classes, const OfClasses& sums)
        : sums_(sums), squares_(classes) {
        for (const WeightedImage& image : images) {
            const double square = image.weight * image.weight;
            const auto label = static_cast<std::size_t>(image.label);
            all_ += square;
            squares_.labels[label] += square;
            if (image.predicted == image.label) squares_.hits[label] += square;
            if (image.predicted >= 0)
                squares_.predictions[static_cast<std::size_t>(image.predicted)] += square;
        }
    }

    /// Hits among the images of each class, or among those predicted to be of it.
    std::vector<ClassHits> hits(bool of_labels) const {
        std::vector<ClassHits> out;
        for (std::size_t c = 0; c < sums_.hits.size(); ++c) {
            const double all = of_labels ? sums_.labels[c] : sums_.predictions[c];
            const double squares = of_labels ? squares_.labels[c] : squares_.predictions[c];
            if (all > 0) out.push_back({all * all / squares, sums_.hits[c] * all / squares});
        }
        return out;
    }

    /// Scaled to the images that are of the class or predicted to be; or all classes to all images.
    std::vector<ClassScoreCount> counts(bool by_class) const {
        std::vector<ClassScoreCount> out;
        double predictions = 0;
        for (std::size_t c = 0; c < sums_.hits.size(); ++c) {
            const double n = sums_.labels[c], m = sums_.predictions[c], t = sums_.hits[c];
            predictions += m;
            if (n + m <= 0) continue;
            const double squares = squares_.labels[c] + squares_.predictions[c] - squares_.hits[c];
            const double united = n + m - t;
            // Whole numbers of images, because the correction of F1 is that of a binomial number.
            const double images = std::max(1.0, std::round(united * united / squares));
            const double scale = by_class ? images / united : 1 / all_;
            out.push_back({n * scale, m * scale, t * scale, (1 - n) * scale});
        }
        constexpr double rounding = 1e-12;
        if (!by_class && predictions < 1 - rounding)
            out.push_back({.predictions = (1 - predictions) / all_});  // of no class
        return out;
    }

private:
    const OfClasses& sums_;
    OfClasses squares_;
    double all_ = 0;
};

Influenced influenced(WeightedImages images, double value, const OfClasses& slopes) {
    Influenced out{.value = value};
    out.influence.reserve(images.size());
    double mean = 0;
    for (const WeightedImage& image : images) {
        const auto label = static_cast<std::size_t>(image.label);
        double moved = slopes.labels[label];
        if (image.predicted == image.label) moved += slopes.hits[label];
        if (image.predicted >= 0)
            moved += slopes.predictions[static_cast<std::size_t>(image.predicted)];
        else
            moved += slopes.none;
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

/// The proportion that each class has in an average over the classes.
double class_share(Average average, std::size_t c, double labels, bool present, double count) {
    if (average == Average::weighted) return labels;
    if (average == Average::binary) return c == 1 ? 1 : 0;
    return present ? 1 / count : 0;
}

/// All images have the same class.
bool is_one_class(WeightedImages images, std::int32_t WeightedImage::*cls) {
    const std::int32_t first = images.front().*cls;
    return first >= 0 && std::ranges::all_of(images, [&](const WeightedImage& image) {
               return image.*cls == first;
           });
}

/// Why the score of class 1, the positive class, has no value for these images; "" if it has one.
std::string_view why_not_binary(const MetricRequest& request, WeightedImages images) {
    if (class_average_of(request) != Average::binary) return "";
    const std::string_view name = request.facts->name;
    const auto any = [&](std::int32_t WeightedImage::*cls, bool positive) {
        return std::ranges::any_of(
            images, [&](const WeightedImage& image) { return (image.*cls == 1) == positive; });
    };
    const bool labels = any(&WeightedImage::label, true),
               predictions = any(&WeightedImage::predicted, true);
    if (name == "recall" && !labels) return "no item is of class 1, the positive class";
    if (name == "precision" && !predictions)
        return "no item is predicted to be class 1, the positive class";
    if (name == "f1" && !labels && !predictions)
        return "no item is of class 1, the positive class, or predicted to be";
    if (name == "specificity" && !any(&WeightedImage::label, false))
        return "every item is of class 1, the positive class";
    return "";
}

/// The average over the classes of 1 - the proportion of the other classes' images that are
/// predicted to be the class.
Influenced specificity(WeightedImages images, std::size_t classes, const MetricRequest& request) {
    const Average average = class_average_of(request);
    const OfClasses sums = class_weights(images, classes);
    const bool single = is_one_class(images, &WeightedImage::label);
    double present = 0, value = 0;
    for (std::size_t c = 0; c < classes; ++c)
        present += sums.labels[c] > 0 || sums.predictions[c] > 0 ? 1 : 0;
    OfClasses slopes(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        const double share = class_share(average, c, sums.labels[c],
                                         sums.labels[c] > 0 || sums.predictions[c] > 0, present);
        const double others = 1 - sums.labels[c], wrong = sums.predictions[c] - sums.hits[c];
        if (single && c == static_cast<std::size_t>(images.front().label)) continue;  // no others
        const double own = 1 - wrong / others;
        value += share * own;
        slopes.hits[c] = share / others;
        slopes.predictions[c] = -share / others;
        slopes.labels[c] =
            -share * wrong / (others * others) + (average == Average::weighted ? own : 0);
    }
    return influenced(images, value, slopes);
}

/// Precision, recall, F1 and balanced accuracy: the average of hits / `below` over the classes.
Influenced class_average(WeightedImages images, std::size_t classes, const MetricRequest& request,
                         double level) {
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
        const double share = class_share(average, c, sums.labels[c], is_present(c), present);
        const double below =
            (by_labels ? sums.labels[c] : 0) + (by_predictions ? sums.predictions[c] : 0);
        const double own = weighted_ratio(times * sums.hits[c], below);
        const double of_below = -share * weighted_ratio(own, below);
        value += share * own;
        slopes.hits[c] = weighted_ratio(times * share, below);
        slopes.labels[c] = (by_labels ? of_below : 0) + (average == Average::weighted ? own : 0);
        slopes.predictions[c] = by_predictions ? of_below : 0;
    }
    Influenced out = influenced(images, value, slopes);
    if (average == Average::weighted) {
        out.interval = WeightedInterval::proportion;
        return out;
    }
    const EffectiveCounts counts(images, classes, sums);
    // Classes without images have no counts. The positive class, 1, has some and is the last.
    const bool binary = average == Average::binary;
    if (name == "f1") {
        std::vector<ClassScoreCount> all = counts.counts(true);
        if (binary) all = {all.back()};
        out.own = f1_mean_interval(all, value, level);
    } else {
        std::vector<ClassHits> all = counts.hits(by_labels);
        if (binary) all = {all.back()};
        out.own = class_mean_interval(all, value, level);
    }
    return out;
}

/// Cohen's kappa; nothing if all labels and predictions are one class.
std::optional<Influenced> kappa_value(WeightedImages images, std::size_t classes, double level) {
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
    Influenced out = influenced(images, (agreed - chance) / rest, slopes);
    out.own = chance_corrected_interval(EffectiveCounts(images, classes, sums).counts(false),
                                        ChanceCorrected::kappa, out.value, level);
    return out;
}

/// Matthews's correlation; 0 if all labels or all predictions are one class.
Influenced matthews_value(WeightedImages images, std::size_t classes, double level) {
    if (is_one_class(images, &WeightedImage::label) ||
        is_one_class(images, &WeightedImage::predicted))
        return {.influence = std::vector<double>(images.size())};
    const OfClasses sums = class_weights(images, classes);
    const double of_labels = 1 - dot(sums.labels, sums.labels),
                 of_predictions =
                     1 - dot(sums.predictions, sums.predictions) - sums.none * sums.none;
    // All images are predicted to be of no class.
    if (!(of_labels > 0 && of_predictions > 0) || sums.none >= 1)
        return {.influence = std::vector<double>(images.size())};
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
    slopes.none = value * sums.none / of_predictions;
    Influenced out = influenced(images, value, slopes);
    out.own = chance_corrected_interval(EffectiveCounts(images, classes, sums).counts(false),
                                        ChanceCorrected::matthews, value, level);
    return out;
}

std::optional<Influenced> influenced_value(const MetricRequest& request, WeightedImages images,
                                           std::size_t classes, double level) {
    const std::string_view name = request.facts->name;
    if (!why_not_binary(request, images).empty()) return std::nullopt;
    const auto mean = [&](auto&& number_of) { return weighted_mean(images, number_of); };
    if (name == "topk") {
        const int k = std::stoi(request.parameters.at("k"));
        Influenced hits = mean([k](const WeightedImage& image) {
            return image.rank >= 0 && image.rank < k ? 1.0 : 0.0;
        });
        hits.interval = WeightedInterval::proportion;
        return hits;
    }
    if (name == "nll") return mean([](const WeightedImage& image) { return image.loss; });
    if (name == "brier") return mean([](const WeightedImage& image) { return image.brier; });
    // Both classes have the same square.
    if (name == "binary_brier") {
        Influenced half = mean([](const WeightedImage& image) { return image.brier / 2; });
        half.interval = WeightedInterval::proportion;
        return half;
    }
    if (name == "confidence")
        return mean([](const WeightedImage& image) { return double{image.confidence}; });
    if (name == "overconfidence")
        return mean([](const WeightedImage& image) { return image.confidence - hit_of(image); });
    if (name == "kappa") return kappa_value(images, classes, level);
    if (name == "matthews") return matthews_value(images, classes, level);
    if (name == "specificity") return specificity(images, classes, request);
    if (name.starts_with("class_")) return weighted_balance(request, images, classes);
    if (name.find("ece") != std::string_view::npos || name == "calibration_ks")
        return weighted_calibration(request, images);
    return class_average(images, classes, request, level);
}

}  // namespace

bool is_of_weighted_images(const MetricRequest& request) {
    constexpr std::array<std::string_view, 20> names = {"topk",
                                                        "nll",
                                                        "brier",
                                                        "confidence",
                                                        "binary_brier",
                                                        "overconfidence",
                                                        "balanced",
                                                        "precision",
                                                        "recall",
                                                        "specificity",
                                                        "f1",
                                                        "kappa",
                                                        "matthews",
                                                        "ece",
                                                        "binary_ece",
                                                        "ece_debiased",
                                                        "calibration_ks",
                                                        "class_accuracy_balance",
                                                        "class_confidence_balance",
                                                        "class_balance"};
    return std::ranges::find(names, request.facts->name) != names.end();
}

std::optional<Influenced> weighted_influence(const MetricRequest& request,
                                             std::span<const WeightedImage> images,
                                             std::size_t classes, double level,
                                             std::string& undefined) {
    std::optional<Influenced> found = influenced_value(request, images, classes, level);
    if (!found) {
        const std::string_view name = request.facts->name, why = why_not_binary(request, images);
        undefined = !why.empty()      ? std::string(why)
                    : name == "kappa" ? "all labels and predictions are one class"
                    : name == "ece_debiased"
                        ? "no bin holds two images, so the variance of a bin's accuracy is "
                          "unknown"
                        : "the sample standard deviation over classes needs two classes "
                          "with items";
    }
    return found;
}

Estimate weighted_value(const MetricRequest& request, std::span<const WeightedImage> images,
                        std::size_t classes, double level) {
    Estimate estimate;
    const std::optional<Influenced> found =
        weighted_influence(request, images, classes, level, estimate.undefined);
    if (!found) {
        estimate.unit = request.facts->unit;
        estimate.n = images.size();
        return estimate;
    }
    std::vector<double> weights;
    weights.reserve(images.size());
    for (const WeightedImage& image : images) weights.push_back(image.weight);
    return weighted_estimate(*request.facts, *found, weights, level);
}

}  // namespace assay::evaluate
