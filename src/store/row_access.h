// The implementation behind RowReader: the open shards of a store, and its rows in the requested
// form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/store/row_reader.h"
#include "core/softmax.h"
#include "store/open_shards.h"

namespace assay {

struct RowReader::Impl {
    Impl(const PredictionStore& store, std::optional<ClassMap> map,
         std::vector<std::int32_t> places);

    const PredictionStore& store;
    std::optional<ClassMap> map;
    std::vector<std::int32_t> places;
    std::vector<std::int32_t> numbers;  ///< the inverse of `places`
    std::vector<std::int32_t> columns;  ///< for restrict_: the model's class of each target
    std::vector<double> group_sizes;    ///< for mean_of_group: number of classes of each target
    std::uint64_t shard_rows;
    std::uint32_t classes;
    bool full, probabilities;  ///< the store has every class; its scores need no
                               ///< softmax

    store::OpenShards shards;

    bool maps_by(ClassMap::Decision decision) const { return map && map->decision == decision; }

    /// Valid until the calling thread requests another row, unless all shards stay open.
    struct Position {
        const PredictionStore::Shard* shard = nullptr;
        std::uint32_t row = 0;  ///< row of the shard
        RowStatus status = RowStatus::missing;
    };
    Position position(std::uint64_t row) const;

    /// For full rows, the scores in the requested order, in place (and permanent) or in `buffer`.
    std::span<const float> scores(const Position& at, std::vector<float>& buffer) const;
    /// The scores of the classes [begin, end), after a restricting map.
    void wide(const Position& at, std::uint32_t begin, std::uint32_t end, double* out) const;
    /// The numbers that rank the classes: the scores, the scores of the map's targets, or the mean
    /// probabilities of its groups (in `buffer`). Not for an arg-max map.
    std::span<const float> ranking(std::span<const float> scores, std::vector<float>& buffer) const;
    /// The conversion of scores to probabilities, and its sums. Not for mean_of_group.
    RowScale scale_of(std::span<const float> scores, float largest, RowSums& sums) const;
    float probability(float score, RowScale scale) const;

    /// For reduced rows, the stored entries, with the best first.
    struct Kept {
        std::span<const TopEntry> entries;
        double log_sum_exp = 0;
        bool plain = false;  ///< scores are probabilities
        float probability(float score) const;
    };
    Kept kept(const Position& at) const;
    /// A class of the store in the requested numbering; -1 if it maps to no target.
    std::int32_t class_of(std::int32_t stored) const;

    void read_full(const Position& at, std::int32_t target, std::span<const std::int32_t> valid,
                   RowPrediction& out, Detail detail) const;
    void read_kept(const Position& at, std::int32_t target, std::span<const std::int32_t> valid,
                   RowPrediction& out) const;
};

}  // namespace assay
