// Resolves files, sidecars, presets and flags to a ModelSpec.
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
/// All presets: timm, torchvision, torchvision-v2 (232/224 weights), mobilenet, inception,
/// openai-clip, ...
const std::vector<Preset>& presets();
/// Finds a preset by name. Throws usage with the nearest name.
const Preset& preset_named(std::string_view name);

/// Settings by sidecar key: timm's pretrained_cfg keys and ours. Keys for the input: input_size,
/// mean, std, interpolation, crop_pct, crop_mode, test_input_size, test_crop_pct, train_size,
/// resize_size, resize_as, antialias, crop_start, channel_order, scale, layout, input_type. Other
/// keys: num_classes, outputs, output, classes, preset, name, arch. Later layers override earlier
/// ones.
using ModelSettings = nlohmann::json;

/// One key of a sidecar, with the option of the command that sets it.
struct SettingKey {
    std::string name;
    std::string summary;
    std::string option = {};  ///< "crop-pct"; "" if there is none
    std::string value = {};   ///< the kind of the option's value in help; "" for a flag
    bool several = false;     ///< true if the option takes one to three numbers
    bool of_output = false;   ///< true if it describes the model's output, not its input
};
/// All keys in the order in which they are applied.
const std::vector<SettingKey>& setting_keys();
/// The value of a setting from a flag's text: "0.5,0.5,0.5" to [0.5, 0.5, 0.5], "bicubic" to
/// "bicubic". Throws usage for an unknown key, and bad_input if the text is no number where one is
/// required.
nlohmann::json setting_from_text(std::string_view key, std::string_view text);

/// The sidecar of a model: `<stem>.toml`, `<stem>.json`, `<file>.toml` or `<file>.json` next to it.
/// Otherwise a `config.json` (timm's with a pretrained_cfg, or transformers') or transformers'
/// `preprocessor_config.json` in the same folder, or in the parent of a folder named `onnx`. Empty
/// if there is none. Throws bad_input if the model has two sidecars of its own.
std::filesystem::path find_sidecar(const std::filesystem::path& model);
/// Reads a sidecar (TOML or JSON). A "pretrained_cfg" table inside is used; if given either of
/// transformers' two files, both are read. Throws bad_input on wrong types and values out of range,
/// and on unknown keys (with the nearest) unless the file belongs to another program. The path of a
/// class list is resolved relative to the sidecar's folder. `facts` receives other findings.
struct SidecarFacts {
    std::filesystem::path also_read;          ///< transformers' other settings file; "" if none
    std::vector<std::string> without_effect;  ///< keys without meaning for evaluation
};
ModelSettings read_sidecar(const std::filesystem::path& path, SidecarFacts* facts = nullptr);
/// Reads the settings in the text of a file (TOML or JSON). Paths are not resolved.
ModelSettings parse_sidecar(const std::string& text, bool toml);

/// The way to start models in Python.
struct PythonStart {
    bool offline = false;
    /// Receives immediately what the process reports while it loads: downloads and their sources.
    std::function<void(const std::string& note)> say = {};
    /// For models that classify by names (open_clip): ClassifierOptions::templates and device, and
    /// a function for the class list if no settings name one. It is called only if such a model
    /// asks for names.
    std::filesystem::path templates = {};
    std::string device = "auto";
    std::function<ClassList()> classes = {};
    /// The most seconds that a process may be inactive while it loads; 0 means ten minutes.
    /// Computing, writing to stderr and messages restart the time, so that no download is
    /// interrupted.
    std::uint32_t model_timeout = 0;
};

/// Resolves the settings of a model. Later layers override earlier ones: preset, what a model in
/// Python says about itself, sidecar, flags. `flags` has the same keys as a sidecar. `sidecar` is a
/// sidecar's path, or a folder with it under the model's name; "" looks next to the model. A
/// layer's test_input_size and test_crop_pct replace its input_size and crop_pct, as in timm's
/// validation, unless some layer sets train_size. A Python process loads a source (timm:NAME,
/// torchvision:NAME, hf:NAME, open_clip:NAME, python:FILE.py:NAME, process:DESCRIPTOR) and a file
/// with the setting `arch`. Loaded models are shared. Throws bad_input if the file is missing or
/// its format unknown. Throws usage if no layer defines the preprocessing (a guess could give wrong
/// scores), or without Python. Also throws the errors of the process.
ModelSpec resolve_model(const std::filesystem::path& model, const ModelSettings& flags,
                        const std::filesystem::path& sidecar = {}, const PythonStart& start = {});

/// Gives models with equal file stems the names of their folders (skipping a folder named `onnx`).
/// If these are equal too, uses more of the path, joined with "-". Files in one folder that differ
/// in extension keep their extensions ("vit.pt", "vit.onnx"). Names from the user do not change.
/// Throws usage if two such names are equal, or if two files are the same.
void name_apart(std::vector<ModelSpec>& specs);

std::string_view name_of(ModelFormat format);  ///< "torchscript", "onnx", "pt2", "python"
std::string_view name_of(InputLayout layout);  ///< "nchw", "nhwc"
std::string_view name_of(InputType type);      ///< "float32", "uint8"
/// These functions throw usage, and list the known names.
InputLayout input_layout_named(std::string_view name);
InputType input_type_named(std::string_view name);
/// All fields in canonical form, as `predict` prints and stores them.
nlohmann::json to_json(const ModelSpec& spec);

}  // namespace assay
