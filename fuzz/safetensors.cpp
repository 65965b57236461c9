// Reads any bytes. The result is tensors inside the file, or an Error.
#include "store/safetensors.h"

#include <cstdint>
#include <vector>

#include "assay/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        for (const assay::store::Tensor& tensor :
             assay::store::parse_safetensors(std::as_bytes(std::span(data, size)))) {
            if (!tensor.values) continue;
            std::vector<float> all(
                tensor.values->count);  // at most half as many as there are bytes
            tensor.values->floats(0, all);
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
