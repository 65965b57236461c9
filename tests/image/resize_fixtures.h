// Small images and the results of another library: tests/data/fixtures/<name>.tsv and .bin, which
// make_torch_fixtures.py and make_opencv_fixtures.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/image/image.h"
#include "core/file.h"

namespace assay {

struct ResizeCase {
    std::string filter;
    Image from, to;

    std::string text() const {
        return fmt::format("{} {} x {} to {} x {}", filter, from.width, from.height, to.width,
                           to.height);
    }
};

inline Image image_in(const std::vector<std::byte>& bytes, std::size_t at, int width, int height) {
    Image image{width, height, {}};
    for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(width * height); ++i) {
        image.pixels.push_back(static_cast<std::uint8_t>(bytes.at(at + i)));
        if (i % 3 == 2) image.pixels.push_back(255);
    }
    return image;
}

inline std::vector<ResizeCase> resize_cases(const std::string& name) {
    const std::filesystem::path folder =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures";
    const std::vector<std::byte> bytes = read_file(folder / (name + ".bin"));
    std::istringstream lines(read_text(folder / (name + ".tsv")));
    std::vector<ResizeCase> cases;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        ResizeCase c;
        int sizes[4] = {};
        std::size_t from = 0, to = 0;
        fields >> c.filter;
        for (int& size : sizes) fields >> size;
        fields >> from >> to;
        c.from = image_in(bytes, from, sizes[0], sizes[1]);
        c.to = image_in(bytes, to, sizes[2], sizes[3]);
        cases.push_back(std::move(c));
    }
    return cases;
}

}  // namespace assay
