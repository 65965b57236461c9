// The rows of a store as the metrics see them: under labels, a class map and a selection of items.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/label_sets.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"
#include "metric/class_wise.h"

namespace assay {

/// What is kept of each item: its answer, and how to get its probabilities again without summing.
struct ItemRecord {
    std::int32_t predicted = -1;
    std::int32_t rank = -1;  ///< of the target, as in RowFacts
    std::int32_t hits = -1;  ///< as in RowFacts
    float confidence = 0;
    float shift = 0,
          factor = 0;  ///< probability = exp(score - shift) * factor, or score * factor; factor 0:
                       ///< not scored
};

/// Shards of a store, opened when first needed and kept. Thread-safe.
class OpenShards {
public:
    /// `places`: where the store has each class that is asked about, as places_in() gives them;
    /// empty: at its own number.
    explicit OpenShards(const PredictionStore& store, std::vector<std::int32_t> places = {});
    /// nullptr: the shard is not there. Throws bad_input when it is damaged.
    const PredictionStore::Shard* at(std::size_t shard) const;
    std::size_t of_row(std::uint64_t row) const {
        return static_cast<std::size_t>(row / shard_rows_);
    }
    const std::vector<std::int32_t>& places() const { return places_; }

private:
    const PredictionStore& store_;
    std::vector<std::int32_t> places_;
    std::uint64_t shard_rows_;
    mutable std::vector<std::once_flag> once_;
    mutable std::vector<std::optional<PredictionStore::Shard>> shards_;
};

/// Label sets over the classes of the answers (the map's targets when there is one). Throws
/// bad_input: other length, outside.
LabelSets labels_for(const PredictionStore& store, const ScoreOptions& options);

class ScoredRows final : public ProbabilityRows {
public:
    static constexpr std::uint32_t unit_items = 256;

    /// `rows`: the store's row of each item, empty for all rows in order. `labels` by the store's
    /// rows.
    ScoredRows(const PredictionStore& store, const OpenShards& shards, const LabelSets& labels,
               const ClassMap* map, std::vector<std::uint64_t> rows);

    Shape shape() const;
    std::size_t units() const {
        return static_cast<std::size_t>((items_ + unit_items - 1) / unit_items);
    }
    std::uint64_t first_of(std::size_t unit) const {
        return std::min<std::uint64_t>(items_, unit * std::uint64_t{unit_items});
    }
    std::uint64_t row_of(std::uint64_t item) const {
        return rows_.empty() ? item : rows_[static_cast<std::size_t>(item)];
    }
    /// [g]: items with g labels, scored or not.
    const std::vector<std::uint64_t>& label_counts() const { return label_counts_; }
    /// Scores the items of a unit: their facts (those that are ok), their records, and where the
    /// others went.
    void score(std::size_t unit, std::vector<RowFacts>& facts, ScoreCounts& counts);

    std::vector<ItemRecord>& records() { return records_; }
    const std::vector<ItemRecord>& records() const { return records_; }
    std::uint16_t group_of(std::uint64_t item) const {
        return groups_[static_cast<std::size_t>(item)];
    }
    /// Sampled rows: looked at, and of these suspicious for their kind.
    std::uint64_t sampled() const { return sampled_; }
    std::uint64_t suspicious() const { return suspicious_; }

    std::uint64_t items() const override { return items_; }
    std::uint32_t classes() const override { return targets_; }
    std::int32_t target(std::uint64_t item) const override;
    std::uint32_t slice() const override {
        return as_stored() && store_.spec().storage == StorageFormat::full_f32 ? 128 : targets_;
    }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override;
    Direct direct() const override;
    ScoreRow row(std::uint64_t item) const override;

private:
    /// The classes stand in the store in the order in which they are asked about.
    bool as_stored() const { return shards_.places().empty(); }
    std::span<const float> full_row(const PredictionStore::Shard& shard, std::uint64_t row,
                                    std::vector<float>& buffer) const;
    using Labels = std::span<const std::int32_t>;
    void score_full(std::span<const float> row, Labels set, RowFacts& facts, ItemRecord& record);
    void score_reduced(const PredictionStore::Shard& shard, std::uint32_t row, Labels set,
                       RowFacts& facts, ItemRecord& record) const;
    void decide(std::span<const float> row, Labels set, RowFacts& facts, ItemRecord& record) const;
    void sample(std::span<const float> row);

    const PredictionStore& store_;
    const OpenShards& shards_;
    const LabelSets& labels_;
    const ClassMap* map_;
    std::vector<std::uint64_t> rows_;
    std::uint64_t items_;
    std::vector<std::uint64_t> label_counts_;
    std::uint32_t targets_;
    bool full_, probabilities_;
    std::vector<std::int32_t>
        numbers_;  ///< of the store's classes, where they are asked about in another order
    std::vector<std::int32_t> columns_;      ///< restrict_: the model's class of each target
    std::vector<std::uint32_t> group_size_;  ///< mean_of_group: classes of each target
    std::vector<std::uint8_t> groups_;
    std::vector<ItemRecord> records_;
    std::vector<float> nothing_;  ///< the row of an item that is left out
    std::atomic<std::uint64_t> sampled_ = 0, suspicious_ = 0;
};

}  // namespace assay
