// What the engines exchange between ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/collective/comm.h"

namespace assay {

template <class T>
std::vector<std::vector<T>> gather(Comm& comm, std::span<const T> mine) {
    return all_gather<T>(comm, mine);
}
inline void add_over_ranks(Comm& comm, std::vector<std::int64_t>& state) {
    comm.all_reduce(state);
}

}  // namespace assay
