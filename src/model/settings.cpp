#include "model/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "core/json_text.h"

namespace assay {
namespace {

using nlohmann::json;

/// Larger inputs are typing errors; the limit also keeps 3 * height * width far from overflow.
constexpr int kLargestSide = 16384;

[[noreturn]] void refuse_setting(std::string_view key, const json& value,
                                 std::string_view allowed) {
    throw Error(ErrorCode::bad_input,
                fmt::format("setting \"{}\" is {}; allowed: {}", key, shown_json(value), allowed));
}

double number(std::string_view key, const json& value, std::string_view allowed) {
    if (!value.is_number()) refuse_setting(key, value, allowed);
    const double x = value.get<double>();
    if (!std::isfinite(x)) refuse_setting(key, value, allowed);
    return x;
}

int whole(std::string_view key, const json& value, int low, int high, std::string_view allowed) {
    const double x = number(key, value, allowed);
    if (x != std::floor(x) || x < low || x > high) refuse_setting(key, value, allowed);
    return static_cast<int>(x);
}

std::string text(std::string_view key, const json& value, std::string_view allowed) {
    if (!value.is_string()) refuse_setting(key, value, allowed);
    return value.get<std::string>();
}

std::array<double, 3> triple(std::string_view key, const json& value, std::string_view allowed) {
    if (value.is_number()) {
        const double x = number(key, value, allowed);
        return {x, x, x};
    }
    if (!value.is_array() || value.size() != 3) refuse_setting(key, value, allowed);
    return {number(key, value[0], allowed), number(key, value[1], allowed),
            number(key, value[2], allowed)};
}

/// The named_* functions throw usage; inside a file a wrong name is bad input.
template <class Named>
auto named(std::string_view key, const json& value, Named&& find) {
    const std::string word = text(key, value, "a name");
    try {
        return find(word);
    } catch (const Error& error) {
        throw Error(ErrorCode::bad_input, fmt::format("setting \"{}\": {}", key, error.message()));
    }
}

void set_input_size(std::string_view key, const json& value, ModelSpec& spec) {
    constexpr std::string_view allowed =
        "[3, height, width], [height, width] or one side, in pixels";
    const auto side = [&](const json& v) { return whole(key, v, 1, kLargestSide, allowed); };
    Preprocess& p = spec.preprocess;
    if (value.is_number()) {
        p.height = p.width = side(value);
    } else if (value.is_array() && value.size() == 2) {
        p.height = side(value[0]);
        p.width = side(value[1]);
    } else if (value.is_array() && value.size() == 3) {
        if (whole(key, value[0], 1, kLargestSide, allowed) != 3)
            refuse_setting(key, value, "three channels, [3, height, width]");
        p.height = side(value[1]);
        p.width = side(value[2]);
    } else {
        refuse_setting(key, value, allowed);
    }
}

void set_crop_pct(std::string_view key, const json& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "a number above 0 and at most 1";
    const double x = number(key, value, allowed);
    if (!(x > 0.0 && x <= 1.0)) refuse_setting(key, value, allowed);
    // Below this the resized image would be larger than any input may be.
    if (std::min(spec.preprocess.height, spec.preprocess.width) / x > kLargestSide)
        refuse_setting(
            key, value,
            fmt::format("a share that keeps the resized side at most {} pixels", kLargestSide));
    spec.preprocess.crop_pct = x;
    spec.preprocess.resize_size.reset();
}

void set_std(std::string_view key, const json& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "three numbers above 0 (or one for all channels)";
    const auto x = triple(key, value, allowed);
    for (const double s : x) {
        if (!(s > 0.0)) refuse_setting(key, value, allowed);
    }
    spec.preprocess.std = x;
}

void set_fill(std::string_view key, const json& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "three bytes [R, G, B], 0 to 255 each (or one for all)";
    const auto byte = [&](const json& v) {
        return static_cast<std::uint8_t>(whole(key, v, 0, 255, allowed));
    };
    auto& fill = spec.preprocess.fill;
    if (value.is_number()) {
        fill.fill(byte(value));
    } else if (value.is_array() && value.size() == 3) {
        for (std::size_t c = 0; c < 3; ++c) fill[c] = byte(value[c]);
    } else {
        refuse_setting(key, value, allowed);
    }
}

/// The name becomes a folder's name.
void set_name(std::string_view key, const json& value, ModelSpec& spec) {
    constexpr std::string_view allowed =
        "1 to 200 characters, no slash, no control character, not starting with a dot";
    const std::string name = text(key, value, allowed);
    const auto bad = [](char c) {
        return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (name.empty() || name.size() > 200 || name.front() == '.' || std::ranges::any_of(name, bad))
        refuse_setting(key, value, allowed);
    spec.name = name;
}

/// "imagenet", a path, a list of names, {"names": [...]} or {"ids": [...], "names": [...]}: only
/// its form is looked at here.
void check_classes(std::string_view key, const json& value, ModelSpec&) {
    constexpr std::string_view allowed =
        "\"imagenet\", the path of a class list, or a list of class ids";
    const auto strings = [](const json& list) {
        return list.is_array() &&
               std::ranges::all_of(list, [](const json& v) { return v.is_string(); });
    };
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) return;
    if (strings(value) && !value.empty()) return;
    if (value.is_object() && value.size() == 1 && value.contains("names") &&
        strings(value["names"]) && !value["names"].empty())
        return;
    if (value.is_object() && value.size() == 2 && value.contains("ids") && strings(value["ids"]) &&
        value.contains("names") && strings(value["names"]) &&
        value["ids"].size() == value["names"].size())
        return;
    refuse_setting(key, value, allowed);
}

enum class Form { word, number, list };

struct Row {
    SettingKey key;
    Form form;  ///< how the value is read from a flag's text
    void (*set)(std::string_view key, const json& value, ModelSpec& spec);
};

// The order is that of application: crop_pct looks at input_size.
const std::vector<Row>& rows() {
    static const std::vector<Row> table = {
        {{"preset", "timm, torchvision, mobilenet, ... (see `assay list presets`)", "preset",
          "PRESET"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec&) { named(k, v, preset_named); }},
        {{"name", "the model's name, default: the file's stem"}, Form::word, set_name},
        {{"input_size", "224, HEIGHT,WIDTH, or 3 HEIGHT WIDTH", "input-size", "PIXELS", true},
         Form::list,
         set_input_size},
        {{"interpolation", "Filter of the resize, as Pillow's", "interpolation",
          "{nearest,box,bilinear,hamming,bicubic,lanczos}"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.interpolation = named(k, v, interpolation_named);
         }},
        {{"crop_mode",
          "How the resized image becomes the input: its centre, squashed, padded, or as it is",
          "crop-mode", "{center,squash,border,none}"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.crop_mode = named(k, v, crop_mode_named);
         }},
        {{"crop_pct", "Proportion of the resized image that the crop keeps, in (0, 1]", "crop-pct",
          "P"},
         Form::number,
         set_crop_pct},
        {{"test_input_size", "timm: the input size that it is evaluated at, instead of input_size"},
         Form::list,
         [](std::string_view k, const json& v, ModelSpec&) {
             ModelSpec scratch;
             set_input_size(k, v, scratch);
         }},
        {{"test_crop_pct", "timm: the crop_pct that it is evaluated with, instead of crop_pct"},
         Form::number,
         [](std::string_view k, const json& v, ModelSpec&) {
             ModelSpec scratch;
             set_crop_pct(k, v, scratch);
         }},
        {{"train_size",
          "The size and crop that a timm model was trained at, not those that its config says it "
          "is "
          "evaluated at",
          "train-size"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec&) {
             if (!v.is_boolean()) refuse_setting(k, v, "true or false");
         }},
        {{"resize_size", "Short side before the crop, pixels", "resize-size", "PIXELS"},
         Form::number,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.resize_size =
                 whole(k, v, 1, kLargestSide, "a size in pixels, 1 to 16384");
         }},
        {{"channel_order", "Order of the channels of the input", "channel-order", "{rgb,bgr}"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.channel_order = named(k, v, channel_order_named);
         }},
        {{"scale", "Factor from pixel bytes to scaled units (default: 1/255)", "scale", "NUMBER"},
         Form::number,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.scale = number(k, v, "a number above 0");
             if (!(s.preprocess.scale > 0.0)) refuse_setting(k, v, "a number above 0");
         }},
        {{"mean", "R,G,B in scaled units, or one number", "mean", "NUMBER", true},
         Form::list,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.preprocess.mean = triple(k, v, "three numbers (or one for all channels)");
         }},
        {{"std", "R,G,B in scaled units, or one number", "std", "NUMBER", true},
         Form::list,
         set_std},
        {{"fill", "colour of padding, [R, G, B] bytes"}, Form::list, set_fill},
        {{"num_classes", "how many scores the model must return"},
         Form::number,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.num_classes = static_cast<std::uint32_t>(
                 whole(k, v, 1, 10'000'000, "a whole number, at least 1"));
         }},
        {{"outputs", "What its numbers are", "outputs", "{logits,probabilities,log_probabilities}",
          false, true},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.outputs = named(k, v, score_kind_named);
         }},
        {{"output", "Which entry of a tuple or dict: 0, logits, ...", "output-entry", "TEXT", false,
          true},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.output =
                 v.is_number_integer() ? v.dump() : text(k, v, "a position (0, 1, ...) or a name");
         }},
        {{"layout", "nchw (channels first) or nhwc (channels last), where the file does not say"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.layout = named(k, v, input_layout_named);
         }},
        {{"input_type", "float32 (normalised) or uint8 (the bytes of the prepared image)"},
         Form::word,
         [](std::string_view k, const json& v, ModelSpec& s) {
             s.input_type = named(k, v, input_type_named);
         }},
        {{"classes",
          "Class list: text, csv, JSON, config.json (default: ImageNet's for 1000 classes)",
          "classes", "CLASSES", false, true},
         Form::word,
         check_classes},
    };
    return table;
}

