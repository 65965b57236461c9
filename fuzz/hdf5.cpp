// Reads any bytes as an HDF5 file. The result is arrays whose elements can be read, or an Error.
#include "containers/hdf5.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/error.h"
#include "containers/npy_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    const auto source = std::make_shared<assay::MemorySource>(std::as_bytes(std::span(data, size)));
    try {
        for (const assay::Hdf5Array& array : assay::read_hdf5(source)) {
            if (array.problem.empty() != (array.npy != nullptr)) __builtin_trap();
            if (array.npy == nullptr) continue;
            std::vector<std::byte> bytes(
                static_cast<std::size_t>(std::min(array.npy->size(), most)));
            array.npy->read(0, bytes);
            if (assay::array_header(bytes).begin == 0) __builtin_trap();
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
