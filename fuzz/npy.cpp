// Reads any bytes as an array. The result is an array whose elements can be read, or an Error.
#include "containers/npy.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "assay/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const assay::NpyView view = assay::parse_npy(std::as_bytes(std::span(data, size)));
        const std::uint64_t n = std::min<std::uint64_t>(view.count(), 4096);
        std::vector<float> floats(n);
        view.values.floats(view.count() - n, floats);
        for (std::uint64_t i = 0; i < n; ++i) {
            view.values.number(i);
            try {
                view.values.integer(i);
            } catch (const assay::Error&) {
            }
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
