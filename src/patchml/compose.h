// The pixels of one composite.
#pragma once

#include <atomic>
#include <cstdint>

#include "assay/patchml/composites.h"
#include "patchml/patch_cache.h"

namespace assay {

/// Buffers that a thread reuses between composites.
struct ComposeScratch {
    Image canvas;
    Image source;
    Image cut;
};

struct ComposeCounts {
    std::atomic<std::uint64_t> cache_hits{0};
    std::atomic<std::uint64_t> decodes{0};
};

/// Writes the composite to scratch.canvas. `cache` may be null.
void compose_into(const PatchPool& pool, const CompositePlan& plan, std::size_t i,
                  const CompositeOptions& options, PatchCache* cache, ComposeScratch& scratch,
                  ComposeCounts& counts);

}  // namespace assay
