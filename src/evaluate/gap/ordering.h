// Ranks and box-plot numbers of a column of values. Pure arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/evaluate/gap.h"

namespace assay {

/// 1 for the largest; equal values share the smaller rank and the next is skipped (1, 2, 2, 4); 0
/// where there is no value.
std::vector<std::uint32_t> competition_ranks(std::span<const std::optional<double>> values);
/// The same, and the next rank is not skipped (1, 2, 2, 3).
std::vector<std::uint32_t> dense_ranks(std::span<const std::optional<double>> values);
/// Ranks by two columns of one model; 0 where it lacks a value.
struct RankPair {
    std::uint32_t by = 0, against = 0;
    std::int64_t change() const { return std::int64_t{against} - std::int64_t{by}; }
};
/// Among the models that have both values, because ranks over different models could not be
/// subtracted. `dense`: as dense_ranks().
std::vector<RankPair> rank_pairs(std::vector<std::optional<double>> by,
                                 std::vector<std::optional<double>> against, bool dense = false);
/// None without a point.
std::optional<BoxNumbers> box_numbers(std::span<const std::optional<double>> points);
/// None without a value.
std::optional<BetweenModels> between_models(std::span<const std::optional<double>> values);

}  // namespace assay
