// Metrics under labels that are drawn from the probabilities: what a perfectly calibrated
// classifier would get.
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
    float probability = 0;  ///< of the label
    float confidence = 0;   ///< of the predicted class
    bool correct = false;   ///< the label is the predicted class
};

/// Counts of one metric, `slots()` integers a draw: threads and ranks add in any order.
class DrawnMetric {
public:
    virtual ~DrawnMetric() = default;
    virtual std::size_t slots() const { return 0; }
    /// Called by several threads at once with the same counts: adds atomically.
    virtual void add_item(std::span<std::int64_t>, const DrawnItem&) const {}
    /// The same items as facts (predicted class, target, confidence), by one thread at a time.
    virtual void add_rows(std::span<std::int64_t>, std::span<const RowFacts>) const {}
    /// `earlier`: the values of the earlier metrics of the list in the same draw.
    virtual double value(std::span<const std::int64_t> counts,
                         std::span<const double> earlier) const = 0;
};

/// Metrics that see the same drawn labels.
class DrawnMetrics {
public:
    explicit DrawnMetrics(PassRun& run) : run_(run) {}
    /// Its place in the list, where it is once; nothing for a metric that has no such form. A
    /// pass adds what its own metric is made of first.
    std::optional<std::size_t> add(const MetricRequest& request);
    std::size_t size() const { return list_.size(); }
    const DrawnMetric& operator[](std::size_t place) const { return *list_[place]; }

private:
    PassRun& run_;
    std::vector<MetricRequest> requests_;
    std::vector<std::unique_ptr<DrawnMetric>> list_;
};

}  // namespace assay
