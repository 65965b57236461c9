// Resized patches that several composites share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "assay/patchml/composites.h"

namespace assay {

/// The cache needs no locks: a patch is added once and stays as long as the cache.
class PatchCache {
public:
    PatchCache(std::size_t patches, const CompositeOptions& options);
    ~PatchCache();
    PatchCache(const PatchCache&) = delete;
    PatchCache& operator=(const PatchCache&) = delete;

    /// True if the cache was made for such a pool and the same resizing.
    bool fits(std::size_t patches, const CompositeOptions& options) const;
    /// The patch whose longer side is p, or null.
    const Image* find(int p, std::uint32_t patch) const;
    /// Stores a copy of the patch if there is room.
    void offer(int p, std::uint32_t patch, const Image& image);

private:
    using Slot = std::atomic<const Image*>;
    const std::vector<Slot>* slots_of(int p) const;

    std::size_t patches_;
    Interpolation interpolation_;
    std::size_t most_bytes_;
    std::atomic<std::size_t> bytes_{0};
    std::vector<std::pair<int, std::vector<Slot>>> sides_;
};

}  // namespace assay
