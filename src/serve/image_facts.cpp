#include "serve/image_facts.h"

#include "image/file_facts.h"

namespace assay::serve {

std::string_view image_type(std::span<const std::byte> bytes) {
    switch (image_format(bytes)) {
        case ImageFormat::jpeg:
            return "image/jpeg";
        case ImageFormat::png:
            return "image/png";
        case ImageFormat::webp:
            return "image/webp";
        default:
            return "";
    }
}

bool may_look_different(std::span<const std::byte> bytes) {
    const FileFacts facts = facts_of_file(bytes);
    switch (facts.format) {
        case ImageFormat::jpeg:
            return !facts.whole || facts.orientation.value_or(1) != 1;
        case ImageFormat::png:
        case ImageFormat::webp:
            return facts.several || facts.exif;
        default:
            return true;
    }
}

}  // namespace assay::serve
