// Finds the bins of one column without sorting it (class_wise.h). The first pass makes a histogram
// of the leading bits. The second adds all values with unambiguous keys, and keeps the few values
// that share a key with an edge.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/metric/metric.h"
#include "metric/class_wise_kernel.h"

namespace assay::detail {

class Selection {
public:
    Selection() : counts_(keys, 0), slot_(keys, 0) {}

    /// Returns the number of positive values in the column. Its size is a multiple of 8; `nothing`
    /// places without an item contain zeros, which the definition drops anyway.
    std::uint64_t count(std::span<const float> x, std::uint64_t nothing) {
        std::fill(counts_.begin() + lowest_, counts_.end(), 0U);
        std::uint32_t* const counts = counts_.data();
        counts[0] = 0;
        constexpr std::size_t ahead = 512;  // the column is read from a farther cache, line by line
        for (std::size_t i = 0; i + 8 <= x.size(); i += 8) {
            __builtin_prefetch(x.data() + std::min(i + ahead, x.size() - 1));
            for (std::size_t j = 0; j < 8; ++j) ++counts[key_of(x[i + j])];
        }
        lowest_ = 1;  // below it, except for key 0, there are no values: the tables are long and
                      // mostly empty
        constexpr std::ptrdiff_t block = 16;
        const auto empty = [counts](std::ptrdiff_t k) {
            std::uint32_t any = 0;
            for (std::ptrdiff_t j = 0; j < block; ++j) any |= counts[k + j];
            return any == 0;
        };
        while (lowest_ + block < static_cast<std::ptrdiff_t>(keys) && empty(lowest_))
            lowest_ += block;
        std::uint64_t zeros = nothing;
        if (counts[0] > nothing) {  // the smallest key contains zeros (dropped) and subnormal
                                    // numbers (not dropped)
            zeros = 0;
            for (const float p : x) zeros += p == 0 ? 1 : 0;
        }
        counts[0] -= static_cast<std::uint32_t>(zeros);
        return x.size() - zeros;
    }

    /// The number of values that are exactly 1.
    std::uint64_t ones() const { return counts_[keys - 1]; }

    /// Call it after count(). It computes the bounds at the ranks, the number of values below each
    /// bound, and the sums of p by bin and group. The ranks are ascending, among the positive
    /// values, and the last bound is 1.0. The sums are in quanta, at sums[bin * group_count +
    /// group].
    void sums(std::span<const float> x, std::span<const std::uint64_t> ranks,
              std::span<float> bounds, std::span<std::uint64_t> below,
              std::span<std::int64_t> sums) {
        find_edges(ranks);
        if (rest_.size() < x.size()) rest_.resize(x.size());
        std::fill(sums.begin(), sums.end(), 0);
        rest_count_ = add_by_key(x, slot_.data(), sums.data(), rest_.data());
        bounds.back() = 1.0F;
        part_rest(x);
        for (const Edge& edge : edges_) {
            settle(edge, ranks, bounds, below);
            // The bins for the key's values begin with the bin of its first bound.
            const auto own = bounds.subspan(edge.rank, edge.ranks);
            const bool one = edge.key == keys - 1;
            for (std::size_t k = edge.first; k < edge.first + edge.count; ++k) {
                std::size_t bin = edge.rank + (one ? 1 : 0);
                for (const float bound : own) bin += kept_[k].p >= bound ? 1 : 0;
                sums[bin * group_count + kept_[k].group] += quanta(kept_[k].p);
            }
        }
    }

private:
    // A key that contains the edges rank .. rank + ranks - 1.
    struct Edge {
        std::size_t key, rank, ranks;
        std::uint64_t before;      // number of values in smaller keys
        std::size_t first, count;  // range of its values in kept_
    };
    struct Kept {
        float p;
        std::uint32_t group;
    };

