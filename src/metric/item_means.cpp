#include "metric/item_means.h"

#include <array>

#include "metric/agreement.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

enum : std::size_t {
    mean_items,
    boundless_items,
    sum_of_values,  // the first real sum
    sum_of_squares = sum_of_values + real_slots,
    item_mean_slots = sum_of_squares + real_slots
};

}  // namespace

ItemMeanSums::ItemMeanSums() : counts_(group_count * item_mean_slots, 0) {}

void ItemMeanSums::add(std::uint16_t group, double value) {
    std::int64_t* const sums = counts_.data() + group * item_mean_slots;
    ++sums[mean_items];
    add_real(sums + sum_of_values, value);
    // This is needed only for values that are proportions.
    if (value >= 0 && value <= 1) add_real(sums + sum_of_squares, value * value);
}

void ItemMeanSums::add_boundless(std::uint16_t group) {
    ++counts_[group * item_mean_slots + boundless_items];
}

std::int64_t ItemMeanSums::sum_of(std::size_t slot) const {
    std::int64_t sum = 0;
    for (std::size_t g = 0; g < group_count; ++g) sum += counts_[g * item_mean_slots + slot];
    return sum;
}

std::uint64_t ItemMeanSums::items() const {
    return static_cast<std::uint64_t>(sum_of(mean_items));
}

std::uint64_t ItemMeanSums::boundless() const {
    return static_cast<std::uint64_t>(sum_of(boundless_items));
}

ResampledEstimate ItemMeanSums::scaled_mean(double top) const {
    const std::array<std::int64_t, real_slots> all = {sum_of(sum_of_values),
                                                      sum_of(sum_of_values + 1)};
    const std::int64_t n = sum_of(mean_items);
    ResampledEstimate result;
    result.n = static_cast<std::uint64_t>(n);
    result.value = real_of(all.data()) / static_cast<double>(n) * top;
    for (std::size_t g = 0; g < group_count; ++g) {
        const std::int64_t* const own = counts_.data() + g * item_mean_slots;
        if (own[mean_items] == 0) continue;
        const std::array<std::int64_t, real_slots> rest = {all[0] - own[sum_of_values],
                                                           all[1] - own[sum_of_values + 1]};
        const std::int64_t others = n - own[mean_items];
        result.without.push_back(
            others > 0 ? real_of(rest.data()) / static_cast<double>(others) * top : *result.value);
    }
    return result;
}

ResampledEstimate ItemMeanSums::mean() const {
    return scaled_mean(1);
}

ResampledEstimate ItemMeanSums::mean_of_parts(double top, bool yes_or_no, double level) const {
    ResampledEstimate result = scaled_mean(top);
    const std::array<std::int64_t, real_slots> squares = {sum_of(sum_of_squares),
                                                          sum_of(sum_of_squares + 1)};
    add_mean_interval(result, real_of(squares.data()), 1 / top, yes_or_no, level);
    return result;
}

}  // namespace assay