/// Keys that timm's pretrained_cfg and config.json carry and that do not change how a given file is
/// evaluated: they are passed over in every sidecar.
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

bool is_harmless(std::string_view key) {
    return std::ranges::find(kHarmless, key) != kHarmless.end();
}

/// timm's label_names as a list: {"0": "n01440764", ...} is allowed, too.
json ordered_labels(const json& labels) {
    constexpr std::string_view allowed = "a list of class ids, or a table of 0..N-1 and ids";
    if (labels.is_array()) return labels;
    if (!labels.is_object()) refuse_setting("label_names", labels, allowed);
    json list = json::array();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto found = labels.find(std::to_string(i));
        if (found == labels.end()) refuse_setting("label_names", labels, allowed);
        list.push_back(*found);
    }
    return list;
}

/// timm's label_names (ids) with label_descriptions (id -> text), as one "classes" value.
json classes_from_labels(const json& layer) {
    const json ids = ordered_labels(layer.at("label_names"));
    json names = json::array();
    const auto descriptions = layer.find("label_descriptions");
    for (const json& id : ids) {
        if (!id.is_string()) refuse_setting("label_names", id, "a list of class ids");
        json name = id;
        if (descriptions != layer.end() && descriptions->is_object()) {
            const auto found = descriptions->find(id.get_ref<const std::string&>());
            if (found != descriptions->end() && found->is_string()) name = *found;
        }
        names.push_back(std::move(name));
    }
    return {{"ids", ids}, {"names", std::move(names)}};
}

}  // namespace

