// Calibration errors and the balance of classes, of images that do not count the same.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluate/weighted_parts.h"
#include "metric/families.h"

namespace assay::evaluate {
namespace {

constexpr const char* greatest_gap = "none is known for a greatest gap of weighted images";

double part_of(double above, double below) {
    return below > 0 ? above / below : 0;
}

/// The probability that is binned, and whether the image is a hit.
struct Binned {
    float p = 0;
    double hit = 0;
};

Binned binned(const WeightedImage& image, bool positive) {
    if (!positive) return {image.confidence, image.predicted == image.label ? 1.0 : 0.0};
    return {image.predicted == 1 ? image.confidence : 1 - image.confidence,
            image.label == 1 ? 1.0 : 0.0};
}

/// The sums of a bin of weighted images.
struct WeightedBin {
    double weight = 0, squares = 0;  ///< sums of the weights and of their squares
    double hits = 0, p = 0;          ///< weighted sums
    double variance = 0;             ///< of p - hits, if the images are calibrated

    double gap() const { return p - hits; }
    /// At least the variance that the bin's own hits show.
    double noise() const {
        const double accuracy = part_of(hits, weight);
        return std::max(variance, squares * accuracy * (1 - accuracy));
    }
    /// How much of accuracy (1 - accuracy) is added to the square of the mean gap on average.
    double excess() const { return squares / (weight * weight - squares); }
    bool is_single() const { return weight * weight - squares <= 1e-12 * squares; }
};

class WeightedBins {
public:
    WeightedBins(const MetricRequest& request, std::span<const WeightedImage> images, bool positive)
        : images_(images) {
        const std::vector<float> bounds = families::bin_bounds(
            std::stoi(request.parameters.at("bins")), request.parameters.at("edges"));
        bins_.resize(bounds.size() + 1);
        for (const WeightedImage& image : images) {
            const Binned one = binned(image, positive);
            values_.push_back(one);
            const auto bin = static_cast<std::size_t>(
                std::upper_bound(bounds.begin(), bounds.end(), one.p) - bounds.begin());
            of_.push_back(bin);
            const double w = image.weight, p = one.p;
            WeightedBin& sums = bins_[bin];
            sums.weight += w;
            sums.squares += w * w;
            sums.hits += w * one.hit;
            sums.p += w * p;
            sums.variance += w * w * p * (1 - p);
        }
    }

    Influenced mean_gap() const {
        Influenced out;
        for (const WeightedBin& bin : bins_) {
            out.value += std::abs(bin.gap());
            out.noise += std::sqrt(2 * bin.noise() / std::numbers::pi);
        }
        for (std::size_t i = 0; i < images_.size(); ++i) {
            const double gap = bins_[of_[i]].gap(), sign = gap > 0 ? 1 : gap < 0 ? -1 : 0;
            out.influence.push_back(sign * (values_[i].p - values_[i].hit) - out.value);
        }
        out.value = std::min(1.0, out.value);
        return out;
    }

    Influenced root_mean_square() const {
        Influenced out;
        double square = 0, noise = 0;
        for (const WeightedBin& bin : bins_) {
            square += bin.gap() * part_of(bin.gap(), bin.weight);
            noise += part_of(bin.noise(), bin.weight);
        }
        out.value = std::sqrt(square);
        out.noise = std::sqrt(noise);
        for (std::size_t i = 0; i < images_.size(); ++i) {
            const double mean = part_of(bins_[of_[i]].gap(), bins_[of_[i]].weight);
            const double moved = 2 * mean * (values_[i].p - values_[i].hit) - mean * mean - square;
            out.influence.push_back(out.value > 0 ? moved / (2 * out.value) : 0);
        }
        return out;
    }

    Influenced greatest() const {
        Influenced out{.no_interval = greatest_gap};
        for (const WeightedBin& bin : bins_)
            out.value = std::max(out.value, std::abs(part_of(bin.gap(), bin.weight)));
        return out;
    }

