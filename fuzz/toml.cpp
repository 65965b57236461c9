// Reads any text as TOML. The result is JSON values that can be written and read, or an Error.
#include "core/toml.h"

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const nlohmann::json value = assay::parse_toml({reinterpret_cast<const char*>(data), size});
        if (!value.is_object()) std::abort();
        (void)value.dump();  // dump() throws if the text is not UTF-8
    } catch (const assay::Error&) {
    }
    return 0;
}