    // Finds the keys that contain an edge, and the bin of all other keys.
    void find_edges(std::span<const std::uint64_t> ranks) {
        edges_.clear();
        std::uint64_t before = 0;
        slot_[0] = 0;
        const auto second = static_cast<std::size_t>(lowest_);
        std::size_t key = 0, from = second, first = 0;
        const auto fill = [&](std::size_t to, std::size_t bin) {
            std::fill(slot_.begin() + static_cast<std::ptrdiff_t>(from),
                      slot_.begin() + static_cast<std::ptrdiff_t>(to),
                      static_cast<std::uint16_t>(bin * group_count));
        };
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            while (before + counts_[key] <= ranks[i]) {
                before += counts_[key];
                key = std::max(key + 1, second);
            }
            if (!edges_.empty() && edges_.back().key == key) {
                ++edges_.back().ranks;
                continue;
            }
            if (key > 0) fill(key, i);
            slot_[key] = static_cast<std::uint16_t>(unsettled + edges_.size());
            from = std::max(key + 1, second);
            edges_.push_back({key, i, 1, before, first, counts_[key]});
            first += counts_[key];
        }
        if (from >= keys) return;
        fill(keys - 1, ranks.size());
        slot_[keys - 1] = static_cast<std::uint16_t>((ranks.size() + 1) *
                                                     group_count);  // 1.0 reaches the last bound
    }

    // Sorts the remaining positive values by key.
    void part_rest(std::span<const float> x) {
        next_.clear();
        for (const Edge& edge : edges_) next_.push_back(edge.first);
        kept_.resize(edges_.empty() ? 0 : edges_.back().first + edges_.back().count);
        for (std::size_t k = 0; k < rest_count_; ++k) {
            const float p = x[rest_[k]];
            if (p > 0) kept_[next_[slot_[key_of(p)] - unsettled]++] = {p, rest_[k] % group_count};
        }
    }

    // Finds the order statistics within one key.
    void settle(const Edge& edge, std::span<const std::uint64_t> ranks, std::span<float> bounds,
                std::span<std::uint64_t> below) {
        values_.clear();
        for (std::size_t k = edge.first; k < edge.first + edge.count; ++k)
            values_.push_back(kept_[k].p);
        const auto at = [&](std::size_t i) {
            return static_cast<std::ptrdiff_t>(ranks[i] - edge.before);
        };
        if (edge.ranks == 1 && edge.count < few) {
            std::nth_element(values_.begin(), values_.begin() + at(edge.rank), values_.end());
            const float bound = bounds[edge.rank] =
                values_[static_cast<std::size_t>(at(edge.rank))];
            below[edge.rank] = edge.before + static_cast<std::uint64_t>(std::count_if(
                                                 values_.begin(), values_.end(),
                                                 [bound](float p) { return p < bound; }));
            return;
        }
        sort_values();
        for (std::size_t i = edge.rank; i < edge.rank + edge.ranks; ++i) {
            bounds[i] = values_[static_cast<std::size_t>(at(i))];
            below[i] =
                edge.before +
                static_cast<std::uint64_t>(
                    std::lower_bound(values_.begin(), values_.end(), bounds[i]) - values_.begin());
        }
    }

    // For many values in one key (for example, all equal): a radix sort from the least digit; the
    // values differ only in the low bits.
    void sort_values() {
        if (values_.size() < few) return std::sort(values_.begin(), values_.end());
        other_.resize(values_.size());
        for (std::uint32_t shift = 0; shift < key_shift; shift += 8) {
            const auto digit = [shift](float p) {
                return (std::bit_cast<std::uint32_t>(p) >> shift) & 0xFFU;
            };
            std::array<std::size_t, 257> next{};
            for (const float p : values_) ++next[digit(p) + 1];
            for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
            for (const float p : values_) other_[next[digit(p)]++] = p;
            std::swap(values_, other_);
        }
    }

    static constexpr std::size_t few = 1024;

    std::vector<std::uint32_t> counts_;  // by key
    std::ptrdiff_t lowest_ = 1;          // key 0 and keys from here on may be used
    std::vector<std::uint16_t> slot_;    // for each key: bin * group_count, or unsettled + the
                                         // index of its edge
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> rest_;  // places
    std::size_t rest_count_ = 0;
    std::vector<std::size_t> next_;
    std::vector<Kept> kept_;
    std::vector<float> values_, other_;
};

}  // namespace assay::detail
