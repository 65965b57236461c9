// Combines layers of settings into one resolved ModelSpec.
#include "assay/model/model_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/model/settings_file.h"
#include "containers/zip.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "model/model_file_name.h"
#include "model/pt2/entries.h"
#include "model/python/python_model.h"
#include "model/python/source.h"
#include "model/settings.h"
#include "model/two_classes.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Zip files of torch.save, torch.jit.save and torch.export are distinguished by their entries.
/// Unreadable files count as TorchScript, and its reader reports the problem.
ModelFormat format_of_zip(const fs::path& path) {
    try {
        const MappedFile file(path);
        const ZipArchive archive(file.bytes());
        for (const ZipEntry& entry : archive.entries()) {
            if (pt2::marks_export_archive(entry.name)) return ModelFormat::torch_export;
        }
    } catch (const Error&) {
    }
    return ModelFormat::torchscript;
}

ModelFormat format_of(const fs::path& path) {
    const std::string extension = lower_extension(path.string());
    if (extension == ".onnx") return ModelFormat::onnx;
    if (extension == ".pt2") return ModelFormat::torch_export;
    if (read_start(path, 4) == "PK\x03\x04") return format_of_zip(path);
    if (is_model_name(path)) return ModelFormat::torchscript;
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "{}: not a known model format; allowed: TorchScript (.pt, .pth, .ts, .torchscript), "
            "torch.export (.pt2) and ONNX (.onnx); a checkpoint needs its network: --arch "
            "timm:resnet50",
            path.string()));
}

void check_file(const fs::path& model) {
    std::error_code error;
    const auto status = fs::status(model, error);
    if (status.type() == fs::file_type::not_found) {
        const bool like_a_source = model.string().find(':') != std::string::npos;
        throw Error(ErrorCode::bad_input,
                    fmt::format("no model file {}{}", model.string(),
                                like_a_source ? "; a model in Python is timm:NAME, "
                                                "torchvision:NAME, hf:NAME, open_clip:NAME or "
                                                "python:FILE.py:NAME"
                                              : ""));
    }
    if (error) throw Error(ErrorCode::io, fmt::format("{}: {}", model.string(), error.message()));
    if (status.type() == fs::file_type::directory)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} is a folder, not a model file", model.string()));
    if (status.type() != fs::file_type::regular)
        throw Error(ErrorCode::bad_input, fmt::format("{} is not a regular file", model.string()));
}

/// `hint` is a sidecar, a folder with one under the model's name, or "" for the model's own folder.
fs::path locate_sidecar(const fs::path& model, const fs::path& hint) {
    if (hint.empty()) return find_sidecar(model);
    std::error_code ignored;
    if (fs::is_directory(hint, ignored)) return find_sidecar(hint / model.filename());
    if (!fs::is_regular_file(hint, ignored))
        throw Error(ErrorCode::bad_input, fmt::format("no sidecar {}", hint.string()));
    return hint;
}

ClassList class_list_of(const json& value) {
    if (value == "imagenet") return imagenet_classes();
    if (value.is_string()) return read_class_list(value.get<std::string>());
    if (value.is_array()) return named_classes(value.get<std::vector<std::string>>());
    if (!value.contains("ids"))
        return named_classes(value.at("names").get<std::vector<std::string>>());
    return ClassList(value.at("ids").get<std::vector<std::string>>(),
                     value.at("names").get<std::vector<std::string>>());
}

/// The class list that options or the settings file name.
std::optional<ClassList> class_list_in(const json& top, const json& side, const fs::path& sidecar) {
    if (top.contains("classes")) return class_list_of(top["classes"]);
    if (!side.contains("classes")) return std::nullopt;
    return with_note(fmt::format("reading the classes in {}", sidecar.string()),
                     [&] { return class_list_of(side["classes"]); });
}

/// Settings that define how pixels become numbers. At least one source must give some.
bool says_preprocessing(const json& layer) {
    for (const char* key :
         {"preset", "input_size", "interpolation", "crop_pct", "resize_size", "mean", "std"}) {
        if (layer.contains(key)) return true;
    }
    return false;
}

/// Compares the hash that settings expect for the model's file with the actual one.
void check_hash(const ModelSpec& spec, const json& side, const json& top) {
    const bool flag = top.contains("expected");
    if (!flag && !side.contains("expected")) return;
    const std::string by = flag ? "" : fmt::format(" in {}", spec.sidecar.string());
    if (is_python_source(spec.path)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`expected`{} is the hash of a file, but {} is not a file: omit "
                                "it, or pass the file of the weights with --arch {}",
                                by, spec.path.string(), spec.path.string()));
    }
    auto expected = (flag ? top : side).at("expected").get<std::string>();
    std::ranges::transform(expected, expected.begin(), lower);
    const std::string found = sha256_of_file(spec.path);
    if (found == expected) return;
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{} has the hash {}, but `expected`{} is {}: the file is a different one, or "
                    "damaged; copy it again, or set the hash from `sha256sum {}`",
                    spec.path.string(), found, by, expected, shell_word(spec.path.string())));
}

