#include "replication/frequency_means.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"

namespace assay::replication {
namespace {

double total(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0);
}

/// The standard error of a sum of residuals, one per class.
double over_classes(const std::vector<double>& residuals) {
    const double classes = static_cast<double>(residuals.size());
    const double squares =
        std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0);
    return std::sqrt(squares * classes / (classes - 1));
}

Estimate with_interval(double value, double error, double degrees, const char* method,
                       double images) {
    Estimate estimate;
    estimate.value = value;
    estimate.unit = Unit::proportion;
    estimate.n = static_cast<std::uint64_t>(images);
    // Equal frequencies have rounding errors, so an error up to 1e-12 counts as zero.
    if (!(error > 1e-12)) {
        estimate.note = "no interval: the frequencies do not vary";
        return estimate;
    }
    estimate.standard_error = error;
    estimate.interval = symmetric_interval(value, error, 0.95, method, std::max(1.0, degrees));
    return estimate;
}

Estimate over_classes(double value, const std::vector<double>& residuals, double images) {
    return with_interval(value, over_classes(residuals), static_cast<double>(residuals.size()) - 1,
                         "t.by_class", images);
}

Estimate undefined() {
    Estimate estimate;
    estimate.unit = Unit::proportion;
    estimate.undefined = "no image has annotators";
    return estimate;
}

}  // namespace

void FrequencyMeans::add(std::uint32_t cls, int selected, int annotators) {
    add(cls, static_cast<double>(selected) / annotators, 1.0);
}

void FrequencyMeans::add(std::uint32_t cls, double value, double weight) {
    sum_[cls] += weight * value;
    squares_[cls] += weight * value * value;
    weight_[cls] += weight;
    images_ += 1;
}

FrequencyMeans FrequencyMeans::weighted_as(const FrequencyMeans& other) const {
    FrequencyMeans out = *this;
    out.images_ = 0;
    for (std::size_t c = 0; c < sum_.size(); ++c) {
        const double factor = weight_[c] > 0 ? other.weight_[c] / weight_[c] : 0;
        for (auto* sums : {&out.sum_, &out.squares_, &out.weight_}) (*sums)[c] *= factor;
        out.images_ += factor > 0 ? weight_[c] : 0;
    }
    return out;
}

Estimate FrequencyMeans::mean() const {
    if (images_ == 0) return undefined();
    const double n = total(weight_), value = total(sum_) / n;
    std::vector<double> residuals;
    for (std::size_t c = 0; c < sum_.size(); ++c) {
        if (weight_[c] > 0) residuals.push_back((sum_[c] - value * weight_[c]) / n);
    }
    return residuals.size() > 1
               ? over_classes(value, residuals, images_)
               : with_interval(value, over_images(), images_ - 1, "t.by_image", images_);
}

Estimate FrequencyMeans::minus(const FrequencyMeans& other) const {
    if (images_ == 0 || other.images_ == 0) return undefined();
    const double a = *mean().value, b = *other.mean().value, na = total(weight_),
                 nb = total(other.weight_), images = images_ + other.images_;
    std::vector<double> residuals;
    for (std::size_t c = 0; c < sum_.size(); ++c) {
        if (weight_[c] + other.weight_[c] > 0) {
            residuals.push_back((sum_[c] - a * weight_[c]) / na -
                                (other.sum_[c] - b * other.weight_[c]) / nb);
        }
    }
    return residuals.size() > 1
               ? over_classes(a - b, residuals, images)
               : with_interval(a - b, std::hypot(over_images(), other.over_images()),
                               std::min(images_, other.images_) - 1, "t.by_image", images);
}

double FrequencyMeans::over_images() const {
    const double n = total(weight_), mean = total(sum_) / n;
    return images_ > 1 ? std::sqrt(std::max(0.0, total(squares_) / n - mean * mean) / (images_ - 1))
                       : 0;
}

Estimate mean_frequency(const Readings& set) {
    const auto classes =
        set.classes.empty() ? 0 : *std::max_element(set.classes.begin(), set.classes.end()) + 1;
    FrequencyMeans means(classes);
    for (std::size_t i = 0; i < set.size(); ++i)
        means.add(set.classes[i], set.selected[i], set.annotators[i]);
    return means.mean();
}

}  // namespace assay::replication
