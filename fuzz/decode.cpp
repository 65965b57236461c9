// Decodes any bytes. The result is an image, which can be resized, or an Error. The
// facts of the file exist for any bytes.
#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "image/file_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)assay::facts_of_file(std::as_bytes(std::span(data, size)));
    try {
        const assay::Image image = assay::decode_image(std::as_bytes(std::span(data, size)));
        if (image.pixels.size() !=
            4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
            __builtin_trap();
        }
        assay::Preprocess p;
        p.height = p.width = 24;
        assay::crop_window(image, p);
    } catch (const assay::Error&) {
    }
    return 0;
}
