// Divides work among the ranks.
#pragma once

#include <cstdint>

#include "assay/collective/comm.h"

namespace assay {

/// Units of work: [begin, end).
struct RankPart {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t size() const { return end - begin; }
};

/// The part of one rank. Parts are contiguous, in rank order, and as equal as possible. `all` times
/// the number of ranks must fit into 64 bits.
inline RankPart part_of_rank(std::uint64_t all, const Comm& comm) {
    const auto rank = static_cast<std::uint64_t>(comm.rank());
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    return {all * rank / ranks, all * (rank + 1) / ranks};
}

}  // namespace assay
