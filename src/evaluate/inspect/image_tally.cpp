#include "evaluate/inspect/image_tally.h"

#include <algorithm>
#include <iterator>

#include "core/text.h"

namespace assay::inspect {
namespace {

/// The format from a name's extension; unknown if it has no image extension.
ImageFormat named_format(std::string_view name) {
    const std::string extension = lower_extension(name);
    if (extension == ".jpg" || extension == ".jpeg") return ImageFormat::jpeg;
    if (extension == ".png") return ImageFormat::png;
    if (extension == ".webp") return ImageFormat::webp;
    if (extension == ".bmp") return ImageFormat::bmp;
    if (extension == ".tif" || extension == ".tiff") return ImageFormat::tiff;
    if (extension == ".gif") return ImageFormat::gif;
    if (extension == ".ppm" || extension == ".pgm" || extension == ".pbm" || extension == ".pnm")
        return ImageFormat::netpbm;
    return ImageFormat::unknown;
}

using SideCounts = std::map<std::uint32_t, std::uint64_t>;

ImageSizes::Side quantiles_of(const SideCounts& counts, std::uint64_t images) {
    ImageSizes::Side side{
        .least = counts.begin()->first, .median = 0, .most = counts.rbegin()->first};
    std::uint64_t up_to = 0;
    for (const auto& [pixels, count] : counts) {
        up_to += count;
        side.median = pixels;
        if (2 * up_to >= images) break;
    }
    return side;
}

}  // namespace

ImageTally::Kind ImageTally::kind_of(ImageFormat format) const {
    static_assert(static_cast<int>(ImageFormat::netpbm) == array);
    return in_arrays_ ? array : static_cast<Kind>(first_format + static_cast<int>(format) - 1);
}

void ImageTally::count(Kind kind, std::uint32_t item) {
    Counted& counted = kinds_[kind];
    ++counted.images;
    counted.first = std::min(counted.first, item);
}

void ImageTally::count_left_aside(std::uint32_t item, std::uint8_t bits) {
    for (std::size_t k = 0; k < left_aside_kinds.size(); ++k) {
        if ((bits & left_aside_kinds[k].bit) != 0)
            count(static_cast<Kind>(first_left_aside + k), item);
    }
}

void ImageTally::add_recorded(std::uint32_t item, std::uint8_t left_aside_bits) {
    count_left_aside(item, left_aside_bits);
}

void ImageTally::add(std::uint32_t item, std::string_view id, const FileFacts& facts, int width,
                     int height, bool flat, const PixelMeasures& measures) {
    count(kind_of(facts.format), item);
    if (facts.colour == ImageColour::rgb) count(rgb, item);
    if (facts.colour == ImageColour::grey) count(grey, item);
    if (facts.colour == ImageColour::palette) count(palette, item);
    if (facts.colour == ImageColour::cmyk) count(cmyk, item);
    count_left_aside(item, left_aside(facts));
    const ImageFormat named = named_format(id);
    if (named != ImageFormat::unknown && named != facts.format) count(misnamed, item);
    if (flat) count(one_colour, item);
    ++sizes_[{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)}];
    unusual_.add(item, width, height, measures);
}

void ImageTally::add_unreadable(std::uint32_t item, ImageFormat format, std::string why) {
    if (format != ImageFormat::unknown) count(kind_of(format), item);
    ++unreadable_;
    first_unreadable_.emplace(item, std::move(why));
    if (first_unreadable_.size() > examples_)
        first_unreadable_.erase(std::prev(first_unreadable_.end()));
}

std::vector<ImageKind> ImageTally::kinds(const Dataset& dataset) const {
    struct Name {
        std::string_view id, title;
    };
    static constexpr std::array<Name, kind_count> names = {
        Name{"jpeg", "JPEG"},
        {"png", "PNG"},
        {"webp", "WebP"},
        {"bmp", "BMP"},
        {"tiff", "TIFF"},
        {"gif", "GIF"},
        {"netpbm", "PBM, PGM, PPM"},
        {"array", "array"},
        {"rgb", "RGB"},
        {"grey", "grey"},
        {"palette", "palette"},
        {"cmyk", "CMYK"},
        {left_aside_kinds[0].id, left_aside_kinds[0].title},
        {left_aside_kinds[1].id, left_aside_kinds[1].title},
        {left_aside_kinds[2].id, left_aside_kinds[2].title},
        {left_aside_kinds[3].id, left_aside_kinds[3].title},
        {"misnamed", "a different format than the name says"},
        {"one_colour", "of one colour"}};
    std::vector<ImageKind> kinds;
    for (std::size_t k = 0; k < kind_count; ++k) {
        const Counted& counted = kinds_[k];
        if (counted.images == 0) continue;
        kinds.push_back({std::string(names[k].id), std::string(names[k].title), counted.images,
                         std::string(dataset.ids[counted.first])});
    }
    return kinds;
}

std::optional<ImageSizes> ImageTally::sizes() const {
    if (sizes_.empty()) return {};
    ImageSizes out;
    SideCounts widths, heights;
    std::uint64_t images = 0;
    for (const auto& [size, count] : sizes_) {
        widths[size.first] += count;
        heights[size.second] += count;
        images += count;
        if (count > out.usual_images) {
            out.usual_images = count;
            out.usual_width = size.first;
            out.usual_height = size.second;
        }
    }
    out.width = quantiles_of(widths, images);
    out.height = quantiles_of(heights, images);
    out.sizes = sizes_.size();
    return out;
}

}  // namespace assay::inspect
