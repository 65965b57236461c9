#include "patchml/patch_cache.h"

#include <algorithm>

namespace assay {

PatchCache::PatchCache(std::size_t patches, const CompositeOptions& options)
    : patches_(patches), interpolation_(options.interpolation), most_bytes_(options.cache_bytes) {
    if (most_bytes_ == 0) return;
    for (const Grid& grid : options.grids) {
        if (slots_of(grid.p) == nullptr) sides_.emplace_back(grid.p, std::vector<Slot>(patches));
    }
}

PatchCache::~PatchCache() {
    for (const auto& [p, slots] : sides_) {
        for (const Slot& slot : slots) delete slot.load(std::memory_order_relaxed);
    }
}

bool PatchCache::fits(std::size_t patches, const CompositeOptions& options) const {
    return patches == patches_ && options.interpolation == interpolation_;
}

const std::vector<PatchCache::Slot>* PatchCache::slots_of(int p) const {
    const auto found = std::find_if(sides_.begin(), sides_.end(),
                                    [p](const auto& side) { return side.first == p; });
    return found == sides_.end() ? nullptr : &found->second;
}

const Image* PatchCache::find(int p, std::uint32_t patch) const {
    const auto* const slots = slots_of(p);
    return slots == nullptr ? nullptr : (*slots)[patch].load(std::memory_order_acquire);
}

void PatchCache::offer(int p, std::uint32_t patch, const Image& image) {
    const auto* const slots = slots_of(p);
    if (slots == nullptr) return;
    const std::size_t bytes = sizeof(Image) + image.pixels.size();
    if (bytes_.fetch_add(bytes) + bytes > most_bytes_) {
        bytes_.fetch_sub(bytes);
        return;
    }
    auto copy = std::make_unique<const Image>(image);
    const Image* nothing = nullptr;
    Slot& slot = const_cast<Slot&>((*slots)[patch]);
    if (slot.compare_exchange_strong(nothing, copy.get(), std::memory_order_release,
                                     std::memory_order_relaxed)) {
        (void)copy.release();
    } else {
        bytes_.fetch_sub(bytes);
    }
}

std::shared_ptr<PatchCache> make_patch_cache(const PatchPool& pool,
                                             const CompositeOptions& options) {
    return std::make_shared<PatchCache>(pool.patches.size(), options);
}

}  // namespace assay
