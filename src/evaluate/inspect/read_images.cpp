#include "evaluate/inspect/read_images.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "assay/image/image.h"
#include "data/name_hash.h"
#include "data/visit_images.h"
#include "image/near_hash.h"

namespace assay::inspect {
namespace {

std::uint64_t hash_of_file(std::span<const std::byte> bytes) {
    return std::max<std::uint64_t>(name_hash(bytes).first, 1);
}

bool is_of_one_colour(const Image& image) {
    constexpr std::size_t pixel = 4;
    const std::uint8_t* const first = image.pixels.data();
    return std::memcmp(first, first + pixel, image.pixels.size() - pixel) == 0;
}

}  // namespace

ImageHashes read_images(const Dataset& dataset, const InspectOptions& options, Pixels pixels,
                        ImageTally& tally, const ProgressCallback& callback) {
    const std::size_t images = dataset.size();
    ImageHashes hashes{.file = std::vector<std::uint64_t>(images),
                       .look = std::vector<std::uint64_t>(images)};
    std::mutex one_at_a_time;
    const auto visit = [&](std::size_t i, MemoryBudget& memory) {
        FileFacts facts;
        int width = 0, height = 0;
        bool flat = false;
        PixelMeasures measures;
        std::optional<std::string> problem = visit_image(
            dataset, i, {}, memory,
            [&](std::span<const std::byte> bytes) {
                hashes.file[i] = hash_of_file(bytes);
                facts = facts_of_file(bytes);
            },
            [&](const Image& image) {
                width = image.width;
                height = image.height;
                flat = is_of_one_colour(image);
                hashes.look[i] = near_hash(image);
                if (pixels == Pixels::measured) measures = pixel_measures(image);
            });
        const auto item = static_cast<std::uint32_t>(i);
        const std::lock_guard lock(one_at_a_time);
        if (problem) {
            tally.add_unreadable(item, facts.format, std::move(*problem));
        } else {
            tally.add(item, dataset.ids[i], facts, width, height, flat, measures);
        }
        return !problem;
    };
    visit_images(dataset.name, images, options.threads, visit, callback);
    return hashes;
}

}  // namespace assay::inspect
