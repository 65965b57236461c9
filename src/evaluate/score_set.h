// One run of the metrics over a selection of a store's items, which score and compare share.
#pragma once

#include <memory>
#include <vector>

#include "evaluate/scored_rows.h"

namespace assay {

enum class Keep { report, items };

struct ScoredSet {
    ScoreReport report;                        ///< without classes' names
    std::vector<MetricRequest> requests;       ///< one per measurement, in the same order
    std::vector<ResampledEstimate> estimates;  ///< likewise
    /// Sum of the clusters' squared sizes over items that count; 0 if items are independent.
    double alike = 0;
    // The following members require Keep::items.
    std::vector<ItemRecord> records;    ///< one per item
    std::vector<std::int32_t> targets;  ///< one per item: single label of a scored item, or -1
    std::vector<std::uint8_t> correct;  ///< one per item: 1 correct, 0 incorrect, 2 not counted (no
                                        ///< valid label, not scored); by label sets
};

/// `reader` with the options' map. `rows` has the store's row of each item; empty means all of them
/// in order. `truth` comes from truth_for(). `options.metrics` names at least one metric. Progress
/// counts the items of this rank. Data about single items is kept if `keep` requests it, and while
/// a metric needs it. It takes 24 bytes per item, and 24 more if a metric ranks by log-odds, on
/// every rank. Otherwise, memory grows by one byte per item, and by 8 more if items are in
/// clusters.
ScoredSet score_set(const RowReader& reader, const Truth& truth, const ScoreOptions& options,
                    std::vector<std::uint64_t> rows, std::string_view subgroup, Comm& comm,
                    Keep keep, const ProgressCallback& progress = {});

/// The interval of a value (or of a difference of two) from its estimate.
std::optional<Interval> interval_of(double value, std::span<const double> without,
                                    std::span<const double> replicates, double level);
/// True if two numbers differ by no more than sums in another order do. An interval with such ends
/// has no width.
bool same_but_rounding(double a, double b);

}  // namespace assay
