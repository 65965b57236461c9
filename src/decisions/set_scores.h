// A row of a store as descending probabilities, and its classes' conformity scores.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/decisions/conformal.h"
#include "assay/store/row_reader.h"

namespace assay::decisions {

/// The definition of the classes' scores.
struct SetRule {
    SetMethod method = SetMethod::lac;
    double lambda = 0, k_reg = 0;  ///< parameters of raps
};

/// The image's uniform number, which depends only on its id.
double draw_of(std::string_view id, std::uint64_t seed);
/// True if an image is for calibration, by its id.
bool is_of_calibration(std::string_view id, double proportion, std::uint64_t seed);

/// An object must not be shared between threads.
class SortedRow {
public:
    /// The row's status must be ok. Equal probabilities stay in the order of their classes. Throws
    /// bad_input: stored probabilities that do not sum to 1.
    void read(const RowReader& reader, std::uint64_t row);

    std::size_t classes() const { return sorted_.size(); }
    std::int32_t cls(std::size_t rank) const { return sorted_[rank].second; }
    double probability(std::size_t rank) const { return sorted_[rank].first; }
    double confidence() const { return sorted_.front().first; }
    /// The first rank, from 0, of a class in `valid`, which is ascending and not empty.
    std::size_t rank_of(std::span<const std::int32_t> valid) const;
    /// The score of the class at `rank` from 0. It ascends with the rank. `draw` may be 0.
    double score(std::size_t rank, const SetRule& rule, double draw) const;

private:
    std::vector<float> buffer_;
    std::vector<double> probabilities_;
    std::vector<std::pair<double, std::int32_t>> sorted_;
    std::vector<double> sums_;  ///< sums of the probabilities up to each rank
};

/// The ceil((n + 1)(1 - alpha))-th smallest of n scores, or infinity beyond n. Reorders.
double threshold_of(std::span<double> scores, double alpha);
/// The place, from 1, that threshold_of() uses.
std::uint64_t place_of_threshold(std::uint64_t n, double alpha);

}  // namespace assay::decisions
