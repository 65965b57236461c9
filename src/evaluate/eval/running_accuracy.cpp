#include "evaluate/eval/running_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interval_sides.h"
#include "core/statistics.h"

namespace assay::evaluate {

std::uint64_t count_labelled(const Dataset& dataset) {
    std::uint64_t labelled = 0;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i)
        labelled += dataset.labels[i].empty() ? 0 : 1;
    return labelled;
}

void RunningAccuracy::add(std::uint64_t correct, std::uint64_t images) {
    if (images == 0) return;
    const std::scoped_lock lock(mutex_);
    ++batches_;
    images_ += images;
    correct_ += correct;
    square_correct_ += correct * correct;
    square_images_ += images * images;
    products_ += correct * images;
}

Estimate RunningAccuracy::estimate() const {
    constexpr std::uint64_t enough_batches = 30;
    constexpr double level = 0.95;
    const std::scoped_lock lock(mutex_);
    Estimate out;
    out.unit = Unit::proportion;
    out.n = images_;
    if (images_ == 0) {
        out.undefined = "no labelled image yet";
        return out;
    }
    const auto number = [](std::uint64_t x) { return static_cast<double>(x); };
    const double accuracy = number(correct_) / number(images_);
    out.value = accuracy;
    if (!random_ || batches_ < enough_batches || images_ > all_) return out;
    // The sum over batches of (correct - accuracy * images)^2.
    const double squares = number(square_correct_) - 2 * accuracy * number(products_) +
                           accuracy * accuracy * number(square_images_);
    constexpr double rounding = 1e-9;
    // equal batches give no information about other batches
    if (squares < rounding && images_ < all_) return out;
    const double left = 1 - number(images_) / number(all_);
    const double m = number(batches_);
    const double variance =
        m / (m - 1) * std::max(0.0, squares) / (number(images_) * number(images_)) * left;
    out.standard_error = std::sqrt(variance);
    out.interval = symmetric_interval(accuracy, *out.standard_error, level, "cluster.normal");
    out.interval->low = std::max(0.0, out.interval->low);
    out.interval->high = std::min(1.0, out.interval->high);
    return out;
}

std::string RunningAccuracy::text(bool all_here) const {
    const Estimate now = estimate();
    if (!now.value) return "";
    std::string text = fmt::format("{:.1f} %", 100 * *now.value);
    if (now.interval && all_here) text += " " + sides_text(now, 1);
    return text;
}

BatchCount count_batch(const Dataset& dataset, std::uint64_t first,
                       std::span<const RowState> states, std::span<const float> scores) {
    BatchCount count;
    const std::size_t classes = states.empty() ? 0 : scores.size() / states.size();
    for (std::size_t i = 0; i < states.size(); ++i) {
        const std::size_t item = static_cast<std::size_t>(first) + i;
        if (states[i] != RowState::ok || item >= dataset.labels.size() ||
            dataset.labels[item].empty())
            continue;
        const auto row = scores.subspan(i * classes, classes);
        if (std::ranges::any_of(row, [](float x) { return std::isnan(x); })) continue;
        const auto best = std::ranges::max_element(row) - row.begin();
        ++count.images;
        count.correct += dataset.labels.contains(item, static_cast<std::int32_t>(best)) ? 1 : 0;
    }
    return count;
}

}  // namespace assay::evaluate
