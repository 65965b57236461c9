// Scored rows in the form for later passes (pass.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/metric/given_truth.h"
#include "assay/metric/metric.h"
#include "metric/class_wise.h"

namespace assay {

/// The stored data of each item: its prediction, and the scale of its probabilities.
struct ItemRecord {
    std::int32_t predicted = -1;
    std::int32_t rank = -1;  ///< rank of the target, as in RowPrediction
    std::int32_t hits = -1;  ///< likewise
    float confidence = 0;
    RowScale scale;  ///< factor 0 means not scored
};

/// Items under labels, a class map and a selection; target() is the single label of a scored item.
/// Several threads read it.
class MetricRows : public ProbabilityRows {
public:
    virtual Shape shape() const = 0;
    /// All rows of the store, and their valid classes.
    virtual const RowReader& reader() const = 0;
    virtual const LabelSets& labels() const = 0;
    /// The store's row of an item.
    virtual std::uint64_t row_of(std::uint64_t item) const = 0;
    virtual std::uint16_t group_of(std::uint64_t item) const = 0;
    /// One per item; empty if KeptItems did not request them or if the scores do not give odds.
    virtual const std::vector<ItemRecord>& records() const = 0;
    virtual const std::vector<RowOdds>& odds() const = 0;
    /// Soft labels by the store's rows, and the given data about the classes.
    virtual const GivenTruth& given() const = 0;
    /// The valid classes of a scored item. Empty for other items.
    virtual std::span<const std::int32_t> valid(std::uint64_t item) const = 0;

    /// The keys that order the items by the classes [begin, end), for a scored item: its log-odds
    /// with odds(), otherwise the stored scores.
    void read_keys(std::uint64_t item, std::uint32_t begin, std::uint32_t end, double* out) const;
    void read_stored(std::uint64_t item, std::uint32_t begin, std::uint32_t end, double* out) const;
    /// Prefetches the scores of these classes.
    void prefetch(std::uint64_t item, std::uint32_t begin, std::uint32_t end) const;

    /// The reason why some probabilities are not known, or "". `needed` is, for example, "every
    /// class's score is needed".
    std::string lacking(std::string_view needed = "every class's probability is needed") const;
    /// The effect of 16-bit scores on a metric of their order; "" for other scores.
    std::string rounding() const;
};

}  // namespace assay