    /// Nothing if every bin holds a single image.
    std::optional<Influenced> debiased() const {
        Influenced out;
        bool any = false;
        for (const WeightedBin& bin : bins_) {
            if (bin.weight == 0 || bin.is_single()) continue;
            any = true;
            const double accuracy = bin.hits / bin.weight, gap = bin.gap() / bin.weight;
            out.value += bin.weight * (gap * gap - accuracy * (1 - accuracy) * bin.excess());
        }
        if (!any) return std::nullopt;
        double mean = 0;
        for (std::size_t i = 0; i < images_.size(); ++i) {
            const WeightedBin& bin = bins_[of_[i]];
            double moved = 0;
            if (!bin.is_single()) {
                const double accuracy = bin.hits / bin.weight, gap = bin.gap() / bin.weight;
                const double of_hit = values_[i].hit - accuracy,
                             of_gap = values_[i].p - values_[i].hit - gap;
                moved = gap * gap + 2 * gap * of_gap -
                        bin.excess() * (accuracy * (1 - accuracy) + (1 - 2 * accuracy) * of_hit);
            }
            out.influence.push_back(moved);
            mean += images_[i].weight * moved;
        }
        for (double& x : out.influence) x -= mean;
        return out;
    }

private:
    std::span<const WeightedImage> images_;
    std::vector<Binned> values_;
    std::vector<std::size_t> of_;
    std::vector<WeightedBin> bins_;
};

/// The greatest distance between the running sums of confidences and hits, measured at the end of
/// each group of equal confidences.
Influenced greatest_running_gap(std::span<const WeightedImage> images) {
    std::vector<std::size_t> order(images.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return images[i].confidence; });
    Influenced out{.no_interval = greatest_gap};
    double sum = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const WeightedImage& image = images[order[k]];
        sum += image.weight * (image.confidence - (image.predicted == image.label ? 1 : 0));
        if (k + 1 == order.size() || images[order[k + 1]].confidence != image.confidence)
            out.value = std::max(out.value, std::abs(sum));
    }
    return out;
}

/// The weighted sums of a class's images.
struct WeightedClass {
    double weight = 0, hits = 0, target = 0, squares = 0;

    /// A class of one image is unchanged, because without it the class would not count.
    WeightedClass without(const WeightedImage& image) const {
        constexpr double rounding = 1e-12;
        const double w = image.weight, p = image.target;
        if (weight - w <= rounding * weight) return *this;
        return {weight - w, hits - (image.predicted == image.label ? w : 0), target - w * p,
                squares - w * p * p};
    }
    double accuracy() const { return hits / weight; }
    double mean() const { return target / weight; }
    double deviation() const {
        return std::sqrt(std::max(0.0, squares / weight - mean() * mean()));
    }
};

/// 1 - the standard deviation of numbers, which are not empty.
class Evenness {
public:
    Evenness(std::vector<double> numbers, bool sample)
        : numbers_(std::move(numbers)),
          size_(static_cast<double>(numbers_.size())),
          divisor_(size_ - (sample ? 1 : 0)) {
        for (const double x : numbers_) mean_ += x / size_;
        for (const double x : numbers_) squares_ += (x - mean_) * (x - mean_);
    }

    double value() const { return 1 - deviation(squares_); }
    /// Its derivative by a number.
    double slope(std::size_t at) const {
        const double spread = deviation(squares_);
        return spread > 0 ? -(numbers_[at] - mean_) / (divisor_ * spread) : 0;
    }
    /// Its value if a number were another one.
    double with(std::size_t at, double other) const {
        const double before = numbers_[at] - mean_, after = other - mean_, moved = after - before;
        return 1 - deviation(squares_ - before * before + after * after - moved * moved / size_);
    }

private:
    double deviation(double squares) const { return std::sqrt(std::max(0.0, squares) / divisor_); }

    std::vector<double> numbers_;
    double size_, divisor_, mean_ = 0, squares_ = 0;
};

/// A value, and what it would be without each image.
struct WithoutEach {
    Influenced found;
    std::vector<double> without;
};

class WeightedClasses {
public:
    WeightedClasses(std::span<const WeightedImage> images, std::size_t classes)
        : images_(images), place_(classes) {
        std::vector<WeightedClass> all(classes);
        for (const WeightedImage& image : images) {
            WeightedClass& own = all[static_cast<std::size_t>(image.label)];
            const double p = image.target;
            own.weight += image.weight;
            own.hits += image.predicted == image.label ? image.weight : 0;
            own.target += image.weight * p;
            own.squares += image.weight * p * p;
        }
        for (std::size_t c = 0; c < classes; ++c) {
            place_[c] = classes_.size();
            if (all[c].weight > 0) classes_.push_back(all[c]);
        }
    }

    std::size_t size() const { return classes_.size(); }

