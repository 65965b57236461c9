#include "model/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "model/python/source.h"
#include "model/timm_keys.h"

namespace assay {
namespace {

using nlohmann::json;

/// Larger inputs are typing errors. The limit also keeps 3 * height * width far from overflow.
constexpr int kLargestSide = 16384;

double number(const JsonReader& value, std::string_view allowed) {
    if (!value.json().is_number()) value.refuse_as(allowed);
    const double x = value.json().get<double>();
    if (!std::isfinite(x)) value.refuse_as(allowed);
    return x;
}

int whole(const JsonReader& value, int low, int high, std::string_view allowed) {
    const double x = number(value, allowed);
    if (x != std::floor(x) || x < low || x > high) value.refuse_as(allowed);
    return static_cast<int>(x);
}

const std::string& text(const JsonReader& value, std::string_view allowed) {
    if (!value.json().is_string()) value.refuse_as(allowed);
    return value.text();
}

/// The entries of a list of three.
std::vector<JsonReader> three(const JsonReader& value, std::string_view allowed) {
    if (!value.json().is_array() || value.json().size() != 3) value.refuse_as(allowed);
    return value.entries();
}

std::array<double, 3> triple(const JsonReader& value, std::string_view allowed) {
    std::array<double, 3> numbers{};
    if (value.json().is_number()) {
        numbers.fill(number(value, allowed));
    } else if (value.json().is_array() && value.json().size() == 1) {  // a list of one channel
        numbers.fill(number(value.entries().front(), allowed));
    } else {
        const std::vector<JsonReader> list = three(value, allowed);
        for (std::size_t c = 0; c < 3; ++c) numbers[c] = number(list[c], allowed);
    }
    return numbers;
}

/// The named_* functions throw usage, but a wrong name inside a file is bad input.
template <class Named>
auto named(const JsonReader& value, Named&& find) {
    const std::string& word = text(value, "a name");
    try {
        return find(word);
    } catch (const Error& error) {
        value.refuse(error.message());
    }
}

void set_input_size(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed =
        "[3, height, width], [1, height, width] of gray images, [height, width] or one side, in "
        "pixels";
    const auto side = [&](const JsonReader& v) { return whole(v, 1, kLargestSide, allowed); };
    Preprocess& p = spec.preprocess;
    if (value.json().is_number()) {
        p.height = p.width = side(value);
        return;
    }
    const std::size_t sides = value.json().is_array() ? value.json().size() : 0;
    if (sides != 2 && sides != 3) value.refuse_as(allowed);
    const std::vector<JsonReader> list = value.entries();
    const int channels = sides == 3 ? whole(list[0], 1, kLargestSide, allowed) : 3;
    if (channels != 3 && channels != 1)
        value.refuse_as("three channels, [3, height, width], or one, [1, height, width]");
    if (channels == 1) p.channel_order = ChannelOrder::gray;
    p.height = side(list[sides - 2]);
    p.width = side(list[sides - 1]);
}

void set_crop_pct(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "a number above 0 and at most 1";
    const double x = number(value, allowed);
    if (!(x > 0.0 && x <= 1.0)) value.refuse_as(allowed);
    // Below this value, the resized image would be larger than any allowed input.
    if (std::min(spec.preprocess.height, spec.preprocess.width) / x > kLargestSide)
        value.refuse_as(fmt::format(
            "a proportion that keeps the resized side at or below {} pixels", kLargestSide));
    spec.preprocess.crop_pct = x;
    spec.preprocess.resize_size.reset();
}

void set_std(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "three numbers above 0 (or one for all channels)";
    const auto x = triple(value, allowed);
    for (const double s : x) {
        if (!(s > 0.0)) value.refuse_as(allowed);
    }
    spec.preprocess.std = x;
}

void set_fill(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "three bytes [R, G, B], 0 to 255 each (or one for all)";
    const auto byte = [&](const JsonReader& v) {
        return static_cast<std::uint8_t>(whole(v, 0, 255, allowed));
    };
    auto& fill = spec.preprocess.fill;
    if (value.json().is_number()) {
        fill.fill(byte(value));
    } else {
        const std::vector<JsonReader> list = three(value, allowed);
        for (std::size_t c = 0; c < 3; ++c) fill[c] = byte(list[c]);
    }
}

/// The name becomes the name of a folder.
void set_name(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed =
        "1 to 200 characters, no slash, no control character, not starting with a dot";
    const std::string name = text(value, allowed);
    const auto bad = [](char c) {
        return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (name.empty() || name.size() > 200 || name.front() == '.' || std::ranges::any_of(name, bad))
        value.refuse_as(allowed);
    spec.name = name;
}

void set_arch(const JsonReader& value, ModelSpec& spec) {
    constexpr std::string_view allowed = "a source of a network, such as timm:resnet50";
    const std::string source = text(value, allowed);
    if (!is_python_source(source) || kind_of_source(source) == "process") value.refuse_as(allowed);
    spec.source = source;
}

/// Only checks the form. resolve_model() compares the value.
void check_expected(const JsonReader& value, ModelSpec&) {
    constexpr std::string_view allowed =
        "\"sha256:\" and the 64 hexadecimal digits that `sha256sum FILE` prints";
    constexpr std::string_view kind = "sha256:";
    const std::string hash = text(value, allowed);
    const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
    if (!hash.starts_with(kind) || hash.size() != kind.size() + 64 ||
        !std::all_of(hash.begin() + kind.size(), hash.end(), is_digit))
        value.refuse_as(allowed);
}

/// "imagenet", a path, a list of names, {"names": [...]} or {"ids": [...], "names": [...]}. Only
/// the form is checked here.
void check_classes(const JsonReader& value, ModelSpec&) {
    constexpr std::string_view allowed =
        "\"imagenet\", the path of a class list, or a list of class ids";
    const auto strings = [](const json& list) {
        return list.is_array() &&
               std::ranges::all_of(list, [](const json& v) { return v.is_string(); });
    };
    const json& given = value.json();
    if (given.is_string() && !given.get_ref<const std::string&>().empty()) return;
    if (strings(given) && !given.empty()) return;
    if (given.is_object() && given.size() == 1 && given.contains("names") &&
        strings(given["names"]) && !given["names"].empty())
        return;
    if (given.is_object() && given.size() == 2 && given.contains("ids") && strings(given["ids"]) &&
        given.contains("names") && strings(given["names"]) &&
        given["ids"].size() == given["names"].size())
        return;
    value.refuse_as(allowed);
}

enum class Form { word, truth, number, list };

struct Row {
    SettingKey key;
    Form form;  ///< the way to read the value from a flag's text
    void (*set)(const JsonReader& value, ModelSpec& spec);
};

// The order of application matters: crop_pct uses input_size.
const std::vector<Row>& rows() {
    static const std::vector<Row> table = {
        {{"preset", "timm, torchvision, mobilenet, ... (see `assay list presets`)", "preset",
          "PRESET"},
         Form::word,
         [](const JsonReader& v, ModelSpec&) { named(v, preset_named); }},
        {{"name", "the model's name, default: the file's stem"}, Form::word, set_name},
        {{"arch",
          "Read the file as a checkpoint of this network, which Python makes: timm:resnet50, "
          "torchvision:resnet50, python:FILE.py:NAME, ...",
          "arch", "SOURCE"},
         Form::word,
         set_arch},
        {{"expected",
          "The hash that the model's file must have: sha256: and what `sha256sum FILE` prints"},
         Form::word,
         check_expected},
        {{"input_size", "224, HEIGHT,WIDTH, or 3 HEIGHT WIDTH", "input-size", "PIXELS", true},
         Form::list,
         set_input_size},
        {{"resize_as", "The library whose resize is reproduced, bit for bit", "resize-as",
          "{pillow,pillow13,torch,torch_float,torch_rounded,opencv}"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.resize_as = named(v, resize_rule_named);
         }},
        {{"interpolation", "Filter of the resize, as Pillow's", "interpolation",
          "{nearest,box,bilinear,hamming,bicubic,lanczos}"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.interpolation = named(v, interpolation_named);
         }},
        {{"antialias", "false: PyTorch's resize with antialias=False", "antialias", "{true,false}"},
         Form::truth,
         [](const JsonReader& v, ModelSpec& s) { s.preprocess.antialias = v.truth(); }},
        {{"crop_mode",
          "How the resized image becomes the input: its centre, squashed, padded, or as it is",
          "crop-mode", "{center,squash,border,none}"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.crop_mode = named(v, crop_mode_named);
         }},
        {{"crop_pct", "Proportion of the resized image that the crop keeps, in (0, 1]", "crop-pct",
          "P"},
         Form::number,
         set_crop_pct},
        {{"test_input_size", "timm: the input size for evaluation, instead of input_size"},
         Form::list,
         [](const JsonReader& v, ModelSpec&) {
             ModelSpec scratch;
             set_input_size(v, scratch);
         }},
        {{"test_crop_pct", "timm: the crop_pct for evaluation, instead of crop_pct"},
         Form::number,
         [](const JsonReader& v, ModelSpec&) {
             ModelSpec scratch;
             set_crop_pct(v, scratch);
         }},
        {{"train_size",
          "Use the size and crop that a timm model was trained with, instead of those for "
          "evaluation in its config",
          "train-size"},
         Form::truth,
         [](const JsonReader& v, ModelSpec&) { v.truth(); }},
        {{"resize_size", "Short side before the crop, pixels", "resize-size", "PIXELS"},
         Form::number,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.resize_size = whole(v, 1, kLargestSide, "a size in pixels, 1 to 16384");
         }},
        {{"crop_start",
          "where a centre crop starts if the margin is odd: round, or floor as in transformers"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.crop_start = named(v, crop_start_named);
         }},
        {{"channel_order", "Order of the channels of the input; gray: one channel", "channel-order",
          "{rgb,bgr,gray}"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.channel_order = named(v, channel_order_named);
         }},
        {{"scale", "Factor from pixel bytes to scaled units (default: 1/255)", "scale", "NUMBER"},
         Form::number,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.scale = number(v, "a number above 0");
             if (!(s.preprocess.scale > 0.0)) v.refuse_as("a number above 0");
         }},
        {{"mean", "R,G,B in scaled units, or one number", "mean", "NUMBER", true},
         Form::list,
         [](const JsonReader& v, ModelSpec& s) {
             s.preprocess.mean = triple(v, "three numbers (or one for all channels)");
         }},
        {{"std", "R,G,B in scaled units, or one number", "std", "NUMBER", true},
         Form::list,
         set_std},
        {{"fill", "colour of padding, [R, G, B] bytes"}, Form::list, set_fill},
        {{"num_classes", "how many scores the model must return"},
         Form::number,
         [](const JsonReader& v, ModelSpec& s) {
             s.num_classes =
                 static_cast<std::uint32_t>(whole(v, 1, 10'000'000, "a whole number, at least 1"));
         }},
        {{"outputs", "Kind of the outputs", "outputs", "{logits,probabilities,log_probabilities}",
          false, true},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) { s.outputs = named(v, score_kind_named); }},
        {{"output", "Which entry of a tuple or dict: 0, logits, ...", "output-entry", "TEXT", false,
          true},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) {
             s.output = v.json().is_number_integer() ? v.json().dump()
                                                     : text(v, "a position (0, 1, ...) or a name");
         }},
        {{"layout", "nchw (channels first) or nhwc (channels last), if the file does not say"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) { s.layout = named(v, input_layout_named); }},
        {{"input_type", "float32 (normalised) or uint8 (the bytes of the prepared image)"},
         Form::word,
         [](const JsonReader& v, ModelSpec& s) { s.input_type = named(v, input_type_named); }},
        {{"classes",
          "Class list: text, csv, JSON, config.json (default: ImageNet's for 1000 classes)",
          "classes", "CLASSES", false, true},
         Form::word,
         check_classes},
    };
    return table;
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
    const JsonReader given(layer, {.whole = "the table of settings"});
    json out = json::object();
    bool labels = false;
    for (const auto& entry : given.object().items()) {
        const std::string& name = entry.key();
        if (entry.value().is_null()) continue;
        const auto row =
            std::ranges::find_if(rows(), [&](const Row& r) { return r.key.name == name; });
        if (row != rows().end()) {
            out[name] = entry.value();
        } else if (name == "label_names" || name == "label_descriptions") {
            labels = true;
        } else if (name == "label_offset") {
            if (entry.value() != 0)
                given[name].refuse_as("0; give a class list of all the model's outputs instead");
        } else if (is_harmless(name) || (passed_over != nullptr && passed_over->any)) {
            if (passed_over != nullptr) passed_over->keys.push_back(name);
        } else {
            std::vector<std::string> known;
            for (const Row& r : rows()) known.push_back(r.key.name);
            throw Error(ErrorCode::bad_input, fmt::format("unknown model setting `{}`{}",
                                                          shortened(name), suggest(name, known)));
        }
    }
    if (labels && given.find("label_names") && !out.contains("classes"))
        out["classes"] = classes_from_labels(given);
    if (out.contains("crop_pct") && out.contains("resize_size"))
        throw Error(ErrorCode::bad_input,
                    "settings \"crop_pct\" and \"resize_size\" are both given; they set the same "
                    "thing: keep one");
    const auto size = out.find("input_size");
    const bool one_channel =
        size != out.end() && size->is_array() && size->size() == 3 && size->front() == 1;
    if (one_channel && out.value("channel_order", json("gray")) != "gray") {
        throw Error(ErrorCode::bad_input,
                    fmt::format("input_size has one channel, but channel_order is {}: remove one "
                                "of them, or write \"gray\"",
                                out["channel_order"].dump()));
    }
    ModelSpec scratch;
    apply_layer(out, scratch);
    return out;
}

