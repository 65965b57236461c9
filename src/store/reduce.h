// Converts the scores of a shard's rows to the stored bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/record.h"

namespace assay::store {

/// The data of each of the shard's files, without its header.
struct ShardData {
    /// spans of `owned`, or of the scores themselves
    std::vector<std::span<const std::byte>> files;
    std::vector<std::vector<std::byte>> owned;
};

/// True if the row can be stored unchanged. A logit or log-probability of -infinity gives its class
/// probability 0 (as masks do), if another class has more. This includes halves that round to
/// -infinity.
bool is_sound(std::span<const float> row, ScoreKind kind, StorageFormat storage);

/// The logarithm of the sum of the exponentials of a finite row. Metrics divide by the same sum
/// (exp_sums).
double log_sum_exp(std::span<const float> row);
/// The `out.size()` best entries of a finite row, best first. For ties, lower classes are first.
void best_of(std::span<const float> row, std::span<TopEntry> out);

/// Marks rows that claim to be ok but contain a NaN, an infinity, or (halves) a score beyond the
/// range of halves. For logits and log-probabilities, -infinity is allowed unless all scores are
/// -infinity. Adds an error with the first such class and score for each row.
void find_not_finite(const StoreSpec& spec, std::span<const float> scores, std::uint64_t first_row,
                     std::vector<RowState>& states, std::vector<RowError>& errors);

/// The same for entries: `spec.top_k` entries or one per row.
void find_not_finite(const StoreSpec& spec, std::span<const TopEntry> entries,
                     std::uint64_t first_row, std::vector<RowState>& states,
                     std::vector<RowError>& errors);
/// For a row that is not_finite, true if find_not_finite() marked it. Otherwise its image could not
/// be computed.
bool is_of_scores(const RowError& error);

/// `scores` must outlive the result.
ShardData reduce(const StoreSpec& spec, std::span<const float> scores,
                 std::span<const RowState> states);
/// The bytes for entries of rows whose log-sum-exp is 0. Throws internal if entries are out of
/// order or have no class.
ShardData reduce(const StoreSpec& spec, std::span<const TopEntry> entries,
                 std::span<const RowState> states);

}  // namespace assay::store
