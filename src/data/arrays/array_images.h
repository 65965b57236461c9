// Images that are parts of one array of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "containers/byte_source.h"

namespace assay::arrays {

/// `count` images of one size in sequence, with a byte for each sample. Sample (y, x, c) of image i
/// is at begin + i * image_step + y * row_step + x * column_step + c * channel_step. The height *
/// width * channels samples of an image are contiguous.
struct PixelArray {
    std::shared_ptr<const ByteSource> bytes{};
    std::uint64_t begin = 0, count = 0, image_step = 0;
    std::uint64_t height = 0, width = 0, channels = 1;  ///< channels: 1 (grey) or 3
    std::uint64_t row_step = 0, column_step = 0, channel_step = 0;

    std::uint64_t image_bytes() const { return height * width * channels; }
    /// Sets the layout to rows of R, G, B.
    void set_interleaved();
    /// Sets the layout to one plane per channel.
    void set_planar();
    /// Describes them: "10000 grey images of 28 x 28 pixels".
    std::string described() const;
    /// Throws bad_input for no images, or images with more pixels than the limit.
    void check() const;
};

/// The name of an image is "<array>/<number>". read() returns a Netpbm file (PGM, PPM), which
/// contains the samples unchanged. Cost: a read of the image's bytes; nothing is cached.
class ArrayImages final : public ImageArchive {
public:
    /// Throws bad_input if another array has its name. `file` is for messages.
    void add(const std::string& name, std::filesystem::path file, PixelArray array);

    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;
    bool holds_samples() const override { return true; }

private:
    struct Named {
        std::filesystem::path file;
        PixelArray array;
    };
    std::map<std::string, Named, std::less<>> arrays_;
};

}  // namespace assay::arrays
