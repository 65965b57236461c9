#include "slices/image_statistics.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/hash.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "store/image_check.h"
#include "store/same_data.h"

namespace assay::slices {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t statistics_block = 16;
/// Limit for the memory that is kept between images: enough for most.
constexpr std::size_t most_kept_pixels = std::size_t{64} << 20;

std::uint8_t luma(const std::uint8_t* pixel) {
    return static_cast<std::uint8_t>(
        (19595U * pixel[0] + 38470U * pixel[1] + 7471U * pixel[2] + 0x8000U) >> 16U);
}

/// The files that the rows had when they were predicted.
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

}  // namespace

std::array<double, 4> statistics_of(const Image& image) {
    const auto width = static_cast<std::size_t>(image.width),
               height = static_cast<std::size_t>(image.height);
    const std::size_t pixels = width * height;
    std::vector<std::uint8_t> grey(pixels);
    std::uint64_t bright = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
        grey[i] = luma(image.pixels.data() + 4 * i);
        bright += grey[i];
    }
    std::int64_t sum = 0, squares = 0;
    for (std::size_t y = 1; y + 1 < height; ++y) {
        const std::uint8_t* const row = grey.data() + y * width;
        for (std::size_t x = 1; x + 1 < width; ++x) {
            const int around = row[x - 1] + row[x + 1] + *(row + x - width) + row[x + width];
            const int laplacian = around - 4 * row[x];
            sum += laplacian;
            squares += laplacian * laplacian;
        }
    }
    const auto all = static_cast<double>(pixels);
    double sharpness = not_known;
    if (width > 2 && height > 2) {
        const auto inner = static_cast<double>((width - 2) * (height - 2));
        const double mean = static_cast<double>(sum) / inner;
        sharpness = static_cast<double>(squares) / inner - mean * mean;
    }
    return {static_cast<double>(bright) / all / 255, sharpness, all / 1e6,
            static_cast<double>(width) / static_cast<double>(height)};
}

ImageStatistics read_statistics(const Dataset& images, const std::vector<std::int64_t>& items,
                                const PredictionStore& store, int threads,
                                const ProgressCallback& progress) {
    const std::vector<ImageFile> recorded = recorded_files(store);
    ImageStatistics out;
    for (std::vector<double>& one : out.of) one.assign(items.size(), not_known);
    MemoryBudget memory(DecodeLimits{}.bytes);
    std::mutex one_at_a_time;
    std::size_t first_unreadable = items.size();
    const auto total = static_cast<std::uint64_t>(
        std::ranges::count_if(items, [](std::int64_t item) { return item >= 0; }));
    std::uint64_t done = 0;
    const std::size_t blocks = (items.size() + statistics_block - 1) / statistics_block;
    parallel_blocks(blocks, resolve_threads(threads), [&](std::size_t block) {
        thread_local Image image;  // its memory is kept for the next one
        const std::size_t end = std::min(items.size(), (block + 1) * statistics_block);
        for (std::size_t row = block * statistics_block; row < end; ++row) {
            throw_if_stopped();
            if (items[row] < 0) continue;
            MemoryBudget::Share share;
            DecodeLimits limits;
            limits.reserve = [&](std::uint64_t bytes) { share = memory.take(bytes); };
            std::string problem;
            std::vector<std::byte> bytes;
            try {
                bytes = images.read_image(static_cast<std::size_t>(items[row]));
                decode_image_into(bytes, image, limits);
                const std::array<double, 4> found = statistics_of(image);
                for (std::size_t s = 0; s < found.size(); ++s) out.of[s][row] = found[s];
            } catch (const Error& error) {
                if (ends_the_run(error)) throw;
                problem = error.message();
            } catch (const std::bad_alloc&) {
                problem = "there is not enough memory to decode it";
            }
            if (recorded[row].known() && !bytes.empty()) {
                const ImageFile now = store::image_file(bytes.size(), hash_bytes(bytes));
                if (!store::same_file(recorded[row], now).value_or(true))
                    refuse(fmt::format(
                        "{} is another file than the one that `{}` saw as `{}`; name its images: "
                        "assay slices RUNS -d DATA",
                        images.path_of(static_cast<std::size_t>(items[row])).string(),
                        store.folder().string(), store.dataset().ids[row]));
            }
            if (image.pixels.capacity() > most_kept_pixels) image = {};
            const std::lock_guard lock(one_at_a_time);
            if (!problem.empty()) {
                ++out.unreadable;
                if (row < first_unreadable) {
                    first_unreadable = row;
                    out.first_unreadable = fmt::format("{}: {}", store.dataset().ids[row], problem);
                }
            }
            ++done;
            if (progress)
                progress(
                    {.step = images.name, .done = done, .total = total, .failed = out.unreadable});
        }
    });
    return out;
}

}  // namespace assay::slices
