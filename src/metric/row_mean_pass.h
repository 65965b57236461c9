// The pass for the mean over items of a function of each row, which plug-ins' metrics use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "metric/pass.h"

namespace assay {

/// Input items with all their scores. Arrays are row-major.
struct RowBatch {
    std::size_t rows = 0;
    std::uint32_t classes = 0;
    ScoreKind kind = ScoreKind::logits;
    std::span<const float> scores, probabilities;  ///< rows x classes
    std::span<const std::int32_t> labels;          ///< -1: none
    /// The valid classes of row i end at set_ends[i].
    std::span<const std::int64_t> set_ends;
    std::span<const std::int32_t> set_classes;
    std::function<std::string(std::size_t row)> id;  ///< for messages
};
/// Writes one value per row, within [low, high] of the metric; NaN excludes the row. Several
/// threads call it. Throws bad_input.
using RowFunction = std::function<void(const RowBatch& batch, std::span<double> values)>;

class RowMeanPass final : public MetricPass {
public:
    /// `apart` means that the function runs in other processes anyway, several at a time, each with
    /// a deadline.
    explicit RowMeanPass(RowFunction function, bool apart = false)
        : function_(std::move(function)), apart_(apart) {}

    KeptItems keeps(const MetricRequest&, bool known) const override { return {known, false}; }
    /// First tries the function on up to 64 rows that have the data that the metric needs, in
    /// another process. The function is also called a second time, in parts, and on several
    /// threads. Throws bad_input with the metric for a crash, a hang, values that differ, and
    /// errors of the function.
    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override;

private:
    const RowFunction function_;
    const bool apart_;
};

}  // namespace assay
