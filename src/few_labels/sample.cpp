#include "few_labels/sample.h"

#include <algorithm>
#include <utility>

namespace assay::few_labels {

Sample draw(const Pool& pool, const Strata& strata, const std::vector<std::uint64_t>& labels,
            std::uint64_t seed, int threads, const ProgressCallback& progress) {
    using Key = std::pair<std::uint64_t, std::uint64_t>;  // random key, row
    std::vector<std::vector<Key>> heaps(strata.size());   // heaps with the largest key on top
    pool.for_each_round(threads, progress, "sample",
                        [&](std::uint64_t first, std::span<const ImageFacts> facts) {
                            for (std::size_t i = 0; i < facts.size(); ++i) {
                                const std::uint8_t h = strata.of(first + i, facts[i]);
                                if (h == Strata::outside) continue;
                                std::vector<Key>& heap = heaps[h];
                                const Key key{draw_key(seed, first + i), first + i};
                                if (heap.size() < labels[h]) {
                                    heap.push_back(key);
                                    std::push_heap(heap.begin(), heap.end());
                                } else if (!heap.empty() && key < heap.front()) {
                                    std::pop_heap(heap.begin(), heap.end());
                                    heap.back() = key;
                                    std::push_heap(heap.begin(), heap.end());
                                }
                            }
                        });
    Sample out;
    out.drawn = labels;
    for (const std::uint64_t row : strata.settled()) {
        out.settled.push_back({row, static_cast<std::uint32_t>(strata.size()), {}});
        pool.read(row, out.settled.back().predictions);
    }
    for (std::size_t h = 0; h < heaps.size(); ++h) {
        std::sort_heap(heaps[h].begin(), heaps[h].end());
        for (const Key& key : heaps[h]) {
            out.images.push_back({key.second, static_cast<std::uint32_t>(h), {}});
            pool.read(key.second, out.images.back().predictions);
        }
    }
    return out;
}

}  // namespace assay::few_labels
