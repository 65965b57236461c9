// Reads any JSON as a record of preprocessing. The result is the same when written and read again
// and can be carried out, or an Error.
#include "assay/image/preprocess.h"

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/json_limits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay;
    try {
        const Preprocess p =
            preprocess_from_json(parse_json({reinterpret_cast<const char*>(data), size}, 8));
        if (preprocess_from_json(to_json(p)) != p) std::abort();
        (void)describe(p);
        // Larger windows are also correct, but slow.
        if (p.height > 256 || p.width > 256) return 0;
        const Image image{5, 3, std::vector<std::uint8_t>(4 * 5 * 3, 7)};
        const Image window = crop_window(image, p);
        if (window.height != p.height || window.width != p.width) std::abort();
    } catch (const Error&) {
    }
    return 0;
}
