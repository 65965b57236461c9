// Metrics under labels that are drawn from the probabilities: the values that a perfectly
// calibrated classifier would get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metric/pass.h"

namespace assay {

/// An item with a drawn label.
struct DrawnItem {
    std::size_t label = 0;
    float probability = 0;  ///< probability of the label
    float confidence = 0;   ///< probability of the predicted class
    bool correct = false;   ///< the label is the predicted class
};

/// Counts for one metric, `slots()` integers per draw: threads and ranks add in any order.
class DrawnMetric {
public:
    virtual ~DrawnMetric() = default;
    virtual std::size_t slots() const { return 0; }
    /// Several threads call it at once with the same counts: it adds atomically.
    virtual void add_item(std::span<std::int64_t>, const DrawnItem&) const {}
    /// Adds the same items as facts (predicted class, target, confidence); only one thread at a
    /// time calls it.
    virtual void add_rows(std::span<std::int64_t>, std::span<const RowFacts>) const {}
    /// `earlier` has the values of the earlier metrics of the list in the same draw.
    virtual double value(std::span<const std::int64_t> counts,
                         std::span<const double> earlier) const = 0;
};

/// Metrics that use the same drawn labels.
class DrawnMetrics {
public:
    explicit DrawnMetrics(PassRun& run) : run_(run) {}
    /// Adds a metric once and returns its place in the list; returns nothing for a metric without
    /// such a form. A pass first adds the metrics that its own metric depends on.
    std::optional<std::size_t> add(const MetricRequest& request);
    std::size_t size() const { return list_.size(); }
    const DrawnMetric& operator[](std::size_t place) const { return *list_[place]; }

private:
    PassRun& run_;
    std::vector<MetricRequest> requests_;
    std::vector<std::unique_ptr<DrawnMetric>> list_;
};

}  // namespace assay
