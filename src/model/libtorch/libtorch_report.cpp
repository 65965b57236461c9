#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/error.h"
#include "assay/model/libtorch.h"
#include "core/plugin_folders.h"
#include "model/libtorch/libtorch_places.h"
#include "model/plugin.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Whether the plug-in is for that LibTorch: by its record; one without is for the system's.
bool is_for(const FrameworkFile& plugin, const LibTorch& place) {
    std::error_code error;
    const fs::path real = fs::canonical(place.libraries / "libtorch_cpu.so", error);
    if (error || place.version.empty()) return false;
    if (!plugin.libtorch.empty()) return fs::equivalent(plugin.libtorch, real, error) && !error;
    return is_system_folder(real.parent_path()) &&
           plugin.framework.starts_with("LibTorch " + place.version);
}

/// Why a LibTorch is used, or why not.
std::string state_of(const TorchState& state, const LibTorch& place) {
    const bool used = !state.plugins.empty() && state.plugins.front().problem.empty() &&
                      is_for(state.plugins.front(), place);
    if (used) return "models run by it";
    if (!place.unusable.empty()) return place.unusable;
    for (const LibTorch& other : state.libtorch) {
        if (&other == &place) break;
        if (other.unusable.empty()) return fmt::format("not used: {} comes first", other.asked);
    }
    return "`assay torch --build` compiles the plug-in for it";
}

std::string state_of(const TorchState& state, const FrameworkFile& plugin) {
    const bool first = &plugin == &state.plugins.front();
    if (!plugin.problem.empty()) return plugin.problem;
    return first ? "used" : "not used: the one above is found first";
}

std::string_view name_of(LibTorchSource source) {
    switch (source) {
        case LibTorchSource::torch_dir:
            return "torch_dir";
        case LibTorchSource::python:
            return "python";
        case LibTorchSource::distribution:
            break;
    }
    return "distribution";
}

json text_or_null(const std::string& text) {
    return text.empty() ? json() : json(text);
}

json json_of(const TorchState& state) {
    json plugins = json::array(), places = json::array();
    for (const FrameworkFile& plugin : state.plugins) {
        plugins.push_back({{"file", plugin.file.string()},
                           {"is", plugin.framework},
                           {"libtorch", text_or_null(plugin.libtorch.string())},
                           {"problem", text_or_null(plugin.problem)},
                           {"state", state_of(state, plugin)}});
    }
    for (const LibTorch& place : state.libtorch) {
        places.push_back({{"source", name_of(place.source)},
                          {"asked", place.asked},
                          {"root", text_or_null(place.root.string())},
                          {"version", text_or_null(place.version)},
                          {"cuda", place.cuda},
                          {"unusable", text_or_null(place.unusable)},
                          {"state", state_of(state, place)}});
    }
    return {{"schema", "assay.torch/1"}, {"plugins", plugins}, {"libtorch", places}};
}

}  // namespace

TorchState torch_state(const LibTorchOptions& options) {
    TorchState state;
    for (const fs::path& folder : torch_plugin_folders()) {
        const fs::path file = (folder / kPluginFile).lexically_normal();
        std::error_code error;
        bool is_new = fs::exists(file, error);
        for (const FrameworkFile& other : state.plugins)
            is_new = is_new && !fs::equivalent(other.file, file, error);
        if (!is_new) continue;
        try {
            state.plugins.push_back(framework_file_at(file));
        } catch (const Error& damaged) {
            state.plugins.push_back(
                {.file = file, .framework = "?", .libtorch = {}, .problem = damaged.message()});
        }
    }
    state.libtorch = find_libtorch(options);
    return state;
}

Report report_of(const TorchState& state) {
    Table plugins{.title = "Plug-ins",
                  .columns = {{"runs models by", false}, {"file", false}, {"state", false}},
                  .rows = {},
                  .notes = {}};
    Table places{
        .title = "LibTorch",
        .columns = {{"of", false}, {"version", false}, {"folder", false}, {"state", false}},
        .rows = {},
        .notes = {}};
    Table records{.title = "",
                  .columns = {{"what", false}, {"is", false}, {"path", false}, {"state", false}},
                  .rows = {},
                  .notes = {}};
    for (const FrameworkFile& plugin : state.plugins) {
        plugins.add({plugin.framework, plugin.file.string(), state_of(state, plugin)});
        records.add({"plug-in", plugin.framework, plugin.file.string(), state_of(state, plugin)});
    }
    if (state.plugins.empty()) plugins.notes.emplace_back("There is none: no models can be run.");
    for (const LibTorch& place : state.libtorch) {
        places.add({place.asked, place.version + (place.cuda ? ", CUDA" : ""), place.root.string(),
                    state_of(state, place)});
        records.add({place.asked, place.version, place.root.string(), state_of(state, place)});
    }
    Report report;
    report.records = records;
    report.sections.push_back(
        {.title = "", .blocks = {std::move(plugins), std::move(places)}, .sections = {}});
    report.result = json_of(state);
    return report;
}

}  // namespace assay