const std::vector<SettingKey>& setting_keys() {
    static const std::vector<SettingKey> keys = [] {
        std::vector<SettingKey> list;
        for (const Row& row : rows()) list.push_back(row.key);
        return list;
    }();
    return keys;
}

json checked_layer(const json& layer, PassedOver* passed_over) {
    if (!layer.is_object())
        throw Error(ErrorCode::bad_input,
                    "model settings must be a table of keys, got " + shown_json(layer));
    json out = json::object();
    bool labels = false;
    for (const auto& [key, value] : layer.items()) {
        if (value.is_null()) continue;
        const std::string& name = key;
        const auto row =
            std::ranges::find_if(rows(), [&](const Row& r) { return r.key.name == name; });
        if (row != rows().end()) {
            out[name] = value;
        } else if (name == "label_names" || name == "label_descriptions") {
            labels = true;
        } else if (name == "label_offset") {
            if (value != 0)
                refuse_setting(key, value,
                               "0; give a class list of all the model's outputs instead");
        } else if (is_harmless(name) || (passed_over != nullptr && passed_over->any)) {
            if (passed_over != nullptr) passed_over->keys.push_back(name);
        } else {
            std::vector<std::string> known;
            for (const Row& r : rows()) known.push_back(r.key.name);
            throw Error(ErrorCode::bad_input,
                        fmt::format("unknown model setting \"{}\"{}", shown_json(json(name)),
                                    suggest(name, known)));
        }
    }
    if (labels && layer.contains("label_names") && !layer["label_names"].is_null() &&
        !out.contains("classes"))
        out["classes"] = classes_from_labels(layer);
    if (out.contains("crop_pct") && out.contains("resize_size"))
        throw Error(ErrorCode::bad_input,
                    "settings \"crop_pct\" and \"resize_size\" are both given; they say the same "
                    "thing in two ways: keep one");
    ModelSpec scratch;
    apply_layer(out, scratch);
    return out;
}

