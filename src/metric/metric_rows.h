// Scored rows as passes see them again (pass.h).
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

/// What stays of each item: its prediction, and how to get its probabilities again.
struct ItemRecord {
    std::int32_t predicted = -1;
    std::int32_t rank = -1;  ///< of the target, as in RowPrediction
    std::int32_t hits = -1;  ///< likewise
    float confidence = 0;
    RowScale scale;  ///< factor 0: not scored
};

/// Items under labels, a class map and a selection; target() is the single label of one that was
/// scored. Read from several threads.
class MetricRows : public ProbabilityRows {
public:
    virtual Shape shape() const = 0;
    /// All rows of the store, and their valid classes.
    virtual const RowReader& reader() const = 0;
    virtual const LabelSets& labels() const = 0;
    /// The store's row of an item.
    virtual std::uint64_t row_of(std::uint64_t item) const = 0;
    virtual std::uint16_t group_of(std::uint64_t item) const = 0;
    /// One an item; empty: KeptItems did not ask for them, or the scores do not tell odds.
    virtual const std::vector<ItemRecord>& records() const = 0;
    virtual const std::vector<RowOdds>& odds() const = 0;
    /// Soft labels by the store's rows, and what is known of the classes.
    virtual const GivenTruth& given() const = 0;
    /// Valid classes of an item that was scored; none of others.
    virtual std::span<const std::int32_t> valid(std::uint64_t item) const = 0;

    /// What orders the items by the classes [begin, end), of an item that was scored: keys of their
    /// log-odds, with odds(), or the stored scores.
    void read_keys(std::uint64_t item, std::uint32_t begin, std::uint32_t end, double* out) const;
    void read_stored(std::uint64_t item, std::uint32_t begin, std::uint32_t end, double* out) const;
    /// Has the memory bring the scores of these classes nearer.
    void prefetch(std::uint64_t item, std::uint32_t begin, std::uint32_t end) const;

    /// "", or why the probabilities of every class are not known. `needed`: "every class's score is
    /// needed".
    std::string lacking(std::string_view needed = "every class's probability is needed") const;
    /// What 16-bit scores do to a metric of their order; "" of others.
    std::string rounding() const;
};

}  // namespace assay
