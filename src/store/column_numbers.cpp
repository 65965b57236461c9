#include "store/column_numbers.h"

#include <algorithm>
#include <cmath>

#include "store/kind_check.h"
#include "store/score_columns.h"

namespace assay::store {
namespace {

constexpr std::size_t fewest_rows = 3;
/// The tolerance for a sum of 1, because people round probabilities to three digits.
constexpr double sum_tolerance = 5e-3;

}  // namespace

float ColumnNumbers::at(std::size_t row, std::size_t column) const {
    return sample_.values[row * sample_.names.size() + column];
}

bool ColumnNumbers::is_whole(std::size_t column) const {
    bool any = false;
    for (std::size_t r = 0; r < sample_.rows; ++r) {
        const float value = at(r, column);
        if (std::isnan(value)) continue;
        if (std::isinf(value) || value != std::floor(value)) return false;
        any = true;
    }
    return any && sample_.rows >= fewest_rows;
}

bool ColumnNumbers::is_constant(std::size_t column) const {
    if (sample_.rows < fewest_rows || !std::isfinite(at(0, column))) return false;
    for (std::size_t r = 1; r < sample_.rows; ++r) {
        if (at(r, column) != at(0, column)) return false;
    }
    return true;
}

bool ColumnNumbers::is_zero(std::size_t column) const {
    return is_constant(column) && at(0, column) == 0;
}

bool ColumnNumbers::sums_to(std::size_t row, std::size_t first, std::size_t last,
                            double sum) const {
    double found = 0;
    for (std::size_t c = first; c <= last; ++c) {
        if (!(at(row, c) >= 0)) return false;
        found += static_cast<double>(at(row, c));
    }
    return std::fabs(found - sum) <= sum_tolerance * sum;
}

bool ColumnNumbers::rows_are_distributions() const {
    const std::size_t columns = sample_.names.size();
    if (sample_.rows == 0 || columns < 2) return false;
    const auto all_rows = [&](const auto& is_one) {
        for (std::size_t r = 0; r < sample_.rows; ++r) {
            if (!is_one(r)) return false;
        }
        return true;
    };
    for (const double sum : {1.0, 100.0}) {
        if (all_rows([&](std::size_t r) { return sums_to(r, 0, columns - 1, sum); })) return true;
    }
    for (const double base : {std::exp(1.0), 2.0, 10.0}) {
        if (all_rows([&](std::size_t r) {
                double sum = 0;
                for (std::size_t c = 0; c < columns; ++c)
                    sum += std::pow(base, static_cast<double>(at(r, c)));
                return std::fabs(sum - 1) <= sum_tolerance;
            }))
            return true;
    }
    return false;
}

bool ColumnNumbers::rows_are_rounded() const {
    const std::size_t columns = sample_.names.size();
    if (columns < 2) return false;
    const KindFacts facts = facts_of_rows(sample_.values, static_cast<std::uint32_t>(columns), 0,
                                          kind_tolerance(NumberType::f4));
    return facts.not_finite == 0 && facts.are_rounded();
}

bool ColumnNumbers::rows_are_rounded_without(std::size_t column) const {
    // Rounding explains at most so much of two sums of a row.
    constexpr float most = .1F;
    for (std::size_t r = 0; r < sample_.rows; ++r) {
        if (!(at(r, column) <= most)) return false;
    }
    ColumnSample others = sample_;
    others.names.erase(others.names.begin() + static_cast<std::ptrdiff_t>(column));
    others.values.clear();
    for (std::size_t r = 0; r < sample_.rows; ++r) {
        for (std::size_t c = 0; c < sample_.names.size(); ++c) {
            if (c != column) others.values.push_back(at(r, c));
        }
    }
    const ColumnNumbers numbers(others);
    return numbers.rows_are_distributions() || numbers.rows_are_rounded();
}

std::optional<std::pair<std::size_t, std::size_t>> ColumnNumbers::range_of_probabilities() const {
    const std::size_t columns = sample_.names.size();
    // Every range of the first row is tried, so the number of ranges is limited.
    constexpr std::size_t most_columns = 5000;
    if (sample_.rows < fewest_rows || columns > most_columns) return std::nullopt;
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (std::size_t first = 0; first + 1 < columns; ++first) {
        double sum = 0;
        for (std::size_t last = first; last < columns; ++last) {
            if (!(at(0, last) >= 0) || sum > 1 + sum_tolerance) break;
            sum += static_cast<double>(at(0, last));
            if (last == first || std::fabs(sum - 1) > sum_tolerance) continue;
            if (best && last - first <= best->second - best->first) continue;
            bool all = true;
            for (std::size_t r = 1; r < sample_.rows && all; ++r) all = sums_to(r, first, last, 1);
            if (all) best = {first, last};
        }
    }
    if (best && best->second - best->first + 1 == columns) return std::nullopt;
    return best;
}

bool ColumnNumbers::has_maxima(const std::vector<float>& confidence) const {
    const std::size_t columns = sample_.names.size();
    if (confidence.size() != sample_.rows || sample_.rows < fewest_rows) return false;
    bool plain = true, softmax = true;
    for (std::size_t r = 0; r < sample_.rows; ++r) {
        double highest = static_cast<double>(at(r, 0));
        for (std::size_t c = 1; c < columns; ++c)
            highest = std::max(highest, static_cast<double>(at(r, c)));
        double sum = 0;
        for (std::size_t c = 0; c < columns; ++c)
            sum += std::exp(static_cast<double>(at(r, c)) - highest);
        const double said = static_cast<double>(confidence[r]);
        plain = plain && std::fabs(said - highest) <= 1e-3;
        softmax = softmax && std::fabs(said - 1 / sum) <= 1e-3;
    }
    return plain || softmax;
}

}  // namespace assay::store
