// Detects the kind of scores from their numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"
#include "assay/store/score_kind.h"
#include "containers/npy.h"

namespace assay::store {

/// Counts over the rows whose scores are all finite. Blocks are merged in the order of the rows.
struct KindFacts {
    std::uint64_t rows = 0;
    std::uint64_t not_finite = 0;     ///< excluded rows
    std::uint64_t within_unit = 0;    ///< rows with all scores in [0, 1]
    std::uint64_t probabilities = 0;  ///< rows among those that sum to 1 (top-k: at most 1)
    std::uint64_t log_probabilities =
        0;  ///< rows with no score above 0 whose exponentials sum to 1 (top-k: to at most 1)
    // Counts of full rows in other common forms:
    std::uint64_t percent = 0;  ///< numbers from 0 to 100 that sum to about 100
    std::uint64_t log2 = 0;     ///< no score above 0, and the powers of 2 sum to 1
    std::uint64_t log10 = 0;
    std::uint64_t within_percent = 0;  ///< rows of numbers from 0 to 100
    /// Rows in [0, 1] whose sums differ from 1 by rounding: the scores have two to four decimals,
    /// and the sum is as near to 1 as such a rounding allows. `decimals` is their largest number of
    /// decimals, and the sums lie between `lowest_sum` and `highest_sum`.
    std::uint64_t rounded = 0;
    int decimals = 0;
    double lowest_sum = 1, highest_sum = 1;
    /// The first row that is not a row of probabilities, even rounded ones (log-probabilities), and
    /// the reason.
    struct Exception {
        std::uint64_t row = 0;
        std::string why;  ///< "" if there is no such row
    };
    Exception not_probabilities;
    Exception not_logs;

    void merge(const KindFacts& later);
    /// True if every row is a row of probabilities, and some are rounded.
    bool are_rounded() const { return rounded > 0 && probabilities + rounded == rows; }
};

/// The tolerance for sums: 1e-3, and more for numbers with 11 or 8 bits.
double kind_tolerance(NumberType precision);

KindFacts facts_of_rows(std::span<const float> scores, std::uint32_t classes,
                        std::uint64_t first_row, double tolerance);
/// The rows have `top` entries each.
KindFacts facts_of_entries(std::span<const TopEntry> entries, std::uint32_t top,
                           std::uint64_t first_row, double tolerance);

/// The kind that fits every row. No value if the rows do not determine it. `why` then describes the
/// missing option.
std::optional<ScoreKind> kind_of(const KindFacts& facts, std::string& why);

/// Returns "percent", "log2_probabilities" or "log10_probabilities" if nearly all rows have that
/// form; else "".
std::string_view scale_of(const KindFacts& facts);

/// Describes rounded probabilities: "probabilities rounded to 2 decimals: rows sum to 0.99
/// to 1.01".
/// "" if they are not rounded.
std::string said_of_rounding(const KindFacts& facts);

/// Describes how the numbers contradict `stated`. "" if they do not.
std::string contradiction(ScoreKind stated, const KindFacts& facts);

}  // namespace assay::store
