// Sidecars: the settings file next to a model, which defines how its input is prepared.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "assay/model/settings_file.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/toml.h"
#include "model/huggingface.h"
#include "model/model_file_name.h"
#include "model/python/source.h"
#include "model/settings.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Class names of the largest public class lists (21,843 classes with their descriptions) take
/// about 2 MB.
constexpr std::uint64_t kLargestSidecar = 64ULL << 20;

constexpr const char* kConfig = "config.json";
constexpr const char* kProcessor = "preprocessor_config.json";

/// Settings, and the class names in a few dictionaries. Real files have 5 levels.
constexpr int kDeepest = 32;

/// Merges a "pretrained_cfg" with the keys around it. Inner values win, except for keys that timm's
/// own loader takes from outside. Outer values describe the saved network, and inner values the
/// original training of the architecture.
json unwrapped(json all) {
    if (!all.is_object()) return all;
    const auto inner = all.find("pretrained_cfg");
    if (inner == all.end()) return all;
    json config = *inner;
    if (!config.is_object())
        throw Error(ErrorCode::bad_input, "\"pretrained_cfg\" must be a table of settings");
    all.erase(inner);
    for (const char* key : {"num_classes", "label_names", "label_descriptions"}) {
        if (all.contains(key)) config.erase(key);
    }
    all.update(config);
    return all;
}

/// Returns nothing for a file that is no JSON, because a config.json of another program is no
/// error. JSON beyond the limits may be a sidecar, and gives an error with its name.
std::optional<json> read_foreign(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return std::nullopt;
    std::string text;
    try {
        text = read_text(path, kLargestSidecar);
    } catch (const Error&) {
        return std::nullopt;
    }
    if (!json::accept(text)) return std::nullopt;
    return with_note(fmt::format("reading {}", path.string()),
                     [&] { return parse_json(text, kDeepest); });
}

/// A config.json of timm or transformers, or a preprocessor_config.json of transformers.
fs::path find_shared(const fs::path& folder) {
    if (const auto config = read_foreign(folder / kConfig);
        config && config->is_object() &&
        (config->contains("pretrained_cfg") || is_transformers_config(*config)))
        return folder / kConfig;
    if (const auto processor = read_foreign(folder / kProcessor);
        processor && is_image_processor(*processor))
        return folder / kProcessor;
    return {};
}

/// A processor's file that is read in addition to the config.json next to it.
bool is_read_with_shared(const fs::path& file) {
    const auto config = read_foreign(file);
    return config && (is_transformers_config(*config) || is_image_processor(*config));
}

/// All files with the names of the model's own sidecar, whatever their content.
std::vector<fs::path> files_named_as_sidecars(const fs::path& model) {
    std::vector<fs::path> found;
    const auto look = [&](fs::path path) {
        std::error_code ignored;
        if (path != model && fs::is_regular_file(path, ignored)) found.push_back(std::move(path));
    };
    const fs::path stem = model.parent_path() / model.stem();
    for (const char* extension : {".toml", ".json"}) {
        look(fs::path(stem) += extension);
        if (model.has_extension()) look(fs::path(model) += extension);
    }
    return found;
}

/// The reason why a file with such a name is no sidecar. Empty for a sidecar, and for a damaged
/// file that may be one, whose reader reports the damage.
std::string why_no_sidecar(const fs::path& path) {
    json file;
    try {
        const std::string text = read_text(path, kLargestSidecar);
        file = path.extension() == ".json" ? parse_json(text, kDeepest) : parse_toml(text);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        return "";
    }
    const bool foreign = is_transformers_config(file) || is_image_processor(file);
    return foreign ? "" : why_no_settings(file);
}

fs::path any_model_in(const fs::path& folder) {
    std::error_code error;
    const fs::path where = folder.empty() ? fs::path(".") : folder;
    fs::path first;  // the first by name, because folders are unordered
    for (fs::directory_iterator entry(where, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path name = entry->path().filename();
        if (is_model_name(name) && (first.empty() || name < first)) first = name;
    }
    return first.empty() ? first : folder / first;
}

/// transformers stores the classes in one file and the preprocessing in another. If one is given,
/// both are read.
json read_transformers(const fs::path& path, const json& given, SidecarFacts& facts) {
    const bool has_classes = is_transformers_config(given);
    const fs::path other_path = path.parent_path() / (has_classes ? kProcessor : kConfig);
    std::optional<json> other = read_foreign(other_path);
    if (other && !(has_classes ? is_image_processor(*other) : is_transformers_config(*other)))
        other.reset();
    const json* config = has_classes ? &given : other ? &*other : nullptr;
    const json* processor = !has_classes ? &given : other ? &*other : nullptr;

    json settings = json::object();
    std::string type;
    if (config != nullptr) {
        settings = settings_of_transformers_config(*config, facts.without_effect);
        const auto found = config->find("model_type");
        if (found != config->end() && found->is_string()) type = found->get<std::string>();
    }
    if (processor != nullptr) {
        settings.update(with_note(
            fmt::format("reading {}", (has_classes ? other_path : path).string()),
            [&] { return settings_of_image_processor(*processor, type, facts.without_effect); }));
    }
    if (other) facts.also_read = other_path;
    return checked_layer(settings);
}

}  // namespace