/// Three means, as in presets, do not give the mean of one channel.
void check_gray(const Preprocess& p) {
    if (p.channel_order != ChannelOrder::gray) return;
    const auto differ = [](const std::array<double, 3>& of) {
        return of[0] != of[1] || of[0] != of[2];
    };
    if (!differ(p.mean) && !differ(p.std)) return;
    throw Error(ErrorCode::usage, fmt::format("mean ({}) and std ({}) of gray images need one "
                                              "number each, as in --mean 0.5 --std 0.5",
                                              fmt::join(p.mean, ","), fmt::join(p.std, ",")));
}

/// A layer's input size as text.
std::string size_text(const ModelSpec& spec) {
    const Preprocess& p = spec.preprocess;
    return fmt::format("{}x{}, crop_pct {:.6g}", p.height, p.width, p.crop_pct);
}

/// A layer's size for evaluation replaces the size for training, as in timm's validation
/// (resolve_data_config with use_test_size).
void take_test_size(json& layer, bool train_size) {
    for (const auto& [test, plain] :
         {std::pair{"test_input_size", "input_size"}, std::pair{"test_crop_pct", "crop_pct"}}) {
        const auto found = layer.find(test);
        if (found == layer.end()) continue;
        const json value = *found;
        if (!train_size) layer[plain] = value;
        layer.erase(test);
    }
    layer.erase("train_size");
}

/// Starts Python for a source, and for a file that needs an architecture. Returns what the model
/// reports about itself, which is nothing for a file that Assay runs.
json load_where_python_runs_it(ModelSpec& spec, const json& side, const json& top,
                               const PythonStart& start) {
    const bool source = is_python_source(spec.path);
    const bool flag = top.contains("arch");
    if (flag || side.contains("arch")) {
        const auto arch = (flag ? top : side).at("arch").get<std::string>();
        if (source) {
            throw Error(ErrorCode::usage,
                        fmt::format("arch (--arch) is {}, but {} is not a checkpoint: pass the "
                                    "file of the weights as the model",
                                    arch, spec.path.string()));
        }
        spec.source = flag ? arch : model_from(spec.sidecar.parent_path(), arch).string();
        if (!flag && kind_of_source(arch) == "python") {
            throw Error(ErrorCode::usage,
                        fmt::format("{} names a program as the network ({}), which Assay does not "
                                    "run by default; if you trust it, add --arch {}",
                                    spec.sidecar.string(), arch, shell_word(spec.source)));
        }
    } else if (source) {
        spec.source = spec.path.string();
    } else {
        spec.format = format_of(spec.path);
        return json::object();
    }
    spec.format = ModelFormat::python;
    spec.python = load_in_python(spec.source, source ? fs::path() : spec.path, start);
    const ModelDescription& about = spec.python->description();
    for (const std::string& key : about.without_effect) spec.without_effect.push_back(key);
    if (!source) return about.settings;
    // Another run has another descriptor.
    if (kind_of_source(spec.source) == "process") {
        spec.source = "process:" + (about.name.empty() ? std::string("model") : about.name);
        spec.path = spec.source;
    }
    spec.name = as_store_name(about.name.empty() ? name_in_source(spec.source) : about.name);
    return about.settings;
}

}  // namespace

std::string_view name_of(ModelFormat format) {
    switch (format) {
        case ModelFormat::onnx:
            return "onnx";
        case ModelFormat::torch_export:
            return "pt2";
        case ModelFormat::python:
            return "python";
        case ModelFormat::torchscript:
            break;
    }
    return "torchscript";
}

std::string_view name_of(InputLayout layout) {
    return layout == InputLayout::nhwc ? "nhwc" : "nchw";
}

std::string_view name_of(InputType type) {
    return type == InputType::uint8 ? "uint8" : "float32";
}

InputLayout input_layout_named(std::string_view name) {
    for (const InputLayout layout : {InputLayout::nchw, InputLayout::nhwc}) {
        if (name == name_of(layout)) return layout;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown layout \"{}\"; allowed: nchw (channels first), nhwc (channels "
                            "last)",
                            name));
}

InputType input_type_named(std::string_view name) {
    for (const InputType type : {InputType::float32, InputType::uint8}) {
        if (name == name_of(type)) return type;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown input type \"{}\"; allowed: float32, uint8", name));
}

