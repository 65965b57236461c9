// tests/data/fixtures/pixels and small_formats (.tsv, .bin), which make_pixel_fixtures.py wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assay/image/image.h"
#include "core/file.h"

namespace assay::test {

struct PixelFixture {
    std::string kind;
    std::string name;
    std::span<const std::byte> file;
    int width = 0;
    int height = 0;
    std::span<const std::byte> rgb;  ///< the pixels from Pillow
};

inline const std::vector<PixelFixture>& pixel_fixtures() {
    static const std::filesystem::path folder =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures";
    static const std::vector<std::byte> pixels = read_file(folder / "pixels.bin");
    static const std::vector<std::byte> small_formats = read_file(folder / "small_formats.bin");
    static const std::vector<PixelFixture> fixtures = [] {
        std::vector<PixelFixture> all;
        const auto add = [&](const char* table, std::span<const std::byte> blob) {
            std::istringstream lines(read_text(folder / table));
            for (std::string line; std::getline(lines, line);) {
                if (line.empty() || line[0] == '#') continue;
                std::istringstream fields(line);
                PixelFixture f;
                std::size_t at = 0, size = 0, pixels_at = 0;
                std::getline(fields, f.kind, '\t');
                std::getline(fields, f.name, '\t');
                fields >> at >> size >> f.width >> f.height >> pixels_at;
                f.file = blob.subspan(at, size);
                f.rgb = blob.subspan(pixels_at, 3 * static_cast<std::size_t>(f.width) *
                                                    static_cast<std::size_t>(f.height));
                all.push_back(f);
            }
        };
        add("pixels.tsv", pixels);
        add("small_formats.tsv", small_formats);
        return all;
    }();
    return fixtures;
}

inline const PixelFixture& pixel_fixture(std::string_view name) {
    for (const PixelFixture& f : pixel_fixtures())
        if (f.name == name) return f;
    throw std::out_of_range("no fixture " + std::string(name));
}

/// The number of R, G, B bytes that differ, plus the X bytes that are not 255, or -1 if the sizes
/// differ.
inline std::int64_t differing_bytes(const Image& image, const PixelFixture& fixture) {
    const std::size_t pixels = fixture.rgb.size() / 3;
    if (image.width != fixture.width || image.height != fixture.height ||
        image.pixels.size() != 4 * pixels)
        return -1;
    std::int64_t different = 0;
    for (std::size_t i = 0; i < pixels; ++i) {
        for (std::size_t c = 0; c < 3; ++c)
            different += std::byte{image.pixels[4 * i + c]} != fixture.rgb[3 * i + c];
        different += image.pixels[4 * i + 3] != 255;
    }
    return different;
}

}  // namespace assay::test
