#include "data/visit_images.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "assay/error.h"
#include "core/parallel.h"

namespace assay {

std::optional<std::string> visit_image(const Dataset& dataset, std::size_t item,
                                       const DecodeLimits& limits, MemoryBudget& memory,
                                       const std::function<void(std::span<const std::byte>)>& read,
                                       const std::function<void(const Image&)>& use) {
    thread_local Image image;  // its memory is reused for the next image
    MemoryBudget::Share share;
    DecodeLimits own = limits;
    own.reserve = [&](std::uint64_t bytes) { share = memory.take(bytes); };
    std::optional<std::string> problem;
    try {
        const std::vector<std::byte> bytes = dataset.read_image(item);
        if (read) read(bytes);
        decode_image_into(bytes, image, own);
        use(image);
    } catch (const Error& error) {
        if (ends_the_run(error)) throw;
        problem = error.message();
    } catch (const std::bad_alloc&) {
        problem = "there is not enough memory to decode it";
    }
    // Limit for the memory that is kept: enough for most images.
    constexpr std::size_t most_kept = std::size_t{64} << 20;
    if (problem || image.pixels.capacity() > most_kept) image = {};
    return problem;
}

void visit_images(std::string_view step, std::size_t images, int threads,
                  const std::function<bool(std::size_t place, MemoryBudget& memory)>& visit,
                  const ProgressCallback& progress) {
    MemoryBudget memory(DecodeLimits{}.bytes);
    std::mutex one_at_a_time;
    std::uint64_t done = 0, failed = 0;
    constexpr std::size_t block = 16;
    parallel_blocks((images + block - 1) / block, resolve_threads(threads), [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(images, (b + 1) * block); ++i) {
            throw_if_stopped();
            const bool good = visit(i, memory);
            const std::lock_guard lock(one_at_a_time);
            ++done;
            failed += good ? 0 : 1;
            if (progress) progress({.step = step, .done = done, .total = images, .failed = failed});
        }
    });
}

}  // namespace assay
