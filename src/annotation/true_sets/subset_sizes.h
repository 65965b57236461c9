// The distribution of the number of yes among independent questions (Poisson binomial).
#pragma once

#include <span>
#include <vector>

namespace assay::true_sets {

/// P(g of the K are yes) for g = 0 .. K, from K probabilities. All terms are positive, so that
/// small numbers keep their digits. Cost: K^2. `out` must have room for K + 1 numbers.
void size_probabilities(std::span<const double> yes, std::span<double> out);

/// The same without each of the K questions in turn: `out` has K rows of K numbers (g = 0 .. K -
/// 1). Halves are combined, because division by one factor would lose digits. Cost: K^2 log K.
class SizesWithoutOne {
public:
    void operator()(std::span<const double> yes, std::span<double> out);

private:
    void fill(std::span<const double> yes, std::size_t begin, std::size_t end,
              std::span<const double> others, std::span<double> out, std::size_t depth);

    std::vector<std::vector<double>> room_;
};

}  // namespace assay::true_sets
