#include "evaluate/inspect/read_images.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "data/name_hash.h"
#include "image/near_hash.h"

namespace assay::inspect {
namespace {

std::uint64_t hash_of_file(std::span<const std::byte> bytes) {
    const auto hash = name_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).first;
    return std::max<std::uint64_t>(hash, 1);
}

bool is_of_one_colour(const Image& image) {
    constexpr std::size_t pixel = 4;
    const std::uint8_t* const first = image.pixels.data();
    return std::memcmp(first, first + pixel, image.pixels.size() - pixel) == 0;
}

}  // namespace

ImageHashes read_images(const Dataset& dataset, const InspectOptions& options, ImageTally& tally,
                        const ProgressCallback& callback) {
    const std::size_t images = dataset.size();
    ImageHashes hashes{.file = std::vector<std::uint64_t>(images),
                       .look = std::vector<std::uint64_t>(images)};
    MemoryBudget memory(DecodeLimits{}.bytes);
    std::mutex one_at_a_time;
    std::uint64_t done = 0;
    constexpr std::size_t block = 16;
    parallel_blocks((images + block - 1) / block, resolve_threads(options.threads), [&](auto b) {
        thread_local Image image;  // its memory is kept for the next one
        for (std::size_t i = b * block; i < std::min(images, (b + 1) * block); ++i) {
            throw_if_stopped();
            const auto item = static_cast<std::uint32_t>(i);
            MemoryBudget::Share share;
            DecodeLimits limits;
            limits.reserve = [&](std::uint64_t bytes) { share = memory.take(bytes); };
            FileFacts facts;
            bool flat = false;
            std::string problem;
            try {
                const std::vector<std::byte> bytes = dataset.read_image(i);
                hashes.file[i] = hash_of_file(bytes);
                facts = facts_of_file(bytes);
                decode_image_into(bytes, image, limits);
                flat = is_of_one_colour(image);
                hashes.look[i] = near_hash(image);
            } catch (const Error& error) {
                if (ends_the_run(error)) throw;
                problem = error.message();
            } catch (const std::bad_alloc&) {
                problem = "there is not enough memory to decode it";
            }
            const std::lock_guard lock(one_at_a_time);
            if (problem.empty()) {
                const std::string_view id = dataset.ids[i];
                tally.add(item, id, facts, image.width, image.height, flat);
            } else {
                tally.add_unreadable(item, facts.format, std::move(problem));
            }
            // Limit for the memory that is kept: enough for most images.
            constexpr std::size_t most_kept = std::size_t{64} << 20;
            if (image.pixels.capacity() > most_kept) image = {};
            ++done;
            if (callback) {
                callback({.step = dataset.name,
                          .done = done,
                          .total = images,
                          .failed = tally.unreadable()});
            }
        }
    });
    return hashes;
}

}  // namespace assay::inspect
