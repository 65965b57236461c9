// The version of the decoder that made the pixels of a store's images.
#pragma once

#include <cstdint>

namespace assay {

/// It increases when a change alters the pixels of some data set. store/former_decoder.h lists the
/// affected data sets.
///
/// 1: photographs in Parquet files of `datasets` are rotated by their EXIF data.
inline constexpr std::uint32_t decoder_version = 1;

}  // namespace assay
