// Order statistics of a column without sorting it: where they lie by the leading bits, then among the few values there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "assay/metric.h"

namespace assay::detail {

inline constexpr std::uint32_t key_shift =
    19;  // exponent and 4 bits of the mantissa: values in one key differ by 6 % at most
inline constexpr std::size_t keys = 2048;  // 1.0 has key 2032

inline std::uint32_t key_of(float p) {
    return std::bit_cast<std::uint32_t>(p) >> key_shift;
}

// One class's probabilities: a stretch after another, each of group_stretch places (the last one shorter, a multiple of
// group_count). Places without an item hold zeros, which the definition drops anyway.
struct Column {
    const float* columns;
    std::size_t width, index;
    std::uint64_t places;

    std::size_t stretches() const { return static_cast<std::size_t>((places + group_stretch - 1) / group_stretch); }
    std::span<const float> stretch(std::size_t s) const {
        const std::uint64_t begin = s * std::uint64_t{group_stretch};
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(group_stretch, places - begin));
        return {columns + static_cast<std::size_t>(begin) * width + index * count, count};
    }
};

// The order statistics at ranks (ascending) of the column's positive values.
class Selection {
public:
    std::uint64_t count(const Column& column) {
        for (auto& table : counts_) table.fill(0);
        std::uint64_t zeros = 0;
        for (std::size_t s = 0; s < column.stretches(); ++s) {
            const auto x = column.stretch(s);
            for (std::size_t i = 0; i < x.size();
                 i += 4) {  // four tables: equal neighbours do not wait for one another
                ++counts_[0][key_of(x[i])];
                ++counts_[1][key_of(x[i + 1])];
                ++counts_[2][key_of(x[i + 2])];
                ++counts_[3][key_of(x[i + 3])];
            }
        }
        for (std::size_t k = 0; k < keys; ++k) counts_[0][k] += counts_[1][k] + counts_[2][k] + counts_[3][k];
        if (counts_[0][0] != 0) {  // the smallest key holds zeros (dropped) and subnormal numbers (not dropped)
            for (std::size_t s = 0; s < column.stretches(); ++s) {
                for (const float p : column.stretch(s)) zeros += p == 0 ? 1 : 0;
            }
            counts_[0][0] -= static_cast<std::uint32_t>(zeros);
        }
        return std::accumulate(counts_[0].begin(), counts_[0].end(), std::uint64_t{0});
    }

    /// Values of exactly 1: probabilities end there, so that their key holds nothing else.
    std::uint64_t ones() const { return counts_[0][key_of(1.0F)]; }

    // After count(). `below[i]` receives the number of positive values below the i-th result.
    void select(const Column& column, std::span<const std::uint64_t> ranks, std::span<float> out,
                std::span<std::uint64_t> below) {
        wanted_.fill(0);
        std::uint64_t before = 0, total = 0;
        std::size_t key = 0;
        slots_.clear();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            while (before + counts_[0][key] <= ranks[i]) before += counts_[0][key++];
            if (wanted_[key] != 0) continue;
            slots_.push_back({key, before, total});
            total += counts_[0][key];
            wanted_[key] = static_cast<std::uint8_t>(slots_.size());
        }
        collect(column);
        // From one heap of wanted values to one for each key.
        values_.resize(static_cast<std::size_t>(total));
        next_.clear();
        for (const Slot& slot : slots_) next_.push_back(slot.first);
        for (std::size_t i = 0; i < found_; ++i) {
            const float p = collected_[i];
            if (p > 0) values_[static_cast<std::size_t>(next_[wanted_[key_of(p)] - 1U]++)] = p;
        }
        std::size_t s = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            while (ranks[i] >= slots_[s].before + counts_[0][slots_[s].key]) ++s;
            const auto first = static_cast<std::size_t>(slots_[s].first);
            const std::span<float> values(values_.data() + first, counts_[0][slots_[s].key]);
            std::uint64_t less = 0;
            out[i] = nth(values, ranks[i] - slots_[s].before, less);
            below[i] = slots_[s].before + less;
        }
    }

private:
    struct Slot {
        std::size_t key;
        std::uint64_t before;  // values in smaller keys
        std::uint64_t first;   // of its values in values_
    };

    // The value of one rank among values of one key, and how many are less: by the next 8 bits, then among the few
    // left.
    float nth(std::span<const float> values, std::uint64_t rank, std::uint64_t& less) {
        constexpr std::uint32_t shift = key_shift - 8;
        const auto digit = [](float p) { return (std::bit_cast<std::uint32_t>(p) >> shift) & 0xFFU; };
        std::array<std::uint32_t, 256> counts{};
        for (const float p : values) ++counts[digit(p)];
        std::uint32_t wanted = 0;
        while (less + counts[wanted] <= rank) less += counts[wanted++];
        few_.clear();
        for (const float p : values) {
            if (digit(p) == wanted) few_.push_back(p);
        }
        const auto at = few_.begin() + static_cast<std::ptrdiff_t>(rank - less);
        std::nth_element(few_.begin(), at, few_.end());
        const float found = *at;
        less += static_cast<std::uint64_t>(std::count_if(few_.begin(), at, [found](float p) { return p < found; }));
        return found;
    }

    // Every value whose key is wanted; zeros may be among them. No branch depends on the data: an unwanted value is
    // overwritten by the next one.
    void collect(const Column& column) {
        collected_.resize(static_cast<std::size_t>(column.places) + 1);
        float* const out = collected_.data();
        std::size_t n = 0;
        for (std::size_t s = 0; s < column.stretches(); ++s) {
            for (const float p : column.stretch(s)) {
                out[n] = p;
                n += wanted_[key_of(p)] != 0 ? 1 : 0;
            }
        }
        found_ = n;
    }

    std::array<std::array<std::uint32_t, keys>, 4> counts_;
    std::array<std::uint8_t, keys> wanted_;  // 0: no; else its slot + 1 (at most 100 bins)
    std::vector<Slot> slots_;
    std::vector<std::uint64_t> next_;
    std::vector<float> collected_, values_, few_;
    std::size_t found_ = 0;
};

}  // namespace assay::detail
