#include "report/thumbnails.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/preprocess.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/archives.h"
#include "store/same_data.h"

namespace assay {
namespace {

constexpr int thumbnail_quality = 80;
constexpr int most_lossless_side = 512;
constexpr std::size_t unreadable_named = 3;

/// Scales so that no side is longer than `side`.
Image fitted(const Image& image, int side) {
    const int longer = std::max(image.width, image.height);
    if (longer <= side) return image;
    const auto scaled = [&](int length) {
        return std::max(1,
                        static_cast<int>((static_cast<std::int64_t>(length) * side * 2 + longer) /
                                         (2 * static_cast<std::int64_t>(longer))));
    };
    return resize(image, Interpolation::bicubic,
                  {.width = scaled(image.width), .height = scaled(image.height)});
}

Thumbnail thumbnail_with(const Image& image, const std::vector<std::byte>& bytes) {
    Thumbnail out;
    out.width = image.width;
    out.height = image.height;
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    out.bytes.assign(data, data + bytes.size());
    return out;
}

}  // namespace

Thumbnail thumbnail_of(const Image& original, int side) {
    const Image image = fitted(original, side);
    return thumbnail_with(image, encode_jpeg(image, JpegOptions{.quality = thumbnail_quality,
                                                                .chroma = JpegChroma::halved,
                                                                .optimize = true}));
}

Thumbnail lossless_thumbnail_of(const Image& original) {
    const Image image = fitted(original, most_lossless_side);
    return thumbnail_with(image, encode_png(image));
}

std::vector<Thumbnail> thumbnails_of(const Dataset& dataset, const std::string& name,
                                     const std::vector<std::uint64_t>& rows, int side, int threads,
                                     Said& said) {
    std::vector<std::optional<Thumbnail>> made(rows.size());
    parallel_blocks(rows.size(), resolve_threads(threads), [&](std::size_t i) {
        throw_if_stopped();
        try {
            made[i] = thumbnail_of(load_image(dataset, rows[i]), side);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::interrupted) throw;
        }
    });
    std::vector<Thumbnail> thumbnails;
    std::string names;
    std::size_t unreadable = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string id(dataset.ids[rows[i]]);
        if (!made[i]) {
            if (unreadable++ < unreadable_named)
                names += (names.empty() ? "" : ", ") + shortened(id);
            continue;
        }
        made[i]->dataset = name;
        made[i]->id = id;
        thumbnails.push_back(std::move(*made[i]));
    }
    if (unreadable > 0)
        said.leave_out(fmt::format("{} of {} cannot be read and {} no thumbnail: {}{}.",
                                   how_many(unreadable, "image"), name,
                                   unreadable == 1 ? "has" : "have", names,
                                   unreadable > unreadable_named ? ", ..." : ""));
    return thumbnails;
}

std::vector<Thumbnail> thumbnails_of(const StoreGroup& group, const std::vector<WantedItem>& wanted,
                                     std::size_t most, int side, int threads, Said& said) {
    std::vector<std::uint64_t> rows;
    for (const WantedItem& item : wanted)
        if (rows.size() < most) rows.push_back(item.row);
    if (rows.empty()) return {};
    const PredictionStore store = PredictionStore::open(group.stores.front().folder);
    if (store.dataset().root.empty()) {
        said.leave_out(fmt::format(
            "{} has no thumbnails: its predictions were imported, without images.", group.dataset));
        return {};
    }
    if (!store::corruption_of(store).empty()) {
        said.leave_out(fmt::format("{} has no thumbnails: its images were corrupted in memory.",
                                   group.dataset));
        return {};
    }
    std::vector<std::uint32_t> items(rows.begin(), rows.end());
    Dataset shown = take_items(store.dataset(), items);
    try {
        shown.archive =
            archive_of(shown, archive_index_folder(store.folder().parent_path().parent_path()));
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        said.leave_out(fmt::format("{} has no thumbnails: {}.", group.dataset, error.message()));
        return {};
    }
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    return thumbnails_of(shown, group.dataset, rows, side, threads, said);
}

}  // namespace assay
