// Counts images during reading: formats, color modes, sizes, and unreadable images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/evaluate/inspect.h"
#include "evaluate/inspect/unusual_images.h"
#include "image/file_facts.h"

namespace assay::inspect {

/// The result does not depend on the order of the images, so threads may add in any order.
class ImageTally {
public:
    /// Keeps the first `examples` unreadable images. `in_arrays` means that the images are parts of
    /// arrays, which Dataset::read_image() converts to a file format.
    ImageTally(std::size_t examples, bool in_arrays)
        : examples_(examples), in_arrays_(in_arrays), unusual_(examples) {}

    /// Adds a decoded image. `id` may have an extension. `flat` means that it has a single color.
    void add(std::uint32_t item, std::string_view id, const FileFacts& facts, int width, int height,
             bool flat, const PixelMeasures& measures);
    /// Adds an image for which a store has only recorded what decoding ignored.
    void add_recorded(std::uint32_t item, std::uint8_t left_aside_bits);
    /// Adds an image whose file could be read but not decoded; it still has a format.
    void add_unreadable(std::uint32_t item, ImageFormat format, std::string why);

    std::uint64_t unreadable() const { return unreadable_; }
    const std::map<std::uint32_t, std::string>& first_unreadable() const {
        return first_unreadable_;
    }
    std::vector<ImageKind> kinds(const Dataset& dataset) const;
    std::optional<ImageSizes> sizes() const;
    std::vector<UnusualImages> unusual(const Dataset& dataset) const {
        return unusual_.result(dataset, sizes_);
    }

private:
    /// Rows of the table of kinds, in the order in which it is shown. Formats come first.
    enum Kind : std::uint8_t {
        first_format,
        array = 7,
        rgb,
        grey,
        palette,
        cmyk,
        first_left_aside,
        misnamed = first_left_aside + left_aside_kinds.size(),
        one_colour,
        kind_count
    };
    Kind kind_of(ImageFormat format) const;  ///< kind of a known format
    void count(Kind kind, std::uint32_t item);
    void count_left_aside(std::uint32_t item, std::uint8_t bits);

    struct Counted {
        std::uint64_t images = 0;
        std::uint32_t first = UINT32_MAX;
    };
    std::size_t examples_;
    bool in_arrays_;
    std::array<Counted, kind_count> kinds_{};
    SizeCounts sizes_;
    UnusualTally unusual_;
    std::uint64_t unreadable_ = 0;
    std::map<std::uint32_t, std::string> first_unreadable_;
};

}  // namespace assay::inspect
