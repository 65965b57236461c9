// The rows of a store as input of the metrics: with labels, a class map and a selection of items.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/store/row_reader.h"
#include "evaluate/truth.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"

namespace assay {

class ScoredRows final : public MetricRows {
public:
    static constexpr std::uint32_t unit_items = 256;

    /// `rows` has the store's row of each item; empty means all rows in order. `truth` is indexed
    /// by the store's rows, over the reader's classes. Without records, nothing may use target()
    /// and the functions after it.
    ScoredRows(const RowReader& reader, const Truth& truth, std::vector<std::uint64_t> rows,
               KeptItems keep);

    Shape shape() const override;
    const RowReader& reader() const override { return reader_; }
    const LabelSets& labels() const override { return labels_; }
    const GivenTruth& given() const override { return truth_.given; }
    std::size_t units() const {
        return static_cast<std::size_t>((items_ + unit_items - 1) / unit_items);
    }
    std::uint64_t first_of(std::size_t unit) const {
        return std::min<std::uint64_t>(items_, unit * std::uint64_t{unit_items});
    }
    std::uint64_t row_of(std::uint64_t item) const override {
        return rows_.empty() ? item : rows_[static_cast<std::size_t>(item)];
    }
    /// Element [g] counts items with g labels, scored or not.
    const std::vector<std::uint64_t>& label_counts() const { return label_counts_; }
    /// Scores the items of a unit: returns their facts (for those that are ok), their records, and
    /// the counts of other items.
    void score(std::size_t unit, std::vector<RowFacts>& facts, ScoreCounts& counts);

    std::vector<ItemRecord>& records() { return records_; }
    const std::vector<ItemRecord>& records() const override { return records_; }
    /// One entry per item, for scored items. Empty if not kept.
    std::vector<RowOdds>& odds() { return odds_; }
    const std::vector<RowOdds>& odds() const override { return odds_; }
    std::uint16_t group_of(std::uint64_t item) const override {
        return groups_[static_cast<std::size_t>(item)];
    }
    /// Numbers of sampled rows, and of rows among them that are suspicious for their kind.
    std::uint64_t sampled() const { return sampled_; }
    std::uint64_t suspicious() const { return suspicious_; }

    std::uint64_t items() const override { return items_; }
    std::uint32_t classes() const override { return reader_.classes(); }
    std::int32_t target(std::uint64_t item) const override;
    std::uint32_t slice() const override { return reader_.is_mapped() ? 128 : reader_.classes(); }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
              float* out) const override;
    Direct direct() const override;
    ScoreRow row(std::uint64_t item) const override;

    std::span<const std::int32_t> valid(std::uint64_t item) const override;

private:
    void read_scored(std::uint64_t item, std::uint32_t begin, std::uint32_t end, float* out) const;
    void sample(std::uint64_t row);

    const RowReader& reader_;
    const Truth& truth_;
    const LabelSets& labels_;  ///< labels of truth_
    std::vector<std::uint64_t> rows_;
    std::uint64_t items_;
    std::vector<std::uint64_t> label_counts_;
    std::vector<std::uint8_t> groups_;
    std::vector<ItemRecord> records_;
    std::vector<RowOdds> odds_;
    std::vector<float> nothing_;  ///< the row of an excluded item
    std::atomic<std::uint64_t> sampled_ = 0, suspicious_ = 0;
};

}  // namespace assay
