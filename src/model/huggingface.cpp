#include "model/huggingface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/json_text.h"
#include "core/text.h"
#include "model/usual_values.h"

namespace assay {
namespace {

using nlohmann::json;

/// What is special about a kind of image processor.
enum class Rule {
    plain,      ///< resize to `size`, then perhaps crop
    convnext,   ///< below 384: short side to size / crop_pct, crop; else straight to the square
    levit,      ///< short side to size * 256 / 224, crop
    crop_pct,   ///< short side to size / crop_pct, crop
    mobilevit,  ///< B G R, no mean and std
    top,        ///< divides by the standard deviation twice ("include_top")
};

/// Defaults of one processor: what a file leaves out.
struct Processor {
    std::string_view name;  ///< without ImageProcessor, FeatureExtractor
    bool square;            ///< what a whole number as `size` means: both sides, or the short one
    int size;
    bool crop;
    int crop_size;
    int resample;  ///< Pillow's number
    const ThreeNumbers& mean;
    const ThreeNumbers& std;
    Rule rule;
};

constexpr Processor processors[] = {
    {"ViT", true, 224, false, 0, 2, all_half, all_half, Rule::plain},
    {"DeiT", true, 256, true, 224, 3, all_half, all_half, Rule::plain},
    {"Beit", true, 256, true, 224, 3, all_half, all_half, Rule::plain},
    {"Siglip", true, 224, false, 0, 3, all_half, all_half, Rule::plain},
    {"Pvt", true, 224, false, 0, 2, imagenet_mean, imagenet_std, Rule::plain},
    {"EfficientNet", true, 346, false, 289, 0, all_half, all_half, Rule::top},
    {"ConvNext", false, 384, true, 0, 3, all_half, all_half, Rule::convnext},
    {"Levit", false, 224, true, 224, 3, imagenet_mean, imagenet_std, Rule::levit},
    {"PoolFormer", false, 224, true, 224, 3, imagenet_mean, imagenet_std, Rule::crop_pct},
    {"MobileNetV1", false, 256, true, 224, 2, all_half, all_half, Rule::plain},
    {"MobileNetV2", false, 256, true, 224, 2, all_half, all_half, Rule::plain},
    {"MobileViT", false, 224, true, 256, 2, all_half, all_half, Rule::mobilevit},
    {"ViTHybrid", false, 224, true, 224, 3, clip_mean, clip_std, Rule::plain},
    {"CLIP", false, 224, true, 224, 3, clip_mean, clip_std, Rule::plain},
    {"ChineseCLIP", false, 224, true, 224, 3, clip_mean, clip_std, Rule::plain},
    {"Bit", false, 224, true, 224, 3, clip_mean, clip_std, Rule::plain},
};

/// Which processor a model's type uses, for files from before they said so themselves.
constexpr std::pair<std::string_view, std::string_view> of_model_type[] = {
    {"vit", "ViT"},
    {"swin", "ViT"},
    {"swinv2", "ViT"},
    {"swiftformer", "ViT"},
    {"vit_hybrid", "ViTHybrid"},
    {"deit", "DeiT"},
    {"beit", "Beit"},
    {"data2vec-vision", "Beit"},
    {"convnext", "ConvNext"},
    {"convnextv2", "ConvNext"},
    {"resnet", "ConvNext"},
    {"regnet", "ConvNext"},
    {"van", "ConvNext"},
    {"cvt", "ConvNext"},
    {"levit", "Levit"},
    {"poolformer", "PoolFormer"},
    {"mobilenet_v1", "MobileNetV1"},
    {"mobilenet_v2", "MobileNetV2"},
    {"mobilevit", "MobileViT"},
    {"mobilevitv2", "MobileViT"},
    {"efficientnet", "EfficientNet"},
    {"pvt", "Pvt"},
    {"bit", "Bit"},
    {"dinov2", "Bit"},
    {"focalnet", "Bit"},
    {"clip", "CLIP"},
    {"siglip", "Siglip"},
};

[[noreturn]] void refuse_processor(std::string_view key, const json& value,
                                   std::string_view allowed) {
    throw Error(ErrorCode::bad_input,
                fmt::format("image processor: \"{}\" is {}; {}", key, shown_json(value), allowed));
}

/// The keys of a processor's file, taken one by one; what is left has no effect.
class ProcessorFile {
public:
    explicit ProcessorFile(const json& all) : all_(all) {}

