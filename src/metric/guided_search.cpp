#include "metric/guided_search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cpu.h"

namespace assay {
namespace {

constexpr std::size_t cells_per_value = 4, most_cells = std::size_t{1} << 16U;

}  // namespace

GuidedSearch::GuidedSearch(std::span<const double> values) {
    if (values.empty()) return;
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto low = std::find_if(values.begin(), values.end(), finite);
    const auto high = std::find_if(values.rbegin(), values.rend(), finite);
    const std::size_t cells = std::min(cells_per_value * values.size(), most_cells);
    if (low != values.end() && *low < *high) {
        low_ = *low;
        scale_ = static_cast<double>(cells) / (*high - *low);
    }
    last_ = static_cast<double>(cells - 1);
    std::vector<std::uint32_t> members(cells);
    for (const double value : values) ++members[cell_of(value)];
    window_ = *std::max_element(members.begin(), members.end());
    // A search never leaves the values: it begins at least this many before their end.
    const auto latest = static_cast<std::uint32_t>(values.size()) - window_;
    starts_.resize(cells);
    std::uint32_t below = 0;
    for (std::size_t c = 0; c < cells; ++c) {
        starts_[c] = std::min(below, latest);
        below += members[c];
    }
}

// The result never decreases as x increases, because each step is monotone. An infinite x is in the
// first or the last cell; infinity times 0 is NaN, for which std::max returns its first argument.
std::size_t GuidedSearch::cell_of(double x) const {
    const double cell = std::min(std::max(0.0, (x - low_) * scale_), last_);
    return static_cast<std::size_t>(static_cast<std::int32_t>(cell));
}

void GuidedSearch::find(std::span<const double> values, std::span<const double> column,
                        std::uint32_t* slots) const {
    cpu_has_avx2() ? find_avx2(values.data(), column, slots)
                   : find_plain(values.data(), column, slots);
}

// The searches advance together, without branches, so that their loads overlap.
void GuidedSearch::find_plain(const double* values, std::span<const double> column,
                              std::uint32_t* slots) const {
    for (std::size_t i = 0; i < column.size(); i += lanes) {
        const double* const x = column.data() + i;
        std::array<std::uint32_t, lanes> base;
        for (std::size_t l = 0; l < lanes; ++l) base[l] = starts_[cell_of(x[l])];
        for (std::uint32_t left = window_; left > 1;) {
            const std::uint32_t half = left / 2;
            // This is a product and not a conditional: compilers would make a branch of that, which
            // is mispredicted half of the time.
            for (std::size_t l = 0; l < lanes; ++l)
                base[l] += half * static_cast<std::uint32_t>(values[base[l] + half - 1] < x[l]);
            left -= half;
        }
        for (std::size_t l = 0; l < lanes; ++l) {
            const double value = values[base[l]];
            // Compares with the last candidate: below, equal, or above.
            slots[i + l] = 2 * base[l] + 2 * static_cast<std::uint32_t>(value < x[l]) +
                           static_cast<std::uint32_t>(value == x[l]);
        }
    }
}

}  // namespace assay
