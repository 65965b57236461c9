// Computes metrics of the order of items by a classifier's confidence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "metric/pass.h"

namespace assay {

/// An item with a label.
struct ConfidentItem {
    double confidence = 0;  ///< confidence in the predicted class, as defined by Order
    bool correct = false;
    std::uint16_t group = 0;
};

/// The number that orders the items.
enum class Order : std::uint8_t {
    log_odds,    ///< ln(p / (1 - p)) of the predicted class, in double precision: RowOdds
    confidence,  ///< the probability of the predicted class, a 32-bit number
};

/// Computes values from all items in order, with and without each group. Memory: 16 bytes per item,
/// and as much for each thread.
class OrderPass final : public MetricPass {
public:
    /// Computes a value from items in descending order of confidence, with equal ones in any order.
    /// Undefined values include their reason; the result has no interval.
    using Value = Estimate (*)(const MetricContext&, std::span<const ConfidentItem>);
    explicit OrderPass(Value function, Order order = Order::log_odds)
        : value_(function), order_(order) {}

    KeptItems keeps(const MetricRequest&, bool known) const override {
        return {known, order_ == Order::log_odds};
    }
    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override;
    std::string note(const MetricRequest&, const PassRun& run) const override;
    Estimate value(const MetricContext& context, std::span<const ConfidentItem> items) const {
        return value_(context, items);
    }

private:
    const Value value_;
    const Order order_;
};

namespace families {

Estimate aurc_of(const MetricContext&, std::span<const ConfidentItem>);
Estimate excess_aurc_of(const MetricContext&, std::span<const ConfidentItem>);
Estimate covered_accuracy_of(const MetricContext&, std::span<const ConfidentItem>);
Estimate calibration_ks_of(const MetricContext&, std::span<const ConfidentItem>);

}  // namespace families
}  // namespace assay
