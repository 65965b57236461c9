// Computes ranks and box-plot numbers for a column of values, without dependencies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/evaluate/gap.h"

namespace assay {

/// 1 for the largest; equal values share the smaller rank and the next is skipped (1, 2, 2, 4); 0
/// if there is no value.
std::vector<std::uint32_t> competition_ranks(std::span<const std::optional<double>> values);
/// The same ranks, but the next rank is not skipped (1, 2, 2, 3).
std::vector<std::uint32_t> dense_ranks(std::span<const std::optional<double>> values);
/// Ranks by two columns for one model; 0 if the model lacks a value.
struct RankPair {
    std::uint32_t by = 0, against = 0;
    std::int64_t change() const { return std::int64_t{against} - std::int64_t{by}; }
};
/// Ranks among the models that have both values, because ranks over different models could not be
/// subtracted. `dense` means as in dense_ranks().
std::vector<RankPair> rank_pairs(std::vector<std::optional<double>> by,
                                 std::vector<std::optional<double>> against, bool dense = false);
/// Returns nullopt if no point has a value.
std::optional<BoxNumbers> box_numbers(std::span<const std::optional<double>> points);
/// Returns nullopt if no model has a value.
std::optional<BetweenModels> between_models(std::span<const std::optional<double>> values);

}  // namespace assay