fs::path find_sidecar(const fs::path& model) {
    std::vector<fs::path> found = files_named_as_sidecars(model);
    std::erase_if(found, [](const fs::path& path) { return !why_no_sidecar(path).empty(); });
    if (found.size() > 1) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("two sidecars for {}: {} and {}; keep one", model.string(),
                                found[0].string(), found[1].string()));
    }
    if (!found.empty()) return found.front();
    const fs::path folder = model.parent_path();
    if (fs::path shared = find_shared(folder); !shared.empty()) return shared;
    // Exports to ONNX store the network in a separate folder, below the files that describe it.
    return folder.filename() == "onnx" ? find_shared(folder.parent_path()) : fs::path{};
}

std::vector<std::string> files_like_sidecars(const fs::path& model) {
    std::vector<std::string> found;
    for (const fs::path& path : files_named_as_sidecars(model)) {
        if (const std::string why = why_no_sidecar(path); !why.empty())
            found.push_back(fmt::format("{} ({})", path.string(), why));
    }
    return found;
}

std::vector<std::string> notes_on_files_like_sidecars(const ModelSpec& spec) {
    std::vector<std::string> notes;
    if (!spec.sidecar.empty() || is_python_source(spec.path)) return notes;
    for (const std::string& file : files_like_sidecars(spec.path))
        notes.push_back(fmt::format(
            "ignored as settings of {}: {}; to use a settings file, pass --sidecar FILE", spec.name,
            file));
    return notes;
}

fs::path model_of_sidecar(const fs::path& file) {
    const fs::path folder = file.parent_path();
    if (file.filename() == kConfig || file.filename() == kProcessor) {
        if (find_shared(folder) != file && !is_read_with_shared(file)) return {};
        const fs::path model = any_model_in(folder);
        return model.empty() ? any_model_in(folder / "onnx") : model;
    }
    if (file.extension() != ".toml" && file.extension() != ".json") return {};
    std::error_code ignored;
    const fs::path stem = folder / file.stem();  // m.pt for m.pt.json, and m for m.json
    if (is_model_name(stem) && fs::is_regular_file(stem, ignored)) return stem;
    for (const std::string_view extension : model_extensions) {
        const fs::path model = fs::path(stem) += extension;
        if (fs::is_regular_file(model, ignored)) return model;
    }
    return {};
}

ModelSettings parse_sidecar(const std::string& text, bool toml) {
    return checked_layer(unwrapped(toml ? parse_toml(text) : parse_json(text, kDeepest)));
}

ModelSettings read_sidecar(const fs::path& path, SidecarFacts* facts) {
    SidecarFacts own;
    SidecarFacts& met = facts != nullptr ? *facts : own;
    return with_note(fmt::format("reading the sidecar {}", path.string()), [&] {
        const std::string text = read_text(path, kLargestSidecar);
        json file = path.extension() == ".json" ? parse_json(text, kDeepest) : parse_toml(text);
        if (is_transformers_config(file) || is_image_processor(file))
            return read_transformers(path, file, met);
        if (const std::string schema = result_schema(file); !schema.empty())
            throw Error(
                ErrorCode::bad_input,
                fmt::format("it is a saved result of Assay (`{}`), not the settings of a model",
                            schema));
        PassedOver passed_over{.any = file.is_object() && file.contains("pretrained_cfg"),
                               .keys = {}};
        ModelSettings settings = checked_layer(unwrapped(std::move(file)), &passed_over);
        met.without_effect = std::move(passed_over.keys);
        const auto classes = settings.find("classes");
        if (classes != settings.end() && classes->is_string() && *classes != "imagenet")
            *classes =
                (path.parent_path() / classes->get<std::string>()).lexically_normal().string();
        return settings;
    });
}

}  // namespace assay
