// Sidecars: the file beside a model that says how its input is prepared.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "core/file.h"
#include "core/toml.h"
#include "model/settings.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Class names of the largest public class lists (21,843 classes with their descriptions) take
/// about 2 MB.
constexpr std::uint64_t kLargestSidecar = 64ULL << 20;

json parse_json(const std::string& text) {
    try {
        return json::parse(text);
    } catch (const json::exception& error) {
        throw Error(ErrorCode::bad_input, fmt::format("not valid JSON: {}", error.what()));
    }
}

/// A "pretrained_cfg" inside is merged with the keys around it (Hugging Face's config.json holds
/// num_classes and label_names there); inside it wins.
json unwrapped(json all) {
    if (!all.is_object()) return all;
    const auto inner = all.find("pretrained_cfg");
    if (inner == all.end()) return all;
    const json config = *inner;
    if (!config.is_object())
        throw Error(ErrorCode::bad_input, "\"pretrained_cfg\" must be a table of settings");
    all.erase(inner);
    all.update(config);
    return all;
}

bool has_pretrained_cfg(const fs::path& path) {
    try {
        const json all = json::parse(read_text(path, kLargestSidecar));
        return all.is_object() && all.contains("pretrained_cfg");
    } catch (const std::exception&) {
        return false;  // somebody else's config.json: not a sidecar, so not an error
    }
}

}  // namespace

fs::path find_sidecar(const fs::path& model) {
    std::vector<fs::path> found;
    const auto look = [&](fs::path path) {
        std::error_code ignored;
        if (path != model && fs::is_regular_file(path, ignored)) found.push_back(std::move(path));
    };
    fs::path stem = model.parent_path() / model.stem();
    for (const char* extension : {".toml", ".json"}) {
        look(fs::path(stem) += extension);
        if (model.has_extension()) look(fs::path(model) += extension);
    }
    if (found.size() > 1) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("two sidecars for {}: {} and {}; keep one", model.string(),
                                found[0].string(), found[1].string()));
    }
    if (!found.empty()) return found.front();
    const fs::path shared = model.parent_path() / "config.json";
    std::error_code ignored;
    return fs::is_regular_file(shared, ignored) && has_pretrained_cfg(shared) ? shared : fs::path{};
}

ModelSettings parse_sidecar(const std::string& text, bool toml) {
    return checked_layer(unwrapped(toml ? parse_toml(text) : parse_json(text)));
}

ModelSettings read_sidecar(const fs::path& path) {
    return with_note(fmt::format("reading the sidecar {}", path.string()), [&] {
        ModelSettings settings =
            parse_sidecar(read_text(path, kLargestSidecar), path.extension() != ".json");
        const auto classes = settings.find("classes");
        if (classes != settings.end() && classes->is_string() && *classes != "imagenet")
            *classes =
                (path.parent_path() / classes->get<std::string>()).lexically_normal().string();
        return settings;
    });
}

}  // namespace assay
