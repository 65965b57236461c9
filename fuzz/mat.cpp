// Reads any bytes as a MAT-file: variables whose fields can all be read, or an Error.
#include "containers/mat.h"

#include <cstdint>
#include <span>

#include "assay/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        for (const assay::MatValue& value : assay::read_mat(std::as_bytes(std::span(data, size)))) {
            for (std::size_t i = 0; i < value.structs(); ++i) {
                for (const std::string& field : value.fields) {
                    if (value.field(i, field) == nullptr) __builtin_trap();
                }
            }
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
