// Answers questions about pixels on its standard output, for tests/image/pillow_parity.py and
// torch_parity.py, which compare them with Pillow and PyTorch. A question is a line of fields with
// tabs between them:
//
//   decode  PATH
//   resize  PATH  FILTER  WIDTH  HEIGHT  CROP_X  CROP_Y  CROP_W  CROP_H  [RULE]
//   crop    PATH  JSON            (the uint8 window)
//   input   PATH  JSON            (the floats)
//
// An answer is a byte, 1 or 0, and two 32-bit integers. After 1, these are the width and height,
// and the R, G, B bytes (or the floats as planes) follow. After 0, they are the length of a message
// and 0, and the message follows.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"

namespace {

using namespace assay;

struct LoadedImage {
    std::string path;
    Image image;
};

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    return fields;
}

void answer(bool ok, std::uint32_t a, std::uint32_t b, const void* bytes, std::size_t count) {
    const char head = ok ? 1 : 0;
    const std::uint32_t sizes[2] = {a, b};
    std::fwrite(&head, 1, 1, stdout);
    std::fwrite(sizes, 4, 2, stdout);
    std::fwrite(bytes, 1, count, stdout);
    std::fflush(stdout);
}

void answer(const Image& image) {
    std::vector<std::uint8_t> rgb;
    rgb.reserve(image.pixels.size() / 4 * 3);
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
        if (image.pixels[i + 3] != 255) throw Error(ErrorCode::internal, "an X byte is not 255");
        rgb.insert(rgb.end(), image.pixels.begin() + i, image.pixels.begin() + i + 3);
    }
    answer(true, static_cast<std::uint32_t>(image.width), static_cast<std::uint32_t>(image.height),
           rgb.data(), rgb.size());
}

void serve(const std::vector<std::string>& fields, LoadedImage& last) {
    if (fields.size() < 2) throw Error(ErrorCode::usage, "a question has at least two fields");
    if (last.path != fields[1]) {
        last.path.clear();
        last.image = load_image(fields[1]);
        last.path = fields[1];
    }
    const auto number = [&](std::size_t i) { return std::stoi(fields.at(i)); };
    if (fields[0] == "decode") {
        answer(last.image);
    } else if (fields[0] == "resize") {
        const ResizeWindow window{number(3), number(4), number(5), number(6), number(7), number(8)};
        const ResizeRule rule = resize_rule_named(fields.size() > 9 ? fields[9] : "pillow");
        answer(resize(last.image, interpolation_named(fields.at(2)), window, {0, 0, 0}, rule));
    } else if (fields[0] == "crop") {
        answer(crop_window(last.image, preprocess_from_json(nlohmann::json::parse(fields.at(2)))));
    } else if (fields[0] == "input") {
        const Preprocess p = preprocess_from_json(nlohmann::json::parse(fields.at(2)));
        std::vector<float> out(3 * static_cast<std::size_t>(p.width) *
                               static_cast<std::size_t>(p.height));
        preprocess_into(last.image, p, out);
        answer(true, static_cast<std::uint32_t>(p.width), static_cast<std::uint32_t>(p.height),
               out.data(), 4 * out.size());
    } else {
        throw Error(ErrorCode::usage, "unknown question " + fields[0]);
    }
}

}  // namespace

int main() {
    LoadedImage last;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            serve(split(line), last);
        } catch (const std::exception& error) {
            const std::string message = error.what();
            answer(false, static_cast<std::uint32_t>(message.size()), 0, message.data(),
                   message.size());
        }
    }
    return 0;
}
