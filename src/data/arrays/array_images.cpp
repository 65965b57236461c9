#include "data/arrays/array_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/image/image.h"
#include "containers/at_place.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::arrays {
namespace {

/// Copies the samples of an image from the array's layout into rows of pixels.
void put_in_rows(const PixelArray& array, std::span<const std::byte> samples, std::byte* out) {
    for (std::uint64_t y = 0; y < array.height; ++y) {
        for (std::uint64_t x = 0; x < array.width; ++x) {
            for (std::uint64_t c = 0; c < array.channels; ++c)
                *out++ = samples[static_cast<std::size_t>(
                    y * array.row_step + x * array.column_step + c * array.channel_step)];
        }
    }
}

std::vector<std::byte> as_netpbm(const PixelArray& array, std::uint64_t number,
                                 std::uint64_t limit) {
    const std::string header =
        fmt::format("P{}\n{} {}\n255\n", array.channels == 1 ? 5 : 6, array.width, array.height);
    const std::uint64_t size = header.size() + array.image_bytes();
    if (size > limit) refuse(fmt::format("the image has {} bytes; the limit is {}", size, limit));
    std::vector<std::byte> file(static_cast<std::size_t>(size));
    std::ranges::copy(std::as_bytes(std::span(header)), file.begin());
    const auto samples = std::span(file).subspan(header.size());
    array.bytes->read(array.begin + number * array.image_step, samples);
    const bool in_rows = array.channel_step == 1 && array.column_step == array.channels &&
                         array.row_step == array.width * array.channels;
    if (in_rows) return file;
    const std::vector<std::byte> as_stored(samples.begin(), samples.end());
    put_in_rows(array, as_stored, samples.data());
    return file;
}

}  // namespace

void PixelArray::set_interleaved() {
    channel_step = 1;
    column_step = channels;
    row_step = width * channels;
    image_step = image_bytes();
}

void PixelArray::set_planar() {
    column_step = 1;
    row_step = width;
    channel_step = height * width;
    // The single plane of a gray image also counts as rows of one channel.
    if (channels == 1) channel_step = 1;
    image_step = image_bytes();
}

std::string PixelArray::described() const {
    return fmt::format(
        "{} {} of {} x {} pixels", count,
        std::string(channels == 1 ? "grey" : "RGB") + (count == 1 ? " image" : " images"), width,
        height);
}

void PixelArray::check() const {
    if (count == 0 || height == 0 || width == 0) refuse("it holds no images");
    const auto most = static_cast<std::uint64_t>(max_image_pixels);
    if (width > most / height)
        refuse(fmt::format("its images have {} x {} pixels; the limit is {} pixels", width, height,
                           most));
}

void ArrayImages::add(const std::string& name, std::filesystem::path file, PixelArray array) {
    const auto [before, fresh] = arrays_.emplace(name, Named{std::move(file), std::move(array)});
    if (!fresh)
        refuse(fmt::format(
            "two arrays are named `{}`, but images are named after their array: rename one",
            shortened(name)));
}

std::vector<std::byte> ArrayImages::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.rfind('/');
    std::uint64_t number = 0;
    const auto found =
        slash == std::string_view::npos || !parse_number(name.substr(slash + 1), number)
            ? arrays_.end()
            : arrays_.find(name.substr(0, slash));
    if (found == arrays_.end() || number >= found->second.array.count)
        refuse(fmt::format("no image is called `{}`: names are <array>/<number>", shortened(name)));
    return at_place([&] { return fmt::format("{} image {}", found->second.file.string(), number); },
                    [&] { return as_netpbm(found->second.array, number, limit); });
}

}  // namespace assay::arrays