    WithoutEach accuracies(bool sample) const {
        std::vector<double> numbers;
        for (const WeightedClass& one : classes_) numbers.push_back(one.accuracy());
        const Evenness all(numbers, sample);
        WithoutEach out{{.value = all.value()}, {}};
        for (const WeightedImage& image : images_) {
            const std::size_t c = place_[static_cast<std::size_t>(image.label)];
            const double hit = image.predicted == image.label ? 1 : 0;
            out.found.influence.push_back(all.slope(c) * (hit - numbers[c]) / classes_[c].weight);
            out.without.push_back(all.with(c, classes_[c].without(image).accuracy()));
        }
        return out;
    }

    /// Of the true class's probability: the mean spread inside classes, or that between their
    /// means.
    WithoutEach confidences(bool within) const {
        std::vector<double> means;
        for (const WeightedClass& one : classes_) means.push_back(one.mean());
        const Evenness all(means, false);
        const auto count = static_cast<double>(classes_.size());
        WithoutEach out{{.value = all.value()}, {}};
        if (within) {
            out.found.value = 1;
            for (const WeightedClass& one : classes_) out.found.value -= one.deviation() / count;
        }
        for (const WeightedImage& image : images_) {
            const std::size_t c = place_[static_cast<std::size_t>(image.label)];
            const WeightedClass rest = classes_[c].without(image);
            const double from = image.target - means[c], deviation = classes_[c].deviation();
            const double moved =
                !within         ? all.slope(c) * from
                : deviation > 0 ? -(from * from - deviation * deviation) / (2 * deviation * count)
                                : 0;
            out.found.influence.push_back(moved / classes_[c].weight);
            out.without.push_back(within ? out.found.value - (rest.deviation() - deviation) / count
                                         : all.with(c, rest.mean()));
        }
        return out;
    }

private:
    std::span<const WeightedImage> images_;
    std::vector<std::size_t> place_;  // of a class among those with images
    std::vector<WeightedClass> classes_;
};

/// The spread comes from the values without each image. Influences are too small for classes of few
/// images: those inside classes covered 87 % (bench/weighted_calibration_coverage.py).
Influenced exactly(std::span<const WeightedImage> images, WithoutEach all) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        const double w = images[i].weight;
        all.found.drawn.push_back((all.found.value - all.without[i]) * (1 - w) / w);
    }
    return std::move(all.found);
}

}  // namespace

std::optional<Influenced> weighted_calibration(const MetricRequest& request,
                                               std::span<const WeightedImage> images) {
    const std::string_view name = request.facts->name;
    if (name == "calibration_ks") return greatest_running_gap(images);
    const WeightedBins bins(request, images, name == "binary_ece");
    if (name == "ece_debiased") return bins.debiased();
    const std::string& norm = request.parameters.at("norm");
    return norm == "max"  ? bins.greatest()
           : norm == "l2" ? bins.root_mean_square()
                          : bins.mean_gap();
}

std::optional<Influenced> weighted_balance(const MetricRequest& request,
                                           std::span<const WeightedImage> images,
                                           std::size_t classes) {
    const WeightedClasses all(images, classes);
    const std::string_view name = request.facts->name;
    const auto is = [&](const char* parameter, std::string_view value) {
        return request.parameters.at(parameter) == value;
    };
    const bool within = name != "class_accuracy_balance" && is("spread", "within");
    const bool sample = name == "class_accuracy_balance" ? is("std", "sample") : within;
    if (name == "class_confidence_balance") return exactly(images, all.confidences(within));
    if (sample && all.size() < 2) return std::nullopt;
    WithoutEach accuracies = all.accuracies(sample);
    if (name == "class_accuracy_balance") return exactly(images, std::move(accuracies));
    const WithoutEach confidences = all.confidences(within);
    const Influenced &first = accuracies.found, &second = confidences.found;
    const auto joined = [](double a, double b) {
        return std::sqrt(std::max(0.0, a) * std::max(0.0, b));
    };
    WithoutEach out{{.value = joined(first.value, second.value)}, {}};
    for (std::size_t i = 0; i < images.size(); ++i) {
        const double moved = first.influence[i] * second.value + second.influence[i] * first.value;
        out.found.influence.push_back(out.found.value > 0 ? moved / (2 * out.found.value) : 0);
        out.without.push_back(joined(accuracies.without[i], confidences.without[i]));
    }
    return exactly(images, std::move(out));
}

}  // namespace assay::evaluate
