// Temperature scaling (Guo et al. 2017, section 4.2): softmax(z / T) with the T that minimizes the
// negative log-likelihood of held-out items. This file also has the calibration error that remains
// on other items.
//
// The items are split into two halves; each half uses the temperature of the other. In b = ln(1 /
// T) the loss is a smooth function with one minimum, which is found by Newton's method inside a
// shrinking bracket.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// First and second derivative of an item's loss with respect to b, at inverse temperature `beta`.
/// `logits` must not be empty, and the greatest one must be finite; -inf is a class of probability
/// 0, which must not be the `target`.
struct LossSlope {
    double first = 0, second = 0;
};
LossSlope loss_slope(std::span<const float> logits, std::int32_t target, double beta);

/// Probability of the predicted class at inverse temperature `beta`, and its derivative with
/// respect to b.
struct ScaledConfidence {
    float confidence = 0, slope = 0;
};
ScaledConfidence scaled_confidence(std::span<const float> logits, double beta);

/// Sums of loss_slope() over a half's items, by group. They are real sums, so that any order gives
/// the same result.
struct LossSums {
    std::vector<std::int64_t> first, second;
    LossSums();
    void add(std::size_t group, LossSlope slope);
    double total_first() const;
    double total_second() const;
};

/// Fits the inverse temperature of one half, step by step.
class TemperatureFit {
public:
    static constexpr double least = 0.01, most = 100;  ///< temperatures
    double beta() const { return beta_; }
    bool done() const { return done_; }
    bool at_limit() const;
    /// `sums` are the sums at beta(). Changes beta().
    void step(const LossSums& sums);

private:
    double beta_ = 1, low_ = 1 / most, high_ = 1 / least;
    int steps_ = 0;
    bool done_ = false;
};

struct ScaledItem {
    ScaledConfidence scaled;  ///< scaled at the other half's temperature
    bool correct = false;
    std::uint8_t half = 0;
    std::uint16_t group = 0;
};
/// The mean of the two halves' expected calibration errors (l1, parameters `bins` and `edges`).
/// `sums` are those of each half at its own temperature. Values without a group exclude its items
/// from the bins and from the temperatures (by one Newton step). The interval is like that of
/// class_wise_ece.h: its lower end is decreased by the amount that noise can add.
ResampledEstimate scaled_ece(std::span<const ScaledItem> items, const std::array<LossSums, 2>& sums,
                             const Parameters& parameters, double level);

}  // namespace assay
