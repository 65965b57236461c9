// From files, sidecars, presets and flags to a resolved ModelSpec.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/model/classifier.h"

namespace assay {

/// A named set of preprocessing defaults.
struct Preset {
    std::string name;
    std::string summary;  ///< one line: where these values come from
    Preprocess preprocess;
};
/// timm, torchvision, torchvision-v2 (232/224 weights), mobilenet, inception, openai-clip, ... An
/// explicit table.
const std::vector<Preset>& presets();
/// Throws usage with the nearest name.
const Preset& preset_named(std::string_view name);

/// Settings by sidecar key (timm's pretrained_cfg keys and ours: input_size, mean, std,
/// interpolation, crop_pct, crop_mode, test_input_size, test_crop_pct, train_size, num_classes,
/// resize_size, resize_as, antialias, crop_start, channel_order, scale, outputs, output, layout,
/// input_type, classes, preset, name, arch). Later layers override earlier ones.
using ModelSettings = nlohmann::json;

/// One key of a sidecar, with the option of the command that sets it.
struct SettingKey {
    std::string name;
    std::string summary;
    std::string option = {};  ///< "crop-pct"; "": none
    std::string value = {};   ///< the kind of the option's value in help; "": none, a flag
    bool several = false;     ///< the option takes one to three numbers
    bool of_output = false;   ///< it says what the model returns, not what it is given
};
/// Every key, in the order of application.
const std::vector<SettingKey>& setting_keys();
/// The value of a setting from a flag's text: "0.5,0.5,0.5" -> [0.5, 0.5, 0.5], "bicubic" ->
/// "bicubic". Throws usage on an unknown key, bad_input where a number is wanted and none is given.
nlohmann::json setting_from_text(std::string_view key, std::string_view text);

/// The sidecar of a model: `<stem>.toml`, `<stem>.json`, `<file>.toml` or `<file>.json` beside it;
/// else a `config.json` (timm's with a pretrained_cfg, or transformers') or transformers'
/// `preprocessor_config.json` beside it, or above it where its folder is called `onnx`. Empty path
/// when there is none; throws bad_input when the model has two of its own.
std::filesystem::path find_sidecar(const std::filesystem::path& model);
/// Reads a sidecar (TOML or JSON; a "pretrained_cfg" table inside is taken; of transformers' two
/// files both are read, whichever is given). Throws bad_input on wrong types, values out of range,
/// and unknown keys (with the nearest) in a file that is not another program's. The path of a class
/// list comes back relative to the sidecar's folder resolved. `facts` receives what else was met.
struct SidecarFacts {
    std::filesystem::path also_read;          ///< transformers' other file; "" when none
    std::vector<std::string> without_effect;  ///< keys that say nothing about evaluation
};
ModelSettings read_sidecar(const std::filesystem::path& path, SidecarFacts* facts = nullptr);
/// One file's settings from text (TOML, or JSON), paths untouched.
ModelSettings parse_sidecar(const std::string& text, bool toml);

/// How models in Python are started.
struct PythonStart {
    bool offline = false;
    /// Told at once what the process says while it loads: what it downloads, and from where.
    std::function<void(const std::string& note)> say = {};
    /// For models that classify by names (open_clip): ClassifierOptions::templates and device, and
    /// the class list where no settings name one; called only if such a model asks for it.
    std::filesystem::path templates = {};
    std::string device = "auto";
    std::function<ClassList()> classes = {};
    /// Seconds that a process may do nothing while it loads; 0: ten minutes. What it computes,
    /// writes to stderr or says starts them again, so that no download is ended.
    std::uint32_t model_timeout = 0;
};

/// preset < what a model in Python says of itself < sidecar < flags. `flags` has the same keys as a
/// sidecar. `sidecar`: a sidecar's path, or a folder that holds it under the model's name; "": look
/// beside the model. A layer's test_input_size and test_crop_pct stand for its input_size and
/// crop_pct, as timm validates, unless some layer says train_size. A source (timm:NAME,
/// torchvision:NAME, hf:NAME, open_clip:NAME, python:FILE.py:NAME, process:DESCRIPTOR), and a file
/// with the setting `arch`, starts a process of Python, which loads the model; one that is loaded
/// already is shared. Throws bad_input when the file is missing or its format unknown; usage when
/// no layer says anything about preprocessing (a silent guess would give wrong scores), or there is
/// no Python; what the process fails with.
ModelSpec resolve_model(const std::filesystem::path& model, const ModelSettings& flags,
                        const std::filesystem::path& sidecar = {}, const PythonStart& start = {});

/// Gives models that were named by equal file stems the names of their folders (a folder called
/// `onnx` is passed over), and where these are equal too, more of the path, joined with "-"; files
/// of one folder that differ in their endings keep these ("vit.pt", "vit.onnx"). Names that were
/// chosen stay. Throws usage when two chosen names are equal, or two files are the same.
void name_apart(std::vector<ModelSpec>& specs);

std::string_view name_of(ModelFormat format);  ///< "torchscript", "onnx", "pt2", "python"
std::string_view name_of(InputLayout layout);  ///< "nchw", "nhwc"
std::string_view name_of(InputType type);      ///< "float32", "uint8"
/// Throw usage with the known names.
InputLayout input_layout_named(std::string_view name);
InputType input_type_named(std::string_view name);
/// All fields, canonical: what `predict` prints and stores.
nlohmann::json to_json(const ModelSpec& spec);

}  // namespace assay
