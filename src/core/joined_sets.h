// Disjoint sets of numbers that are joined pair by pair (union-find).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace assay {

/// The smallest member of a set represents it, so the result does not depend on the order of the
/// calls. Cost: O(log n) per call, amortised; 4 bytes per number.
class JoinedSets {
public:
    /// The sets {0}, {1}, ..., {n - 1}.
    explicit JoinedSets(std::size_t n) : first_(n) {
        std::iota(first_.begin(), first_.end(), std::uint32_t{0});
    }
    /// The smallest member of the set of `i`. Shortens the way to it.
    std::uint32_t of(std::uint32_t i) {
        while (first_[i] != i) i = first_[i] = first_[first_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = of(a);
        b = of(b);
        first_[std::max(a, b)] = std::min(a, b);
    }
    std::size_t size() const { return first_.size(); }

private:
    std::vector<std::uint32_t> first_;
};

}  // namespace assay
