#include "decisions/set_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/random.h"
#include "store/full_rows.h"

namespace assay::decisions {

double draw_of(std::string_view id, std::uint64_t seed) {
    return RandomStream(seed, fmt::format("conformal draw of {}", id)).uniform();
}

bool is_of_calibration(std::string_view id, double proportion, std::uint64_t seed) {
    return RandomStream(seed, fmt::format("conformal part of {}", id)).uniform() < proportion;
}

void SortedRow::read(const RowReader& reader, std::uint64_t row) {
    const std::size_t count = reader.store().classes();
    probabilities_.resize(count);
    store::read_probabilities(reader, row, buffer_, probabilities_);
    sorted_.resize(count);
    sums_.resize(count);
    for (std::size_t c = 0; c < count; ++c)
        sorted_[c] = {probabilities_[c], static_cast<std::int32_t>(c)};
    std::ranges::sort(sorted_, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    double total = 0;
    for (std::size_t r = 0; r < count; ++r) sums_[r] = total += sorted_[r].first;
}

std::size_t SortedRow::rank_of(std::span<const std::int32_t> valid) const {
    std::size_t rank = 0;
    while (rank + 1 < sorted_.size() && !std::ranges::binary_search(valid, sorted_[rank].second))
        ++rank;
    return rank;
}

double SortedRow::score(std::size_t rank, const SetRule& rule, double draw) const {
    if (rule.method == SetMethod::lac) return 1 - sorted_[rank].first;
    const double score = sums_[rank] - draw * sorted_[rank].first;
    if (rule.method == SetMethod::aps) return score;
    return score + rule.lambda * std::max(0.0, static_cast<double>(rank + 1) - rule.k_reg);
}

std::uint64_t place_of_threshold(std::uint64_t n, double alpha) {
    // 10 (1 - .1) must be 9 and not the next whole number, despite rounding.
    const double place = static_cast<double>(n + 1) * (1 - alpha);
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(place - 1e-9)));
}

double threshold_of(std::span<double> scores, double alpha) {
    const std::uint64_t place = place_of_threshold(scores.size(), alpha);
    if (place > scores.size()) return std::numeric_limits<double>::infinity();
    const auto at = scores.begin() + static_cast<std::ptrdiff_t>(place - 1);
    std::nth_element(scores.begin(), at, scores.end());
    return *at;
}

}  // namespace assay::decisions
