#include "model/huggingface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/text.h"
#include "model/usual_values.h"

namespace assay {
namespace {

using nlohmann::json;

/// The special behavior of a kind of image processor.
enum class Rule {
    plain,      ///< resize to `size`, then optionally crop
    convnext,   ///< below 384: short side to size / crop_pct, then crop; otherwise directly to the
                ///< square
    levit,      ///< short side to size * 256 / 224, crop
    crop_pct,   ///< short side to size / crop_pct, then crop
    mobilevit,  ///< blue, green, red; no mean and std
    top,        ///< divides by the standard deviation twice ("include_top")
    floats,     ///< always computes with tensors, and scales them before the resize
};

/// The defaults of a processor for values that a file omits.
struct Processor {
    std::string_view name;  ///< class name without ImageProcessor or FeatureExtractor
    bool square;            ///< an integer `size` is the length of both sides, not of the short one
    int size;
    bool crop;
    int crop_size;
    int resample;  ///< the number of the filter in Pillow
    const ThreeNumbers& mean;
    const ThreeNumbers& std;
    Rule rule;
};

constexpr Processor processors[] = {
    {"ViT", true, 224, false, 0, 2, all_half, all_half, Rule::plain},
    {"DeiT", true, 256, true, 224, 3, all_half, all_half, Rule::plain},
    {"Beit", true, 256, true, 224, 3, all_half, all_half, Rule::plain},
    {"DINOv3ViT", true, 224, false, 0, 2, imagenet_mean, imagenet_std, Rule::floats},
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

/// The processor for each model type, for older files without its name.
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
    {"dinov3_vit", "DINOv3ViT"},
    {"dinov3_convnext", "DINOv3ViT"},
    {"focalnet", "Bit"},
    {"clip", "CLIP"},
    {"siglip", "Siglip"},
};

/// Refuses an optional value whose meaning Assay cannot express.
[[noreturn]] void refuse_meaning(const JsonReader& value, std::string_view why) {
    value.refuse(fmt::format("it is {}; {}", shown_json(value.json()), why));
}

/// Takes the keys of a processor's file one by one. Keys that are not taken have no effect.
class ProcessorFile {
public:
    explicit ProcessorFile(const json& all) : all_(all, {.whole = "the image processor"}) {}

