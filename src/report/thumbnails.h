// Makes small images of the items that a report shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/image/image.h"
#include "assay/report/document.h"
#include "report/items.h"
#include "report/said.h"
#include "report/store_groups.h"

namespace assay {

/// A JPEG with no side longer than `side`. The caller sets dataset and id.
Thumbnail thumbnail_of(const Image& image, int side);
/// A PNG of the same pixels, unless a side is longer than 512.
Thumbnail lossless_thumbnail_of(const Image& image);

/// The first `most` of the wanted images, none of them enlarged; the bytes are the same for any
/// number of threads. Images that cannot be read are skipped and reported.
std::vector<Thumbnail> thumbnails_of(const StoreGroup& group, const std::vector<WantedItem>& wanted,
                                     std::size_t most, int side, int threads, Said& said);
/// The same for rows of any data set, under this name.
std::vector<Thumbnail> thumbnails_of(const Dataset& dataset, const std::string& name,
                                     const std::vector<std::uint64_t>& rows, int side, int threads,
                                     Said& said);

}  // namespace assay
