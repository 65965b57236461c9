#include "metric/class_ranks.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include "core/parallel.h"
#include "metric/class_wise_parts.h"
#include "metric/column_sweep.h"

namespace assay {

std::vector<double> positive_keys(const OrderedRows& rows, const ClassPositives& positives,
                                  int threads, std::uint32_t begin, std::uint32_t end) {
    std::vector<double> keys(positives.item.size());
    // Entries are sorted by item, so that each row is computed at most once.
    struct Wanted {
        std::uint64_t item;
        std::uint32_t cls;
        std::size_t place;
    };
    std::vector<Wanted> wanted;
    for (std::uint32_t c = begin; c < std::min(end, positives.classes()); ++c) {
        for (std::uint64_t k = positives.first[c]; k < positives.first[c + std::size_t{1}]; ++k)
            wanted.push_back({positives.item[k], c, static_cast<std::size_t>(k)});
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const Wanted& a, const Wanted& b) { return a.item < b.item; });
    constexpr std::size_t block = 4096;
    parallel_blocks((wanted.size() + block - 1) / block, threads, [&](std::size_t b) {
        std::vector<double> row;
        const std::size_t last = std::min(wanted.size(), (b + 1) * block);
        for (std::size_t k = b * block; k < last;) {
            std::size_t next = k;
            while (next < last && wanted[next].item == wanted[k].item) ++next;
            // Classes ascend within an item because the sort is stable.
            const std::uint32_t from = wanted[k].cls, to = wanted[next - 1].cls + 1;
            row.resize(to - from);
            rows.read(wanted[k].item, from, to, row.data());
            for (; k < next; ++k) keys[wanted[k].place] = row[wanted[k].cls - from];
        }
    });
    return keys;
}

ClassRanks::ClassRanks(const ClassPositives& positives, std::span<const double> keys)
    : first_(positives.first.size()), value_of_(keys.size()) {
    std::vector<std::size_t> order;
    for (std::uint32_t c = 0; c < positives.classes(); ++c) {
        first_[c] = values_.size();
        order.resize(positives.of(c));
        std::iota(order.begin(), order.end(), static_cast<std::size_t>(positives.first[c]));
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        for (const std::size_t place : order) {
            if (values_.size() == first_[c] || values_.back() != keys[place]) {
                values_.push_back(keys[place]);
                members_.push_back(0);
            }
            ++members_.back();
            value_of_[place] = static_cast<std::uint32_t>(values_.size() - 1 - first_[c]);
        }
    }
    first_.back() = values_.size();
    searches_.reserve(positives.classes());
    for (std::uint32_t c = 0; c < positives.classes(); ++c) searches_.emplace_back(values(c));
}

std::vector<std::int64_t> ClassRanks::count(const OrderedRows& rows, int threads,
                                            std::uint32_t begin, std::uint32_t end) const {
    std::vector<std::int64_t> counts(slots());
    std::uint64_t there = 0;
    for (std::uint64_t i = 0; i < rows.items(); ++i) there += rows.counts(i) ? 1 : 0;
    const auto nothing = static_cast<std::int64_t>(detail::places_of(rows.items()) - there);
    detail::sweep_columns(rows, begin, end, threads, [&](const detail::KeyTile& tile) {
        // Neighboring items are often in the same slot: with four counters per slot, an addition
        // need not wait for the previous one.
        constexpr std::size_t turns = 4, few = 512;
        std::vector<std::uint32_t> local, slots(tile.places.size());
        for (std::uint32_t c = tile.from; c < tile.to; ++c) {
            const std::span<const double> own = values(c);
            if (own.empty()) continue;
            searches_[c].find(own, tile.column(c), slots.data());
            std::int64_t* const to = counts.data() + first_slot(c);
            if (own.size() > few) {
                for (const std::uint32_t slot : slots) ++to[slot];
                continue;
            }
            const std::size_t width = 2 * own.size() + 1;
            local.assign(turns * width, 0);
            for (std::size_t i = 0; i < slots.size(); i += turns) {
                for (std::size_t t = 0; t < turns; ++t) ++local[t * width + slots[i + t]];
            }
            for (std::size_t k = 0; k < local.size(); ++k) to[k % width] += local[k];
        }
    });
    // Places without an item contain zeros.
    const std::array<double, GuidedSearch::lanes> zeros{};
    for (std::uint32_t c = begin; c < std::min(end, classes()); ++c) {
        if (values(c).empty()) continue;
        std::array<std::uint32_t, GuidedSearch::lanes> slot;
        searches_[c].find(values(c), zeros, slot.data());
        counts[first_slot(c) + slot[0]] -= nothing;
    }
    return counts;
}

std::vector<std::int64_t> ClassRanks::sum(const OrderedRows& rows,
                                          std::span<const std::int64_t> by_slot, int threads,
                                          std::uint32_t begin, std::uint32_t end) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(rows.items()));
    std::mutex mutex;
    detail::sweep_columns(rows, begin, end, threads, [&](const detail::KeyTile& tile) {
        std::vector<std::int64_t> local(tile.places.size());
        std::vector<std::uint32_t> slots(local.size());
        for (std::uint32_t c = tile.from; c < tile.to; ++c) {
            if (values(c).empty()) continue;
            searches_[c].find(values(c), tile.column(c), slots.data());
            const std::int64_t* const from = by_slot.data() + first_slot(c);
            for (std::size_t i = 0; i < slots.size(); ++i) local[i] += from[slots[i]];
        }
        const std::lock_guard lock(mutex);  // for integers, the order of the tiles does not
                                            // matter
        for (std::size_t j = 0; j < tile.items; ++j)
            sums[static_cast<std::size_t>(tile.first_item) + j] += local[tile.places[j]];
    });
    return sums;
}

}  // namespace assay
