// The items that count for a metric of each class's scores, and how its columns are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/metric/metric.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "evaluate/truth.h"
#include "evaluate/weighted_interval.h"

namespace assay::evaluate {

/// Classes whose scores are in memory at a time.
inline constexpr std::uint32_t column_block = 64;

/// The items that count, with their positive classes.
class CountedItems {
public:
    CountedItems(const RowReader& reader, const Truth& truth, std::span<const double> weights,
                 bool sets)
        : truth_(truth), sets_(sets) {
        double largest = 0, sum = 0;
        for (std::uint64_t row = 0; row < weights.size(); ++row) {
            const auto i = static_cast<std::size_t>(row);
            const double weight = weights[i];
            const std::int32_t label = truth.targets[i];
            if (weight == 0 || (sets ? truth.labels[i].empty() : label < 0) ||
                reader.status(row) != RowStatus::ok)
                continue;
            labels_.push_back(label);
            rows_.push_back(row);
            weights_.push_back(weight);
            largest = std::max(largest, weight);
        }
        for (double& weight : weights_) {
            weight /= largest;  // at most 1, so that no sum overflows
            sum += weight;
        }
        for (double& weight : weights_) weight /= sum;
    }

    std::size_t size() const { return rows_.size(); }
    std::uint64_t row(std::size_t i) const { return rows_[i]; }
    const std::vector<double>& weights() const { return weights_; }
    const std::vector<std::uint64_t>& rows() const { return rows_; }
    /// Ascending.
    std::span<const std::int32_t> classes(std::size_t i) const {
        if (sets_) return truth_.labels[static_cast<std::size_t>(rows_[i])];
        return {&labels_[i], 1};
    }
    bool is_positive(std::size_t i, std::uint32_t cls) const {
        const auto own = classes(i);
        return std::binary_search(own.begin(), own.end(), static_cast<std::int32_t>(cls));
    }

private:
    const Truth& truth_;
    const bool sets_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::int32_t> labels_;
    std::vector<double> weights_;
};

/// Calls visit(begin, end) for all items, several at a time.
template <class Visit>
void each_block_of_items(std::size_t items, int threads, Visit&& visit) {
    constexpr std::size_t block_rows = 1024;
    parallel_blocks((items + block_rows - 1) / block_rows, threads, [&](std::size_t block) {
        throw_if_stopped();
        visit(block * block_rows, std::min(items, (block + 1) * block_rows));
    });
}

/// The mean over the classes of their errors, with the largest noise (classwise_ece).
Influenced weighted_class_wise(const MetricRequest& request, const RowReader& reader,
                               const CountedItems& items, int threads);

}  // namespace assay::evaluate