    const json* find(const char* key) {
        used_.emplace_back(key);
        const auto found = all_.find(key);
        return found == all_.end() || found->is_null() ? nullptr : &*found;
    }
    bool flag(const char* key, bool otherwise) {
        const json* value = find(key);
        if (value == nullptr) return otherwise;
        if (!value->is_boolean()) refuse_processor(key, *value, "true or false is allowed");
        return value->get<bool>();
    }
    double number(const char* key, double otherwise) {
        const json* value = find(key);
        if (value == nullptr) return otherwise;
        if (!value->is_number() || !std::isfinite(value->get<double>()))
            refuse_processor(key, *value, "a number is allowed");
        return value->get<double>();
    }
    std::vector<std::string> left() const {
        std::vector<std::string> keys;
        for (const auto& [key, value] : all_.items()) {
            if (std::find(used_.begin(), used_.end(), key) == used_.end()) keys.push_back(key);
        }
        return keys;
    }

private:
    const json& all_;
    std::vector<std::string> used_;
};

std::string bare_type(std::string_view type) {
    for (const std::string_view end : {"Fast", "Pil"}) {
        if (type.ends_with(end)) type.remove_suffix(end.size());
    }
    for (const std::string_view end : {"ImageProcessor", "FeatureExtractor"}) {
        if (type.ends_with(end)) type.remove_suffix(end.size());
    }
    return std::string(type);
}

const Processor* find_processor(std::string_view name) {
    const auto* found = std::ranges::find(processors, name, &Processor::name);
    return found == std::end(processors) ? nullptr : found;
}

/// The processor that the file names, or that goes with the model's type; null: another.
const Processor* processor_of(ProcessorFile& file, std::string_view model_type) {
    const json* type = file.find("image_processor_type");
    const json* older = file.find("feature_extractor_type");
    if (type == nullptr) type = older;
    if (type != nullptr && type->is_string())
        return find_processor(bare_type(type->get_ref<const std::string&>()));
    const auto* row = std::ranges::find_if(
        of_model_type, [&](const auto& entry) { return entry.first == model_type; });
    return row == std::end(of_model_type) ? nullptr : find_processor(row->second);
}

/// A `size`: the short side, or both.
struct Size {
    int height = 0, width = 0;
    int shortest = 0;  ///< above 0: instead of the two
};

Size read_size(const char* key, const json& value, const bool* square) {
    constexpr int most = 16384;
    const auto side = [&](const json& v) {
        if (!v.is_number_integer() || v < 1 || v > most)
            refuse_processor(key, value, "sides are whole numbers, 1 to 16384");
        return v.get<int>();
    };
    if (value.is_number()) {
        if (square == nullptr) {
            refuse_processor(
                key, value,
                "that is both sides for some processors and the short one for others, and "
                "which it is here is not known; write a sidecar with input_size, crop_mode and "
                "resize_size");
        }
        const int s = side(value);
        return *square ? Size{s, s, 0} : Size{0, 0, s};
    }
    if (value.is_array() && value.size() == 2) return {side(value[0]), side(value[1]), 0};
    if (value.is_object() && value.contains("height") && value.contains("width"))
        return {side(value["height"]), side(value["width"]), 0};
    if (value.is_object() && value.size() == 1 && value.contains("shortest_edge"))
        return {0, 0, side(value["shortest_edge"])};
    refuse_processor(key, value, "a size has \"height\" and \"width\", or \"shortest_edge\"");
}

/// The centre of an image whose short side is `resize`.
void set_centre(json& out, int resize, const Size& crop) {
    out["input_size"] = {3, crop.height, crop.width};
    out["crop_mode"] = "center";
    out["resize_size"] = resize;
}

void set_straight(json& out, int height, int width) {
    out["input_size"] = {3, height, width};
    out["crop_mode"] = "none";
}

/// Of a processor that is not known: what a crop of some kind is named for, and not said.
void refuse_unclear_crop(ProcessorFile& file) {
    const json* size = file.find("crop_size");
    if (size != nullptr && file.find("do_center_crop") == nullptr)
        refuse_processor("crop_size", *size, "whether it crops is not said; write a sidecar");
    if (const json* part = file.find("crop_pct"); part != nullptr)
        refuse_processor("crop_pct", *part,
                         "what this processor does with it is not known; write a sidecar");
}

void set_geometry(json& out, ProcessorFile& file, const Processor* processor) {
    const bool square = processor != nullptr && processor->square;
    const Rule rule = processor == nullptr ? Rule::plain : processor->rule;
    const json* size_value = file.find("size");
    const json* crop_value = file.find("crop_size");
    const bool share = rule == Rule::convnext || rule == Rule::crop_pct;
    if (processor == nullptr) refuse_unclear_crop(file);
    const double crop_pct =
        share ? file.number("crop_pct", rule == Rule::convnext ? 224.0 / 256 : 0.9) : 0.0;
    const bool crops = file.flag("do_center_crop", processor != nullptr && processor->crop);
    if (!file.flag("do_resize", true))
        refuse_processor("do_resize", false, "images of all sizes need a resize; write a sidecar");
    if (size_value == nullptr && processor == nullptr)
        throw Error(ErrorCode::bad_input, "image processor: it has no \"size\"");
    const Size size = size_value != nullptr
                          ? read_size("size", *size_value, processor ? &square : nullptr)
                      : square ? Size{processor->size, processor->size, 0}
                               : Size{0, 0, processor->size};
    constexpr bool both = true;
    const Size crop = crop_value != nullptr ? read_size("crop_size", *crop_value, &both)
                      : processor != nullptr && processor->crop_size > 0
                          ? Size{processor->crop_size, processor->crop_size, 0}
                          : Size{size.height, size.width, 0};
    if (share && !(crop_pct > 0 && crop_pct <= 1))
        refuse_processor("crop_pct", crop_pct, "a number above 0 and at most 1 is allowed");
    const int side = size.shortest > 0 ? size.shortest : std::min(size.height, size.width);

    if (rule == Rule::convnext) {
        if (size.shortest == 0)
            refuse_processor("size", *size_value, "this processor needs \"shortest_edge\"");
        if (side >= 384) {
            set_straight(out, side, side);
        } else {
            set_centre(out, static_cast<int>(side / crop_pct), {side, side, 0});
        }
        return;
    }
    if (!crops || crop.height == 0) {
        if (size.shortest > 0)
            refuse_processor("size", *size_value,
                             "the short side alone, without a crop, fits no fixed input");
        set_straight(out, size.height, size.width);
        return;
    }
    if (rule == Rule::crop_pct) {
        set_centre(out, static_cast<int>(side / crop_pct), crop);
    } else if (size.shortest > 0) {
        const double factor = rule == Rule::levit ? 256.0 / 224 : 1.0;
        set_centre(out, static_cast<int>(factor * side), crop);
    } else if (size.height == crop.height && size.width == crop.width) {
        set_straight(out, size.height, size.width);
    } else if (size.height == size.width) {
        set_centre(out, size.height, crop);
        out["crop_mode"] = "squash";
    } else {
        refuse_processor("size", *size_value,
                         "two different sides before a crop cannot be expressed");
    }
}

ThreeNumbers three_numbers(const char* key, const json* value, const ThreeNumbers& otherwise) {
    constexpr std::string_view allowed = "three numbers (or one for all channels) are allowed";
    if (value == nullptr) return otherwise;
    const auto number = [&](const json& v) {
        if (!v.is_number() || !std::isfinite(v.get<double>()))
            refuse_processor(key, *value, allowed);
        return v.get<double>();
    };
    if (value->is_number()) return {number(*value), number(*value), number(*value)};
    if (!value->is_array() || value->size() != 3) refuse_processor(key, *value, allowed);
    return {number((*value)[0]), number((*value)[1]), number((*value)[2])};
}

void set_values(json& out, ProcessorFile& file, const Processor* processor) {
    const Rule rule = processor == nullptr ? Rule::plain : processor->rule;
    const double factor = file.number("rescale_factor", 1.0 / 255);
    if (file.flag("rescale_offset", false))
        refuse_processor("rescale_offset", true, "an offset cannot be expressed; write a sidecar");
    out["scale"] = file.flag("do_rescale", true) ? factor : 1.0;
    const bool flips = file.flag("do_flip_channel_order", rule == Rule::mobilevit);
    out["channel_order"] = flips ? "bgr" : "rgb";
    const json* mean = file.find("image_mean");
    const json* std = file.find("image_std");
    const bool normalizes = file.flag("do_normalize", rule != Rule::mobilevit);
    const bool twice = file.flag("include_top", rule == Rule::top) && rule == Rule::top;
    if (!normalizes) {
        out["mean"] = {0.0, 0.0, 0.0};
        out["std"] = {1.0, 1.0, 1.0};
        return;
    }
    if (processor == nullptr && (mean == nullptr || std == nullptr)) {
        throw Error(ErrorCode::bad_input,
                    "image processor: no \"image_mean\" or \"image_std\", and the defaults of this "
                    "kind are not known; write a sidecar with mean and std");
    }
    ThreeNumbers s =
        three_numbers("image_std", std, processor != nullptr ? processor->std : all_half);
    if (twice) {
        for (double& x : s) x *= x;
    }
    out["mean"] =
        three_numbers("image_mean", mean, processor != nullptr ? processor->mean : all_half);
    out["std"] = s;
}

void set_interpolation(json& out, ProcessorFile& file, const Processor* processor) {
    // Pillow's numbers of its filters.
    constexpr std::array<const char*, 6> names = {"nearest", "lanczos", "bilinear",
                                                  "bicubic", "box",     "hamming"};
    const json* value = file.find("resample");
    if (value == nullptr && processor == nullptr)
        throw Error(ErrorCode::bad_input, "image processor: it has no \"resample\"");
    const json number = value != nullptr ? *value : json(processor->resample);
    if (!number.is_number_integer() || number < 0 || number > 5)
        refuse_processor("resample", number, "Pillow's filters 0 to 5 are allowed");
    out["interpolation"] = names[number.get<std::size_t>()];
}

}  // namespace

bool is_transformers_config(const json& file) {
    return file.is_object() && !file.contains("pretrained_cfg") &&
           (file.contains("id2label") ||
            (file.contains("model_type") && file.contains("architectures")));
}

bool is_image_processor(const json& file) {
    if (!file.is_object()) return false;
    return std::ranges::any_of(std::array{"image_processor_type", "feature_extractor_type",
                                          "image_mean", "do_resize", "do_center_crop"},
                               [&](const char* key) { return file.contains(key); });
}

json settings_of_transformers_config(const json& file, std::vector<std::string>& ignored) {
    json out = json::object();
    for (const auto& [key, value] : file.items()) {
        if (key != "id2label" && key != "label2id") ignored.push_back(key);
    }
    const auto labels = file.find("id2label");
    if (labels == file.end() || labels->is_null()) return out;
    if (!labels->is_object())
        throw Error(ErrorCode::bad_input, "\"id2label\" must be a table of numbers and names");
    std::vector<std::optional<std::string>> names(labels->size());
    bool says_something = false;
    for (const auto& [key, value] : labels->items()) {
        std::uint64_t number = 0;
        if (!parse_number(key, number) || number >= names.size() || names[number] ||
            !value.is_string()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("\"id2label\" has the entry {}: {}; numbers 0..{} with one "
                                    "name each are allowed",
                                    shortened(key), shown_json(value), names.size() - 1));
        }
        names[number] = value.get<std::string>();
        says_something = says_something || *names[number] != "LABEL_" + key;
    }
    if (!says_something) {
        // What transformers writes where nobody named the classes.
        ignored.emplace_back("id2label");
        return out;
    }
    json list = json::array();
    for (const auto& name : names) list.push_back(*name);
    out["classes"] = {{"names", std::move(list)}};
    return out;
}

json settings_of_image_processor(const json& file, std::string_view model_type,
                                 std::vector<std::string>& ignored) {
    ProcessorFile keys(file);
    const Processor* processor = processor_of(keys, model_type);
    json out = json::object();
    set_geometry(out, keys, processor);
    set_values(out, keys, processor);
    set_interpolation(out, keys, processor);
    for (std::string& key : keys.left()) ignored.push_back(std::move(key));
    return out;
}

}  // namespace assay