    std::optional<JsonReader> find(std::string_view key) {
        used_.emplace_back(key);
        return all_.find(key);
    }
    bool flag(std::string_view key, bool otherwise) {
        const std::optional<JsonReader> value = find(key);
        return value ? value->truth() : otherwise;
    }
    double number(std::string_view key, double otherwise) {
        const std::optional<JsonReader> value = find(key);
        return value ? value->number() : otherwise;
    }
    [[noreturn]] void refuse(std::string_view why) const { all_.refuse(why); }
    std::vector<std::string> left() const {
        std::vector<std::string> keys;
        for (const auto& [key, value] : all_.object().items()) {
            if (std::find(used_.begin(), used_.end(), key) == used_.end()) keys.push_back(key);
        }
        return keys;
    }

private:
    JsonReader all_;
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

/// The processor that the file names, or that belongs to the model's type; null for any other.
const Processor* processor_of(ProcessorFile& file, std::string_view model_type) {
    std::optional<JsonReader> type = file.find("image_processor_type");
    const std::optional<JsonReader> older = file.find("feature_extractor_type");
    if (!type) type = older;
    if (type && type->json().is_string()) return find_processor(bare_type(type->text()));
    const auto* row = std::ranges::find_if(
        of_model_type, [&](const auto& entry) { return entry.first == model_type; });
    return row == std::end(of_model_type) ? nullptr : find_processor(row->second);
}

/// The value of `size`: both sides, or the short side alone.
struct Size {
    int height = 0, width = 0;
    int shortest = 0;  ///< if above 0, replaces the other two
};

/// `square` says whether an integer is the length of both sides or of the short side. Empty if that
/// is not known.
Size read_size(const JsonReader& value, std::optional<bool> square) {
    constexpr int most = 16384;
    const auto side = [](const JsonReader& v) { return static_cast<int>(v.whole(1, most)); };
    const json& size = value.json();
    if (size.is_number()) {
        if (!square) {
            refuse_meaning(value,
                           "some processors mean both sides, others the short one; write a "
                           "settings file with input_size, crop_mode and resize_size");
        }
        const int s = side(value);
        return *square ? Size{s, s, 0} : Size{0, 0, s};
    }
    if (size.is_array() && size.size() == 2) return {side(value.entry(0)), side(value.entry(1)), 0};
    if (size.is_object() && value.has("height") && value.has("width"))
        return {side(value["height"]), side(value["width"]), 0};
    if (size.is_object() && size.size() == 1 && value.has("shortest_edge"))
        return {0, 0, side(value["shortest_edge"])};
    value.refuse_as("a size with \"height\" and \"width\", or with \"shortest_edge\"");
}

/// The center of an image whose short side is `resize`. All processors round half a pixel down.
void set_centre(json& out, int resize, const Size& crop) {
    out["crop_start"] = "floor";
    out["input_size"] = {3, crop.height, crop.width};
    out["crop_mode"] = "center";
    out["resize_size"] = resize;
}

void set_straight(json& out, int height, int width) {
    out["input_size"] = {3, height, width};
    out["crop_mode"] = "none";
}

/// For an unknown processor: refuses a crop that is requested but not defined.
void refuse_unclear_crop(ProcessorFile& file) {
    const std::optional<JsonReader> size = file.find("crop_size");
    if (size && !file.find("do_center_crop"))
        refuse_meaning(*size, "it does not say whether it crops; write a settings file (sidecar)");
    if (const auto part = file.find("crop_pct"))
        refuse_meaning(*part,
                       "the effect in this processor is unknown; write a settings file (sidecar)");
}

double read_crop_pct(ProcessorFile& file, double otherwise) {
    const std::optional<JsonReader> value = file.find("crop_pct");
    if (!value) return otherwise;
    const double crop_pct = value->number();
    if (!(crop_pct > 0 && crop_pct <= 1)) value->refuse_as("a number above 0 and at most 1");
    return crop_pct;
}

void set_geometry(json& out, ProcessorFile& file, const Processor* processor) {
    const bool square = processor != nullptr && processor->square;
    const Rule rule = processor == nullptr ? Rule::plain : processor->rule;
    const std::optional<JsonReader> size_value = file.find("size");
    const std::optional<JsonReader> crop_value = file.find("crop_size");
    const bool share = rule == Rule::convnext || rule == Rule::crop_pct;
    if (processor == nullptr) refuse_unclear_crop(file);
    const double crop_pct =
        share ? read_crop_pct(file, rule == Rule::convnext ? 224.0 / 256 : 0.9) : 0.0;
    const bool crops = file.flag("do_center_crop", processor != nullptr && processor->crop);
    if (const auto resizes = file.find("do_resize"); resizes && !resizes->truth())
        refuse_meaning(*resizes,
                       "images of different sizes need a resize; write a settings file (sidecar)");
    if (!size_value && processor == nullptr) file.refuse("it has no \"size\"");
    const Size size =
        size_value
            ? read_size(*size_value, processor != nullptr ? std::optional(square) : std::nullopt)
        : square ? Size{processor->size, processor->size, 0}
                 : Size{0, 0, processor->size};
    const Size crop = crop_value ? read_size(*crop_value, true)
                      : processor != nullptr && processor->crop_size > 0
                          ? Size{processor->crop_size, processor->crop_size, 0}
                          : Size{size.height, size.width, 0};
    const int side = size.shortest > 0 ? size.shortest : std::min(size.height, size.width);

    if (rule == Rule::convnext) {
        if (size.shortest == 0) size_value->refuse_as("a size with \"shortest_edge\"");
        if (side >= 384) {
            set_straight(out, side, side);
        } else {
            set_centre(out, static_cast<int>(side / crop_pct), {side, side, 0});
        }
        return;
    }
    if (!crops || crop.height == 0) {
        if (size.shortest > 0) {
            file.refuse(
                fmt::format("its size is only the short side, {} pixels, without a crop, so the "
                            "input has no fixed size; write a settings file (sidecar)",
                            size.shortest));
        }
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
        refuse_meaning(
            *size_value,
            "two different sides before a crop are not supported; write a settings file (sidecar)");
    }
}

ThreeNumbers three_numbers(const std::optional<JsonReader>& value, const ThreeNumbers& otherwise) {
    if (!value) return otherwise;
    if (value->json().is_number()) {
        const double number = value->number();
        return {number, number, number};
    }
    if (!value->json().is_array() || value->json().size() != 3)
        value->refuse_as("three numbers (or one for all channels)");
    return {value->entry(0).number(), value->entry(1).number(), value->entry(2).number()};
}

bool is_normalized(ProcessorFile& file, const Processor* processor) {
    return file.flag("do_normalize", processor == nullptr || processor->rule != Rule::mobilevit);
}

void set_values(json& out, ProcessorFile& file, const Processor* processor) {
    const Rule rule = processor == nullptr ? Rule::plain : processor->rule;
    const double factor = file.number("rescale_factor", 1.0 / 255);
    if (const auto offset = file.find("rescale_offset"); offset && offset->truth())
        refuse_meaning(*offset, "an offset is not supported; write a settings file (sidecar)");
    out["scale"] = file.flag("do_rescale", true) ? factor : 1.0;
    const bool flips = file.flag("do_flip_channel_order", rule == Rule::mobilevit);
    out["channel_order"] = flips ? "bgr" : "rgb";
    const std::optional<JsonReader> mean = file.find("image_mean");
    const std::optional<JsonReader> std = file.find("image_std");
    const bool normalizes = is_normalized(file, processor);
    const bool twice = file.flag("include_top", rule == Rule::top) && rule == Rule::top;
    if (!normalizes) {
        out["mean"] = {0.0, 0.0, 0.0};
        out["std"] = {1.0, 1.0, 1.0};
        return;
    }
    if (processor == nullptr && (!mean || !std)) {
        file.refuse(
            "no \"image_mean\" or \"image_std\", and the defaults of this kind are unknown; write "
            "a settings file (sidecar) with mean and std");
    }
    ThreeNumbers s = three_numbers(std, processor != nullptr ? processor->std : all_half);
    if (twice) {
        for (double& x : s) x *= x;
    }
    out["mean"] = three_numbers(mean, processor != nullptr ? processor->mean : all_half);
    out["std"] = s;
}

void set_interpolation(json& out, ProcessorFile& file, const Processor* processor, bool is_fast) {
    // The filters in the order of their numbers in Pillow.
    constexpr std::array<const char*, 6> names = {"nearest", "lanczos", "bilinear",
                                                  "bicubic", "box",     "hamming"};
    const std::optional<JsonReader> value = file.find("resample");
    if (!value && processor == nullptr) file.refuse("it has no \"resample\"");
    if (is_fast && value && value->whole(0, names.size() - 1) > 3)
        value->refuse_as("Pillow's filters 0 to 3, the only ones that PyTorch has");
    out["interpolation"] = names[value ? value->whole(0, names.size() - 1)
                                       : static_cast<std::size_t>(processor->resample)];
}

/// Fast processors compute with torchvision's tensors.
bool computes_with_tensors(const json& file, const Processor* processor) {
    if (processor != nullptr && processor->rule == Rule::floats) return true;
    const auto type = file.find("image_processor_type");
    return type != file.end() && type->is_string() &&
           type->get_ref<const std::string&>().ends_with("Fast");
}

/// Sets the computation of processors on tensors: PyTorch's resize, then one step in float32 for
/// scale, mean and std, (byte - mean / factor) / (std / factor). If only the factor is used, the
/// byte is multiplied by it.
void set_fast(json& out, ProcessorFile& file, const Processor* processor) {
    out["resize_as"] = "torch";
    out["crop_start"] = "floor";
    if (!file.flag("do_rescale", true)) return;
    const double factor = out["scale"].get<double>();
    const bool floats = processor != nullptr && processor->rule == Rule::floats;
    if (floats) out["resize_as"] = "torch_float";
    if (floats || !is_normalized(file, processor)) {
        out["scale"] = static_cast<double>(static_cast<float>(factor));
        return;
    }
    const auto in_bytes = [&](json& numbers) {
        for (json& x : numbers)
            x = static_cast<double>(static_cast<float>(x.get<double>()) *
                                    static_cast<float>(1.0 / factor));
    };
    in_bytes(out["mean"]);
    in_bytes(out["std"]);
    out["scale"] = 1.0;
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
    const auto labels = JsonReader(file).find("id2label");
    if (!labels) return out;
    std::vector<std::optional<std::string>> names(labels->object().size());
    bool says_something = false;
    for (const auto& [key, value] : labels->object().items()) {
        std::uint64_t number = 0;
        if (!parse_number(key, number) || number >= names.size() || names[number] ||
            !value.is_string()) {
            labels->refuse(
                fmt::format("it has the entry {}: {}; allowed: numbers 0 to {} with one name each",
                            shortened(key), shown_json(value), names.size() - 1));
        }
        names[number] = value.get<std::string>();
        says_something = says_something || *names[number] != "LABEL_" + key;
    }
    if (!says_something) {
        // transformers writes these names if the classes have none.
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
    const bool is_fast = computes_with_tensors(file, processor);
    if (is_fast) set_fast(out, keys, processor);
    set_interpolation(out, keys, processor, is_fast);
    for (std::string& key : keys.left()) ignored.push_back(std::move(key));
    return out;
}

}  // namespace assay
