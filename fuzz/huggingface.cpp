// Reads any JSON as transformers' config.json or preprocessor_config.json. The result is settings
// of a model settings file, or an Error.
#include "model/huggingface.h"

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "core/json_limits.h"
#include "scratch.h"

namespace {

/// The settings that the library makes of these files are also valid in a model settings file.
void check(const nlohmann::json& settings) {
    (void)assay::parse_sidecar(settings.dump(), false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace assay;
    fuzz::attempt([&] {
        const nlohmann::json file = parse_json({reinterpret_cast<const char*>(data), size}, 64);
        std::vector<std::string> ignored;
        if (is_transformers_config(file))
            fuzz::attempt([&] { check(settings_of_transformers_config(file, ignored)); });
        if (is_image_processor(file)) {
            for (const char* type : {"", "vit", "convnext", "efficientnet", "unheard-of"})
                fuzz::attempt([&] { check(settings_of_image_processor(file, type, ignored)); });
        }
    });
    return 0;
}
