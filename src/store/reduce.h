// From the scores of a shard's rows to the bytes that are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/record.h"

namespace assay::store {

/// The data of each of the shard's files, after its header.
struct ShardData {
    std::vector<std::span<const std::byte>> files;  ///< into `owned`, or into the scores themselves
    std::vector<std::vector<std::byte>> owned;
};

/// Whether the row can be stored as it is. A logit or a log-probability of -infinity says that its
/// class has probability 0 (as masks do), as long as another one has more; what halves round to it
/// says nothing else.
bool is_sound(std::span<const float> row, ScoreKind kind, StorageFormat storage);

/// Log of the sum of the exponentials of a finite row, from the same sum (exp_sums) that the
/// metrics divide by.
double log_sum_exp(std::span<const float> row);
/// The `out.size()` best of a finite row, best first; of equal scores the lower class first.
void best_of(std::span<const float> row, std::span<TopEntry> out);

/// Marks the rows that claim to be ok but hold a NaN, an infinity (of logits and log-probabilities:
/// above, or nothing else below), or (halves) a score beyond the
/// range of halves, and adds an error with the first such class and score for each.
void find_not_finite(const StoreSpec& spec, std::span<const float> scores, std::uint64_t first_row,
                     std::vector<RowState>& states, std::vector<RowError>& errors);

/// The same for entries, `spec.top_k` of a row or one.
void find_not_finite(const StoreSpec& spec, std::span<const TopEntry> entries,
                     std::uint64_t first_row, std::vector<RowState>& states,
                     std::vector<RowError>& errors);
/// Of a row that is not_finite: whether find_not_finite() says so; else its image could not be
/// computed.
bool is_of_scores(const RowError& error);

/// `scores` must outlive the result.
ShardData reduce(const StoreSpec& spec, std::span<const float> scores,
                 std::span<const RowState> states);
/// From entries of rows whose log-sum-exp is 0. Throws internal when they are not in order, or of
/// no class.
ShardData reduce(const StoreSpec& spec, std::span<const TopEntry> entries,
                 std::span<const RowState> states);

}  // namespace assay::store