ModelSpec resolve_model(const fs::path& model, const ModelSettings& flags,
                        const fs::path& sidecar_hint, const PythonStart& start) {
    const bool source = is_python_source(model);
    if (!source) check_file(model);
    json top = checked_layer(flags.is_null() ? json::object() : flags);
    ModelSpec spec;
    spec.path = model;
    spec.name = model.stem().string();
    if (!source || !sidecar_hint.empty()) spec.sidecar = locate_sidecar(model, sidecar_hint);
    SidecarFacts facts;
    json side = spec.sidecar.empty() ? json::object() : read_sidecar(spec.sidecar, &facts);
    spec.also_read = std::move(facts.also_read);
    spec.without_effect = std::move(facts.without_effect);
    check_hash(spec, side, top);
    const std::optional<ClassList> said = class_list_in(top, side, spec.sidecar);
    PythonStart with_classes = start;
    if (said) with_classes.classes = [&said] { return *said; };
    const json own = load_where_python_runs_it(spec, side, top, with_classes);

    if (!says_preprocessing(top) && !says_preprocessing(side) && !says_preprocessing(own)) {
        std::vector<std::string> known;
        for (const Preset& preset : presets()) known.push_back(preset.name);
        if (spec.python != nullptr) {
            throw Error(ErrorCode::usage,
                        fmt::format("unknown preprocessing for {}: name a preset (--preset {})",
                                    spec.path.string(), fmt::join(known, ", ")));
        }
        const std::vector<std::string> none = files_like_sidecars(model);
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "unknown preprocessing for {}: name a preset (--preset {}), or put a settings file "
                "{}.toml, timm's config.json or a preprocessor_config.json next to it{}",
                model.string(), fmt::join(known, ", "), spec.name,
                none.empty() ? std::string()
                             : fmt::format("; not read as settings: {}", fmt::join(none, ", "))));
    }
    // Sidecars use timm's settings, so timm's defaults fill the gaps.
    spec.preset = top.contains("preset") ? top["preset"].get<std::string>()
                                         : side.value("preset", own.value("preset", "timm"));
    spec.preprocess = preset_named(spec.preset).preprocess;
    const bool train_size =
        top.value("train_size", side.value("train_size", own.value("train_size", false)));
    ModelSpec trained = spec;
    for (const json& layer : {own, side, top}) {
        for (const auto& [filled, sizes_of_training] :
             {std::pair{&trained, true}, std::pair{&spec, train_size}}) {
            json values = layer;
            take_test_size(values, sizes_of_training);
            values.erase("arch");
            apply_layer(values, *filled);
        }
    }
    check_filter(spec.preprocess.resize_as, spec.preprocess.interpolation,
                 spec.preprocess.antialias);
    check_gray(spec.preprocess);
    if (spec.preprocess != trained.preprocess) spec.instead_of = size_text(trained);
    spec.named = top.contains("name") || side.contains("name");

    if (said) {
        spec.classes = *said;
    } else if (spec.python != nullptr && !spec.python->texts().classes.empty()) {
        spec.classes = spec.python->texts().classes;
    } else if (own.contains("classes")) {
        with_note("reading the classes from the model's process",
                  [&] { spec.classes = class_list_of(own["classes"]); });
    }
    if (!spec.classes.empty() && spec.num_classes &&
        !fits_classes(*spec.num_classes, spec.classes.size())) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("num_classes is {} but the class list has {} classes",
                                *spec.num_classes, spec.classes.size()));
    }
    return spec;
}

namespace {

struct ClassesOfModel {
    const ClassList* classes;

    std::size_t count() const { return classes->size(); }
    std::string fingerprint() const { return std::string(classes->fingerprint()); }
};
ResultType result_type(ResultOf<ClassesOfModel>) {
    static constexpr auto rows = describe_result<ClassesOfModel>(
        {.name = "ClassesOfModel"},
        {part<&ClassesOfModel::count>({}), part<&ClassesOfModel::fingerprint>({})});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<ModelSpec>) {
    static constexpr auto rows = describe_result<ModelSpec>(
        {.name = "ModelSettings",
         .help = "The resolved settings of a model, with the keys of a settings file"},
        {
            part<&ModelSpec::name>({}),
            part<&ModelSpec::path>({}),
            part<&ModelSpec::format>({}),
            part({.name = "preprocess", .script = "Record<string, unknown>"},
                 [](const ModelSpec& spec) { return to_json(spec.preprocess); }),
            part<&ModelSpec::num_classes>({.help = "Null if it is unknown"}),
            part<&ModelSpec::outputs>({}),
            part<&ModelSpec::output>(
                {.help = "Name or position of the output, if a model has several"}),
            part<&ModelSpec::layout>({.help = "Null: as in the model's file"}),
            part<&ModelSpec::input_type>({.help = "Likewise"}),
            part({.help = "Null without a class list", .name = "classes"},
                 [](const ModelSpec& spec) {
                     return spec.classes.empty() ? std::nullopt
                                                 : std::optional(ClassesOfModel{&spec.classes});
                 }),
            part<&ModelSpec::preset>({.help = "Empty: none"}),
            part<&ModelSpec::sidecar>({.help = "The settings file; empty: none"}),
            part<&ModelSpec::source>(
                {.help = "For a model in Python: its source, such as timm:resnet18",
                 .omitted = true}),
            part<&ModelSpec::also_read>({.help = "A second settings file", .omitted = true}),
            part<&ModelSpec::instead_of>(
                {.help = "The size it was trained at, if it is evaluated at another",
                 .omitted = true}),
            part<&ModelSpec::without_effect>(
                {.help = "Keys that say nothing about evaluation", .omitted = true}),
        });
    return rows;
}

json to_json(const ModelSpec& spec) {
    return json_of(spec);
}

}  // namespace assay
