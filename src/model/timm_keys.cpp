#include "model/timm_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace assay {
namespace {

using nlohmann::json;

constexpr std::array kHarmless = {
    "url",
    "file",
    "hf_hub_id",
    "hf_hub_filename",
    "source",
    "custom_load",
    "state_dict",
    "classifier",
    "first_conv",
    "architecture",
    "architectures",
    "license",
    "tag",
    "origin_url",
    "paper_name",
    "paper_ids",
    "notes",
    "description",
    "pool_size",
    "num_features",
    "global_pool",
    "fixed_input_size",
    "min_input_size",
    "drop_path_rate",
    "drop_rate",
    "model_args",
    "library_name",
    "model_type",
    "task",
    "tags",
    "model_name",
    "_name_or_path",
    "torch_dtype",
    "transformers_version",
};

/// timm's label_names as a list. {"0": "n01440764", ...} is also allowed.
json ordered_labels(const JsonReader& labels) {
    constexpr std::string_view allowed = "a list of class ids, or a table of 0..N-1 and ids";
    if (labels.json().is_array()) return labels.json();
    if (!labels.json().is_object()) labels.refuse_as(allowed);
    json list = json::array();
    for (std::size_t i = 0; i < labels.json().size(); ++i) {
        const std::string place = std::to_string(i);
        if (!labels.has(place)) labels.refuse_as(allowed);
        list.push_back(labels[place].json());
    }
    return list;
}

}  // namespace

bool is_harmless(std::string_view key) {
    return std::ranges::find(kHarmless, key) != kHarmless.end();
}

json classes_from_labels(const JsonReader& layer) {
    const json ids = ordered_labels(layer["label_names"]);
    const JsonReader list(ids, {}, "label_names");
    json names = json::array();
    const auto descriptions = layer.find("label_descriptions");
    for (const std::string& id : list.texts()) {
        json name = id;
        if (descriptions && descriptions->json().is_object()) {
            const auto found = descriptions->json().find(id);
            if (found != descriptions->json().end() && found->is_string()) name = *found;
        }
        names.push_back(std::move(name));
    }
    return {{"ids", ids}, {"names", std::move(names)}};
}

}  // namespace assay
