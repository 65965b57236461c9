#include "slices/image_statistics.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/hash.h"
#include "core/refuse.h"
#include "data/visit_images.h"
#include "image/luma_plane.h"
#include "store/image_check.h"
#include "store/same_data.h"

namespace assay::slices {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// The files of the rows at the time of prediction.
std::vector<ImageFile> recorded_files(const PredictionStore& store) {
    std::vector<ImageFile> out(static_cast<std::size_t>(store.rows()));
    for (std::size_t s = 0; s < store.shards(); ++s) {
        if (!store.has(s)) continue;
        const PredictionStore::Shard shard = store.shard(s);
        const std::span<const ImageFile> files = shard.images();
        std::ranges::copy(files, out.begin() + static_cast<std::ptrdiff_t>(shard.first_row));
    }
    return out;
}

/// True if rows have the same images at the same places.
bool has_same_places(const Dataset& one, const Dataset& two) {
    return one.root == two.root && one.ids == two.ids && one.paths == two.paths;
}

}  // namespace

std::array<double, 4> statistics_of(const Image& image) {
    const LumaPlane plane = luma_plane(image);
    std::uint64_t bright = 0;
    for (const std::uint8_t level : plane.levels) bright += level;
    const auto pixels = static_cast<double>(plane.levels.size());
    return {static_cast<double>(bright) / pixels / 255, laplacian_variance(plane), pixels / 1e6,
            static_cast<double>(plane.width) / static_cast<double>(plane.height)};
}

ImageStatistics read_statistics(const Dataset& images, const std::vector<std::int64_t>& items,
                                const PredictionStore& store, int threads,
                                const ProgressCallback& progress) {
    const std::vector<ImageFile> recorded = recorded_files(store);
    ImageStatistics out;
    for (std::vector<double>& one : out.of) one.assign(items.size(), not_known);
    std::vector<std::size_t> rows;  // rows with an image
    for (std::size_t row = 0; row < items.size(); ++row)
        if (items[row] >= 0) rows.push_back(row);
    std::mutex one_at_a_time;
    std::size_t first_unreadable = items.size();
    const auto visit = [&](std::size_t place, MemoryBudget& memory) {
        const std::size_t row = rows[place];
        const auto item = static_cast<std::size_t>(items[row]);
        ImageFile now;
        const std::optional<std::string> problem = visit_image(
            images, item, {}, memory,
            [&](std::span<const std::byte> bytes) {
                if (recorded[row].known() && !bytes.empty())
                    now = store::image_file(bytes.size(), hash_bytes(bytes));
            },
            [&](const Image& image) {
                const std::array<double, 4> found = statistics_of(image);
                for (std::size_t s = 0; s < found.size(); ++s) out.of[s][row] = found[s];
            });
        if (!store::same_file(recorded[row], now).value_or(true))
            refuse(fmt::format(
                "{} is another file than the one that `{}` saw as `{}`; name its images: "
                "assay slices RUNS -d DATA",
                images.path_of(item).string(), store.folder().string(), store.dataset().ids[row]));
        if (!problem) return true;
        const std::lock_guard lock(one_at_a_time);
        ++out.unreadable;
        if (row < first_unreadable) {
            first_unreadable = row;
            out.first_unreadable = fmt::format("{}: {}", store.dataset().ids[row], *problem);
        }
        return false;
    };
    visit_images(images.name, rows.size(), threads, visit, progress);
    return out;
}

const ImageStatistics* KnownStatistics::of(const PredictionStore& store) const {
    const std::vector<ImageFile> recorded = recorded_files(store);
    const auto same = std::ranges::find_if(known_, [&](const auto& known) {
        if (!has_same_places(known.first->dataset(), store.dataset())) return false;
        // The former were compared with the files, so these are also checked.
        const std::vector<ImageFile> compared = recorded_files(*known.first);
        for (std::size_t row = 0; row < recorded.size(); ++row)
            if (recorded[row].known() && recorded[row] != compared[row]) return false;
        return true;
    });
    return same == known_.end() ? nullptr : &same->second;
}

const ImageStatistics& KnownStatistics::add(const PredictionStore& store, ImageStatistics read) {
    return known_.emplace_back(&store, std::move(read)).second;
}

}  // namespace assay::slices
