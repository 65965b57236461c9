#include "audit/decoded_images.h"

#include <array>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"
#include "data/visit_images.h"
#include "evaluate/inspect/near_pairs.h"
#include "image/near_hash.h"

namespace assay::audit {
namespace {

/// Images of other shapes have other keys, even if their pixels are the same row of numbers.
NameHash pixel_key(const Image& image) {
    Hasher hasher;
    const std::array<std::int32_t, 2> shape = {image.width, image.height};
    hasher.add(std::as_bytes(std::span(shape)));
    hasher.add(std::as_bytes(std::span(image.pixels)));
    return name_hash(hasher.digest());
}

}  // namespace

DecodedImages decode_images(const Dataset& dataset, int threads, const ProgressCallback& progress) {
    const std::size_t images = dataset.size();
    DecodedImages out{.files = ImageKeys(images, unknown_key),
                      .pixels = ImageKeys(images, unknown_key),
                      .looks = std::vector<std::uint64_t>(images)};
    std::mutex one_at_a_time;
    std::size_t first = images;
    std::string why;
    const auto visit = [&](std::size_t i, MemoryBudget& memory) {
        std::optional<std::string> problem = visit_image(
            dataset, i, {}, memory,
            [&](std::span<const std::byte> bytes) { out.files[i] = name_hash(bytes); },
            [&](const Image& image) {
                out.pixels[i] = pixel_key(image);
                out.looks[i] = near_hash(image);
            });
        if (!problem) return true;
        const std::lock_guard lock(one_at_a_time);
        ++out.unreadable;
        if (i < first) {
            first = i;
            why = std::move(*problem);
        }
        return false;
    };
    visit_images("images", images, threads, visit, progress);
    if (images > 0 && out.unreadable == images)
        refuse(
            fmt::format("--pixels: none of {} can be read; the first: {}. If they have moved, type "
                        "`assay audit RUNS --pixels --images FOLDER`",
                        how_many(images, "image"), why));
    return out;
}

JoinedSets join_alike(JoinedSets& joined, const std::vector<std::uint64_t>& looks, int bits) {
    JoinedSets alike(looks.size());
    // Equal looks are joined first, because the search compares all equal ones with each other.
    std::vector<std::uint64_t> of_first(looks.size());
    for (std::uint32_t i = 0; i < looks.size(); ++i)
        if (joined.of(i) == i) of_first[i] = looks[i];
    for_equal_keys(of_first, std::uint64_t{0},
                   [&](std::uint32_t a, std::uint32_t b) { alike.join(a, b); });
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> images;
    for (std::uint32_t i = 0; i < looks.size(); ++i) {
        if (of_first[i] == 0 || alike.of(i) != i) continue;
        hashes.push_back(of_first[i]);
        images.push_back(i);
    }
    inspect::for_each_near_pair(hashes, bits, [&](std::uint32_t a, std::uint32_t b, int) {
        alike.join(images[a], images[b]);
    });
    return alike;
}

}  // namespace assay::audit
