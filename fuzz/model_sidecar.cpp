// Sidecars as JSON (first byte even) or TOML: any bytes give settings or an Error.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/error.h"
#include "assay/model/model_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        const assay::ModelSettings settings = assay::parse_sidecar(text, data[0] % 2 != 0);
        // What was accepted once is accepted again, unchanged.
        if (assay::parse_sidecar(settings.dump(), false) != settings) __builtin_trap();
    } catch (const assay::Error&) {
    }
    return 0;
}
