// Which version of the decoder made pixels of a store's images.
#pragma once

#include <cstdint>

namespace assay {

/// It grows when the images of some data set become other pixels, and store/former_decoder.h says
/// of which.
///
/// 1: photographs in Parquet files of `datasets` are turned by their EXIF data.
inline constexpr std::uint32_t decoder_version = 1;

}  // namespace assay
