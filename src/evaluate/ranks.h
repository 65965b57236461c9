// What the engines exchange between ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "assay/collective/comm.h"

namespace assay {

/// Every rank's values, in rank order.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> gather(
    Comm& comm, std::span<const T> mine) {
    std::vector<std::vector<T>> all;
    for (const auto& bytes : comm.all_gather(std::as_bytes(mine))) {
        all.emplace_back(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(all.back().data(), bytes.data(), bytes.size());
    }
    return all;
}

/// Integer sums: the order of the ranks does not matter.
inline void add_over_ranks(Comm& comm, std::vector<std::int64_t>& state) {
    if (comm.size() == 1) return;
    const auto all = gather<std::int64_t>(comm, state);
    std::fill(state.begin(), state.end(), 0);
    for (const auto& part : all) {
        for (std::size_t k = 0; k < state.size(); ++k) state[k] += part[k];
    }
}

/// Runs `work` and lets every rank know whether it failed anywhere: all throw, or none.
void agree(Comm& comm, const std::function<void()>& work);

}  // namespace assay
