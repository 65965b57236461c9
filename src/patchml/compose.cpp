#include "patchml/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "assay/error.h"
#include "core/file.h"

namespace assay {
namespace {

std::size_t bytes_of(int pixels) {
    return 4 * static_cast<std::size_t>(pixels);
}

/// The canvas is black, and opaque like every image here.
void clear(Image& canvas, int side) {
    canvas.width = canvas.height = side;
    const std::size_t bytes = bytes_of(side) * static_cast<std::size_t>(side);
    canvas.pixels.assign(bytes, 0);
    for (std::size_t i = 3; i < bytes; i += 4) canvas.pixels[i] = 255;
}

void paste(Image& canvas, const Image& patch, const Placement& at) {
    for (int y = 0; y < at.height; ++y) {
        const std::size_t to =
            bytes_of(canvas.width) * static_cast<std::size_t>(at.y + y) + bytes_of(at.x);
        std::memcpy(canvas.pixels.data() + to,
                    patch.pixels.data() + bytes_of(at.width) * static_cast<std::size_t>(y),
                    bytes_of(at.width));
    }
}

void load_source(const PatchPool& pool, std::uint32_t image, Image& source) {
    const auto path = pool.root / std::filesystem::path(pool.images[image]);
    with_note("reading the image " + path.string(),
              [&] { decode_image_into(read_file(path), source); });
    const PatchPool::Size expected = pool.sizes[image];
    if (source.width != expected.width || source.height != expected.height) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{} changed: it had {} x {} pixels when the boxes were read, and now has {} x {}",
                path.string(), expected.width, expected.height, source.width, source.height));
    }
}

/// Copies only the patch's pixels, so that the resize ignores its surroundings, as PIL's crop does.
const Image& cut_out(const Image& source, const Patch& patch, Image& cut) {
    if (patch.width == source.width && patch.height == source.height) return source;
    cut.width = patch.width;
    cut.height = patch.height;
    cut.pixels.resize(bytes_of(patch.width) * static_cast<std::size_t>(patch.height));
    for (int y = 0; y < patch.height; ++y) {
        const std::size_t from =
            bytes_of(source.width) * static_cast<std::size_t>(patch.y + y) + bytes_of(patch.x);
        std::memcpy(cut.pixels.data() + bytes_of(patch.width) * static_cast<std::size_t>(y),
                    source.pixels.data() + from, bytes_of(patch.width));
    }
    return cut;
}

}  // namespace

void compose_into(const PatchPool& pool, const CompositePlan& plan, std::size_t i,
                  const CompositeOptions& options, PatchCache* cache, ComposeScratch& scratch,
                  ComposeCounts& counts) {
    const auto k = static_cast<std::size_t>(plan.grid.k);
    const std::span<const std::uint32_t> patches(plan.patches.data() + i * k, k);
    const std::vector<Placement> places = place_patches(pool, plan, i, options);
    clear(scratch.canvas, options.canvas);

    std::vector<std::size_t> to_make;
    for (std::size_t j = 0; j < k; ++j) {
        const Image* const kept = cache != nullptr ? cache->find(plan.grid.p, patches[j]) : nullptr;
        kept != nullptr ? paste(scratch.canvas, *kept, places[j]) : to_make.push_back(j);
    }
    counts.cache_hits += k - to_make.size();
    // Sorts patches by image, so that each image is decoded once.
    const auto image_of = [&](std::size_t j) { return pool.patches[patches[j]].image; };
    std::sort(to_make.begin(), to_make.end(),
              [&](std::size_t a, std::size_t b) { return image_of(a) < image_of(b); });
    for (std::size_t n = 0; n < to_make.size(); ++n) {
        const std::size_t j = to_make[n];
        const Patch& patch = pool.patches[patches[j]];
        if (n == 0 || patch.image != image_of(to_make[n - 1])) {
            load_source(pool, patch.image, scratch.source);
            ++counts.decodes;
        }
        const Image resized =
            resize(cut_out(scratch.source, patch, scratch.cut), options.interpolation,
                   {.width = places[j].width, .height = places[j].height});
        paste(scratch.canvas, resized, places[j]);
        if (cache != nullptr) cache->offer(plan.grid.p, patches[j], resized);
    }
}

Image compose(const PatchPool& pool, const CompositePlan& plan, std::size_t i,
              const CompositeOptions& options) {
    if (i >= plan.size()) {
        throw Error(ErrorCode::usage, fmt::format("composite {} of {}", i, plan.size()));
    }
    ComposeScratch scratch;
    ComposeCounts counts;
    compose_into(pool, plan, i, options, nullptr, scratch, counts);
    return std::move(scratch.canvas);
}

}  // namespace assay
