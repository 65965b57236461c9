// Judges the numbers in a table's columns from its first rows.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace assay::store {

struct ColumnSample;

/// Facts about the columns of a sample, which must outlive this object. Fewer than three rows prove
/// nothing, because two may agree by chance.
class ColumnNumbers {
public:
    explicit ColumnNumbers(const ColumnSample& sample) : sample_(sample) {}

    bool is_whole(std::size_t column) const;
    bool is_constant(std::size_t column) const;
    bool is_zero(std::size_t column) const;
    /// True if every row sums to 1 or to 100 without negative numbers, or its powers of e, 2 or 10
    /// sum to 1.
    bool rows_are_distributions() const;
    /// True if every row holds probabilities, and rounding explains the sums that are not 1. This
    /// proves less: a column of small numbers may change the sums as much.
    bool rows_are_rounded() const;
    /// True if that also holds without a column, which may then hold something else.
    bool rows_are_rounded_without(std::size_t column) const;
    /// The first and last of adjacent columns (not all columns) that sum to 1 in every row.
    std::optional<std::pair<std::size_t, std::size_t>> range_of_probabilities() const;
    /// True if each number is the highest of its row, or of the row's softmax.
    bool has_maxima(const std::vector<float>& confidence) const;

private:
    float at(std::size_t row, std::size_t column) const;
    bool sums_to(std::size_t row, std::size_t first, std::size_t last, double sum) const;

    const ColumnSample& sample_;
};

}  // namespace assay::store