void apply_layer(const json& layer, ModelSpec& spec) {
    // An inherited resize size belongs to the inherited input size. For another input size, keeps
    // the implied proportion.
    Preprocess& p = spec.preprocess;
    if (layer.contains("input_size") && p.resize_size) {
        p.crop_pct =
            std::min(1.0, static_cast<double>(std::min(p.height, p.width)) / *p.resize_size);
        p.resize_size.reset();
    }
    // An inherited antialias belongs to the inherited resize.
    if (layer.contains("resize_as")) p.antialias = true;
    for (const Row& row : rows()) {
        const auto found = layer.find(row.key.name);
        if (found != layer.end()) row.set(JsonReader(*found, {}, row.key.name), spec);
    }
}

json setting_from_text(std::string_view key, std::string_view text) {
    std::vector<std::string> known;
    for (const Row& row : rows()) {
        known.push_back(row.key.name);
        if (row.key.name != key) continue;
        if (row.form == Form::truth && (text == "true" || text == "false")) return text == "true";
        if (row.form == Form::word || row.form == Form::truth) return std::string(text);
        json list = json::array();
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            std::string_view part = text.substr(begin, end - begin);
            while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
            while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
            double x = 0;
            const auto [stop, code] = std::from_chars(part.data(), part.data() + part.size(), x);
            if (code != std::errc{} || stop != part.data() + part.size()) {
                const json typed = text;
                JsonReader(typed, {}, row.key.name)
                    .refuse_as(row.form == Form::list ? "numbers separated by commas" : "a number");
            }
            if (x == std::floor(x) && std::abs(x) < 1e9) {
                // keeps the spelling that the user typed
                list.push_back(static_cast<std::int64_t>(x));
            } else {
                list.push_back(x);
            }
            begin = end + 1;
        }
        return list.size() == 1 ? list[0] : list;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown model setting `{}`{}", key, suggest(key, known)));
}

}  // namespace assay
