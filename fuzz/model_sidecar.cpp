// Reads any text as model settings in JSON and in TOML. The result is settings or an Error.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/error.h"
#include "assay/model/model_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const bool toml : {false, true}) {
        try {
            const assay::ModelSettings settings = assay::parse_sidecar(text, toml);
            // Accepted settings are accepted again, unchanged.
            if (assay::parse_sidecar(settings.dump(), false) != settings) __builtin_trap();
        } catch (const assay::Error&) {
        }
    }
    return 0;
}
