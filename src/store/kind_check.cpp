#include "store/kind_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/softmax.h"

namespace assay::store {
namespace {

/// The numbers of a row that determine its kind.
struct RowNumbers {
    float min;
    float max;
    double sum;
    double exp_sum;                      ///< sum of exp(score); computed if max is near 0 or below
    double exp2_sum = 0, exp10_sum = 0;  ///< computed if exp_sum is also not 1
};

/// Numbers with more decimals are not called rounded.
constexpr int most_decimals = 4;
/// A larger deviation of a sum is not attributed to rounding without being told.
constexpr double most_rounding = 0.05;

/// The number of decimals with which all scores were written, or 0 if there are more than
/// `most_decimals`.
int decimals_of(std::span<const float> row) {
    constexpr double float_error = 2e-3;  // of a number with four decimals, with some room
    double power = 1;
    for (int decimals = 1; decimals <= most_decimals; ++decimals) {
        power *= 10;
        const bool all = std::all_of(row.begin(), row.end(), [&](float score) {
            const double scaled = static_cast<double>(score) * power;
            return std::fabs(scaled - std::round(scaled)) < float_error;
        });
        if (all) return decimals;
    }
    return 0;
}

/// Counts a row in [0, 1] that does not sum to 1, if rounding explains the sum. `partial` as below.
bool count_rounded(std::span<const float> row, double sum, bool partial, KindFacts& facts) {
    const double off = partial ? std::max(sum - 1, 0.0) : std::fabs(sum - 1);
    if (off > most_rounding) return false;
    const int decimals = decimals_of(row);
    constexpr double float_error = 1e-6;
    const double most = static_cast<double>(row.size()) * 0.5 * std::pow(10.0, -decimals);
    if (decimals == 0 || off > most + float_error) return false;
    ++facts.rounded;
    facts.decimals = std::max(facts.decimals, decimals);
    facts.lowest_sum = std::min(facts.lowest_sum, sum);
    facts.highest_sum = std::max(facts.highest_sum, sum);
    return true;
}

/// `partial` means that some classes are missing, so that sums may be below 1.
void count_row(std::span<const float> scores, const RowNumbers& n, bool partial, std::uint64_t row,
               double tolerance, KindFacts& facts) {
    const auto is_one = [&](double sum) {
        return sum <= 1 + tolerance && (partial || sum >= 1 - tolerance);
    };
    ++facts.rows;
    const bool unit = n.min >= 0 && static_cast<double>(n.max) <= 1 + tolerance;
    const bool probabilities = unit && is_one(n.sum);
    const bool logs = static_cast<double>(n.max) <= tolerance && is_one(n.exp_sum);
    facts.within_unit += unit ? 1U : 0U;
    facts.probabilities += probabilities ? 1U : 0U;
    facts.log_probabilities += logs ? 1U : 0U;
    const bool rounded = unit && !probabilities && count_rounded(scores, n.sum, partial, facts);
    constexpr double percent_tolerance = 1;  // tolerance for numbers without decimals
    const bool to_100 = n.min >= 0 && n.max <= 100 + tolerance;
    facts.within_percent += to_100 ? 1U : 0U;
    if (!partial && !probabilities && !logs) {
        facts.percent += to_100 && std::fabs(n.sum - 100) <= percent_tolerance ? 1U : 0U;
        facts.log2 += is_one(n.exp2_sum) ? 1U : 0U;
        facts.log10 += is_one(n.exp10_sum) ? 1U : 0U;
    }
    if (!probabilities && !rounded && facts.not_probabilities.why.empty()) {
        facts.not_probabilities = {
            row, unit ? fmt::format("sums to {:.6g}", n.sum)
                      : fmt::format("has scores from {:.6g} to {:.6g}", n.min, n.max)};
    }
    if (!logs && facts.not_logs.why.empty()) {
        facts.not_logs = {row, static_cast<double>(n.max) <= tolerance
                                   ? fmt::format("has exponentials that sum to {:.6g}", n.exp_sum)
                                   : fmt::format("has a score of {:.6g}, above 0", n.max)};
    }
}

/// -infinity is the logarithm of probability 0.
bool is_number(float score) {
    return score < std::numeric_limits<float>::infinity();  // false for NaN
}

bool all_numbers(std::span<const float> row) {
    bool all = true;
    for (const float score : row) all &= is_number(score);
    return all;
}

}  // namespace

void KindFacts::merge(const KindFacts& later) {
    rows += later.rows;
    not_finite += later.not_finite;
    within_unit += later.within_unit;
    probabilities += later.probabilities;
    log_probabilities += later.log_probabilities;
    percent += later.percent;
    log2 += later.log2;
    log10 += later.log10;
    within_percent += later.within_percent;
    rounded += later.rounded;
    decimals = std::max(decimals, later.decimals);
    lowest_sum = std::min(lowest_sum, later.lowest_sum);
    highest_sum = std::max(highest_sum, later.highest_sum);
    if (not_probabilities.why.empty()) not_probabilities = later.not_probabilities;
    if (not_logs.why.empty()) not_logs = later.not_logs;
}

double kind_tolerance(NumberType precision) {
    if (precision == NumberType::f2) return 5e-3;
    if (precision == NumberType::bf16) return 3e-2;
    return 1e-3;
}

KindFacts facts_of_rows(std::span<const float> scores, std::uint32_t classes,
                        std::uint64_t first_row, double tolerance) {
    KindFacts facts;
    for (std::size_t r = 0; r * classes < scores.size(); ++r) {
        const std::span<const float> row = scores.subspan(r * classes, classes);
        if (!all_numbers(row)) {
            ++facts.not_finite;
            continue;
        }
        const RowScan scan = scan_row(row, -1);
        // exp is computed only if it can matter, because most logits have a positive score.
        const bool maybe_logs = static_cast<double>(scan.max) <= tolerance;
        const double exp_sum =
            maybe_logs ? exp_sums(row, scan.max).sum * std::exp(static_cast<double>(scan.max))
                       : 0.0;
        RowNumbers numbers{scan.min, scan.max, plain_sums(row).sum, exp_sum};
        if (maybe_logs && std::fabs(exp_sum - 1) > tolerance) {
            for (const float score : row) {
                numbers.exp2_sum += std::exp2(static_cast<double>(score));
                numbers.exp10_sum += std::pow(10.0, static_cast<double>(score));
            }
        }
        count_row(row, numbers, false, first_row + r, tolerance, facts);
    }
    return facts;
}

KindFacts facts_of_entries(std::span<const TopEntry> entries, std::uint32_t top,
                           std::uint64_t first_row, double tolerance) {
    KindFacts facts;
    std::vector<float> scores;
    for (std::size_t r = 0; r * top < entries.size(); ++r) {
        const std::span<const TopEntry> row = entries.subspan(r * top, top);
        if (!std::all_of(row.begin(), row.end(),
                         [](const TopEntry& e) { return is_number(e.score); })) {
            ++facts.not_finite;
            continue;
        }
        RowNumbers n{row.back().score, row.front().score, 0, 0};
        scores.clear();
        for (const TopEntry& entry : row) {
            scores.push_back(entry.score);
            n.sum += static_cast<double>(entry.score);
            n.exp_sum += std::exp(static_cast<double>(entry.score));
        }
        count_row(scores, n, true, first_row + r, tolerance, facts);
    }
    return facts;
}

std::string_view scale_of(const KindFacts& facts) {
    const auto nearly_all = [&](std::uint64_t count) {
        return count > 0 && count >= facts.rows - facts.rows / 10;
    };
    if (nearly_all(facts.percent)) return "percent";
    if (nearly_all(facts.log2)) return "log2_probabilities";
    if (nearly_all(facts.log10)) return "log10_probabilities";
    return {};
}

std::optional<ScoreKind> kind_of(const KindFacts& facts, std::string& why) {
    if (facts.rows == 0) {
        why = "no row has only finite scores";
        return std::nullopt;
    }
    if (facts.probabilities == facts.rows || facts.are_rounded()) return ScoreKind::probabilities;
    if (facts.log_probabilities == facts.rows) return ScoreKind::log_probabilities;
    const std::string_view scale = scale_of(facts);
    if (scale == "percent") {
        why = fmt::format("{} of {} rows hold numbers from 0 to 100 that sum to 100, as percent do",
                          facts.percent, facts.rows);
        return std::nullopt;
    }
    if (!scale.empty()) {
        const bool two = scale.starts_with("log2");
        why = fmt::format(
            "of {} of {} rows the powers of {} sum to 1, as of logarithms of "
            "probabilities to base {}",
            two ? facts.log2 : facts.log10, facts.rows, two ? 2 : 10, two ? 2 : 10);
        return std::nullopt;
    }
    const KindFacts::Exception& first = facts.not_probabilities;
    if (facts.within_unit == facts.rows) {
        why = fmt::format(
            "all scores lie between 0 and 1, but row {} {}. They may be independent (sigmoid) "
            "outputs, or rounded to few decimals; if so, pass --kind probabilities --force",
            first.row, first.why);
        return std::nullopt;
    }
    // Nine in ten rows do not fit by accident, so the other rows must be faulty.
    const auto most = [&](std::uint64_t count) {
        return count >= facts.rows - facts.rows / 10 && facts.rows >= 10;
    };
    if (const std::uint64_t sound = facts.probabilities + facts.rounded; most(sound)) {
        why = fmt::format("{} of {} rows are probabilities{}, but row {} {}", sound, facts.rows,
                          facts.rounded > 0 ? fmt::format(" ({} decimals)", facts.decimals) : "",
                          first.row, first.why);
        return std::nullopt;
    }
    if (most(facts.log_probabilities)) {
        why = fmt::format("{} of {} rows are log-probabilities, but row {} {}",
                          facts.log_probabilities, facts.rows, facts.not_logs.row,
                          facts.not_logs.why);
        return std::nullopt;
    }
    return ScoreKind::logits;
}

std::string said_of_rounding(const KindFacts& facts) {
    if (!facts.are_rounded()) return {};
    return fmt::format(
        "probabilities rounded to {} decimals: rows sum to {:.6g} to {:.6g}. A probability that "
        "is rounded to 0 makes the log loss infinite",
        facts.decimals, facts.lowest_sum, facts.highest_sum);
}

std::string contradiction(ScoreKind stated, const KindFacts& facts) {
    if (facts.rows == 0) return {};
    if (stated == ScoreKind::probabilities && facts.probabilities != facts.rows &&
        !facts.are_rounded()) {
        const bool may_be_percent =
            facts.within_percent == facts.rows && facts.within_unit < facts.rows;
        return fmt::format("row {} {}{}", facts.not_probabilities.row, facts.not_probabilities.why,
                           may_be_percent ? " (percent?)" : "");
    }
    if (stated == ScoreKind::log_probabilities && facts.log_probabilities != facts.rows) {
        return fmt::format("row {} {}", facts.not_logs.row, facts.not_logs.why);
    }
    // Log-probabilities may be treated as logits. Probabilities may not, because softmax would be
    // applied a second time.
    if (stated == ScoreKind::logits && facts.are_rounded())
        return said_of_rounding(facts) + "; softmax would be applied twice";
    if (stated == ScoreKind::logits && facts.probabilities == facts.rows) {
        return "every row is between 0 and 1 and sums to 1: these are probabilities, and softmax "
               "would be applied twice";
    }
    return {};
}

}  // namespace assay::store
