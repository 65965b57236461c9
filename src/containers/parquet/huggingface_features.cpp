#include "containers/parquet/huggingface_features.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {
namespace {

constexpr int deepest_value = 32;

std::vector<std::string> names_of(const std::string& column, const nlohmann::json& feature) {
    std::vector<std::string> names;
    if (!feature.contains("names")) return names;
    const nlohmann::json& list = feature["names"];
    const auto wrong = [&] {
        refuse(
            fmt::format("metadata `huggingface`: the names of the classes of column `{}` are not a "
                        "list of texts",
                        shortened(column)));
    };
    if (list.is_null()) return names;
    if (!list.is_array()) wrong();
    for (const nlohmann::json& name : list) {
        if (!name.is_string()) wrong();
        names.push_back(name.get<std::string>());
    }
    return names;
}

}  // namespace

HuggingfaceFeatures parse_huggingface_features(std::string_view json) {
    HuggingfaceFeatures found;
    if (json.empty()) return found;
    const nlohmann::json all = with_note("reading the metadata `huggingface`",
                                         [&] { return parse_json(json, deepest_value); });
    if (!all.is_object() || !all.contains("info") || !all["info"].is_object() ||
        !all["info"].contains("features") || !all["info"]["features"].is_object())
        return found;
    for (const auto& [column, feature] : all["info"]["features"].items()) {
        if (!feature.is_object() || !feature.contains("_type")) continue;
        if (feature["_type"] == "Image") found.images.push_back(column);
        if (feature["_type"] == "ClassLabel") found.labels[column] = names_of(column, feature);
    }
    return found;
}

std::string_view class_name(const std::vector<std::string>& names, std::string_view cell,
                            std::uint64_t row, std::string_view column) {
    if (cell == "-1") return "";
    std::uint64_t number = 0;
    if (!parse_number(cell, number) || number >= names.size())
        refuse(fmt::format(
            "row {}: column `{}` is {}; its {} classes are numbered 0..{}, and -1 means none", row,
            column, cell, names.size(), names.size() - 1));
    return names[static_cast<std::size_t>(number)];
}

}  // namespace assay::parquet
