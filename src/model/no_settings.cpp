// Finds files next to a model that are not its settings.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "model/settings.h"
#include "model/timm_keys.h"

namespace assay {

std::string result_schema(const nlohmann::json& file) {
    if (!file.is_object()) return "";
    const auto schema = file.find("schema");
    if (schema == file.end() || !schema->is_string()) return "";
    const auto& name = schema->get_ref<const std::string&>();
    return name.starts_with("assay.") ? name : "";
}

std::string why_no_settings(const nlohmann::json& file) {
    if (!file.is_object()) return "it does not contain settings";
    if (const std::string schema = result_schema(file); !schema.empty())
        return fmt::format("it is a saved result of Assay (`{}`)", schema);
    std::vector<std::string> known = {"label_names", "label_descriptions", "label_offset",
                                      "pretrained_cfg"};
    for (const SettingKey& key : setting_keys()) known.push_back(key.name);
    bool harmless = true;
    for (const auto& [key, value] : file.items()) {
        if (std::ranges::find(known, key) != known.end() || !nearest_name(key, known).empty())
            return "";
        harmless = harmless && is_harmless(key);
    }
    return harmless ? "" : "none of its keys is a setting of a model";
}

}  // namespace assay
