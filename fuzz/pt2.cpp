// Reads any bytes as an exported program: tensors inside their storages, or an Error.
#include <cstdint>
#include <cstdlib>

#include "assay/error.h"
#include "model/pt2/package.h"
#include "model/pt2/pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        const assay::pt2::Package package = assay::pt2::read_package(bytes);
        for (const auto* tensors : {&package.weights, &package.constants}) {
            for (const auto& [name, tensor] : *tensors) {
                if (tensor.storage >= package.storages.size()) std::abort();
                assay::pt2::check_tensor(tensor, package.storages[tensor.storage].size(), name);
            }
        }
    } catch (const assay::Error&) {
    }
    // Most bytes are no zip file, so the two texts inside are also read by themselves.
    try {
        assay::pt2::read_tensor_pickle(bytes);
    } catch (const assay::Error&) {
    }
    try {
        assay::pt2::parse_program({reinterpret_cast<const char*>(data), size});
    } catch (const assay::Error&) {
    }
    return 0;
}
