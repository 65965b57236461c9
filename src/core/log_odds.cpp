#include "core/log_odds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cpu.h"
#include "core/log_odds_kernel.h"
#include "core/softmax.h"

namespace assay {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Rounds numbers below 1 to multiples of a unit, so large that the sum of `count` of them fits.
struct Units {
    double magic = 0, unit = 0;
    explicit Units(std::size_t count) {
        constexpr int finest = 50, room = 62;
        const int bits = std::min(finest, room - static_cast<int>(std::bit_width(count)));
        magic = std::ldexp(1.5, 52 - bits);
        unit = std::ldexp(1.0, -bits);
    }
    std::int64_t of(double x) const {
        return std::bit_cast<std::int64_t>(x + magic) - std::bit_cast<std::int64_t>(magic);
    }
};

/// `others` is the row with -infinity in place of its largest number, padded in the same way.
double log_odds_beside(double largest, std::span<const double> others) {
    const bool fast = cpu_has_avx2();
    const double second = fast ? detail::max_of_avx2(others.data(), others.size())
                               : detail::max_of_plain(others.data(), others.size());
    if (largest == -infinity) return -infinity;
    if (second == -infinity) return infinity;
    const Units units(others.size());
    const std::int64_t sum =
        fast ? detail::exp_units_avx2(others.data(), others.size(), second, units.magic)
             : detail::exp_units_plain(others.data(), others.size(), second, units.magic);
    return (largest - second) - std::log(static_cast<double>(sum) * units.unit);
}

template <class Number>
TopLogOdds top_of(std::span<const Number> row, std::size_t cls) {
    thread_local std::vector<double> others;
    constexpr std::size_t lanes = detail::log_odds_lanes;
    others.resize((row.size() + lanes - 1) / lanes * lanes);
    std::copy(row.begin(), row.end(), others.begin());
    std::fill(others.begin() + static_cast<std::ptrdiff_t>(row.size()), others.end(), -infinity);
    others[cls] = -infinity;
    const auto largest = static_cast<double>(row[cls]);
    return {log_odds_beside(largest, others), largest, static_cast<std::int32_t>(cls)};
}

}  // namespace

TopLogOdds top_log_odds(std::span<const float> row) {
    return top_of(row, static_cast<std::size_t>(scan_row(row, -1).argmax));
}

TopLogOdds top_log_odds(std::span<const double> row) {
    return top_of(row,
                  static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
}

double sum_without(std::span<const double> row, std::size_t left_out) {
    double largest = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        largest = i == left_out ? largest : std::max(largest, row[i]);
    if (largest == 0) return 0;
    const Units units(row.size());
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        sum += i == left_out ? 0 : units.of(row[i] / largest);
    return static_cast<double>(sum) * units.unit * largest;
}

double log_odds_of(double p, double rest) {
    if (p <= 0) return -infinity;
    return rest <= 0 ? infinity : std::log(p) - std::log(rest);
}

namespace detail {

double max_of_plain(const double* x, std::size_t count) {
    return *std::max_element(x, x + count);
}

std::int64_t exp_units_plain(const double* x, std::size_t count, double shift, double magic) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double y = std::max(x[i] - shift, log_odds_lowest);
        const double shifted = std::fma(y, exp_log2_e, exp_to_integer);
        const double whole = shifted - exp_to_integer;
        double r = std::fma(-whole, exp_ln2_high, y);
        r = std::fma(-whole, exp_ln2_low, r);
        double p = exp_terms[0];
        for (std::size_t k = 1; k < std::size(exp_terms); ++k) p = std::fma(p, r, exp_terms[k]);
        p = std::fma(p, r * r, r) + 1.0;
        const auto power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52U) +
                                                 std::bit_cast<std::uint64_t>(1.0));
        // The product is exact, so the sum has the same bits with or without fused operations.
        sum += std::bit_cast<std::int64_t>(p * power + magic) - std::bit_cast<std::int64_t>(magic);
    }
    return sum;
}

}  // namespace detail
}  // namespace assay