std::string result_schema(const json& file) {
    if (!file.is_object()) return "";
    const auto schema = file.find("schema");
    if (schema == file.end() || !schema->is_string()) return "";
    const auto& name = schema->get_ref<const std::string&>();
    return name.starts_with("assay.") ? name : "";
}

std::string why_no_settings(const json& file) {
    if (!file.is_object()) return "it is no table of settings";
    if (const std::string schema = result_schema(file); !schema.empty())
        return fmt::format("it is a result of Assay (`{}`)", schema);
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

void apply_layer(const json& layer, ModelSpec& spec) {
    // An inherited resize size belongs to the inherited input size; with another, the share that it
    // stands for is kept.
    Preprocess& p = spec.preprocess;
    if (layer.contains("input_size") && p.resize_size) {
        p.crop_pct =
            std::min(1.0, static_cast<double>(std::min(p.height, p.width)) / *p.resize_size);
        p.resize_size.reset();
    }
    for (const Row& row : rows()) {
        const auto found = layer.find(row.key.name);
        if (found != layer.end()) row.set(row.key.name, *found, spec);
    }
}

json setting_from_text(std::string_view key, std::string_view text) {
    std::vector<std::string> known;
    for (const Row& row : rows()) {
        known.push_back(row.key.name);
        if (row.key.name != key) continue;
        if (row.form == Form::word) {
            if (key == "train_size" && (text == "true" || text == "false")) return text == "true";
            return std::string(text);
        }
        json list = json::array();
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            std::string_view part = text.substr(begin, end - begin);
            while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
            while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
            double x = 0;
            const auto [stop, code] = std::from_chars(part.data(), part.data() + part.size(), x);
            if (code != std::errc{} || stop != part.data() + part.size())
                refuse_setting(key, std::string(text),
                               row.form == Form::list ? "numbers separated by commas" : "a number");
            if (x == std::floor(x) && std::abs(x) < 1e9) {
                list.push_back(static_cast<std::int64_t>(x));  // shown as it was typed
            } else {
                list.push_back(x);
            }
            begin = end + 1;
        }
        return list.size() == 1 ? list[0] : list;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown model setting \"{}\"{}", key, suggest(key, known)));
}

}  // namespace assay
