#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/model/libtorch.h"
#include "core/plugin_folders.h"
#include "core/result_table.h"
#include "model/described_model.h"
#include "model/libtorch/libtorch_places.h"
#include "model/plugin.h"

namespace assay {

constexpr auto words_of(LibTorchSource) {
    using Row = std::pair<LibTorchSource, std::string_view>;
    return std::array{Row{LibTorchSource::torch_dir, "torch_dir"},
                      Row{LibTorchSource::python, "python"},
                      Row{LibTorchSource::distribution, "distribution"}};
}

namespace {

namespace fs = std::filesystem;

#ifdef ASSAY_HAS_TORCH
constexpr const char* no_plugin_note = "There is none, so model files cannot run.";
#else
constexpr const char* no_plugin_note = kWithoutTorch;
#endif

/// True if the plug-in is for that LibTorch, according to its record. A plug-in without a record is
/// for the system's LibTorch.
bool is_for(const FrameworkFile& plugin, const LibTorch& place) {
    std::error_code error;
    const fs::path real = fs::canonical(place.libraries / "libtorch_cpu.so", error);
    if (error || place.version.empty()) return false;
    if (!plugin.libtorch.empty()) return fs::equivalent(plugin.libtorch, real, error) && !error;
    return is_system_folder(real.parent_path()) &&
           plugin.framework.starts_with("LibTorch " + place.version);
}

/// Says why a LibTorch is used, or why not.
std::string state_of(const TorchState& state, const LibTorch& place) {
    const bool used = !state.plugins.empty() && state.plugins.front().problem.empty() &&
                      is_for(state.plugins.front(), place);
    if (used) return "models use it";
    if (!place.unusable.empty()) return place.unusable;
    for (const LibTorch& other : state.libtorch) {
        if (&other == &place) break;
        if (other.unusable.empty()) return fmt::format("not used: {} comes first", other.asked);
    }
#ifdef ASSAY_HAS_TORCH
    return "`assay torch --build` compiles the plug-in for it";
#else
    return "not used: this build of assay has no plug-in for it";
#endif
}

std::string state_of(const TorchState& state, const FrameworkFile& plugin) {
    const bool first = &plugin == &state.plugins.front();
    if (!plugin.problem.empty()) return plugin.problem;
    return first ? "used" : "not used: the one above is found first";
}

template <class Text>
const Text* unless_empty(const Text& text) {
    return text.empty() ? nullptr : &text;
}

struct ShownTorchPlugin {
    const TorchState* torch;
    const FrameworkFile* file;

    std::string state() const { return state_of(*torch, *file); }
};
ResultType result_type(ResultOf<ShownTorchPlugin>) {
    static constexpr auto rows = describe_result<ShownTorchPlugin>(
        {.name = "TorchPlugin"},
        {
            part(
                {.inlined = true},
                [](const ShownTorchPlugin& of) -> const auto& { return *of.file; }),
            part<&ShownTorchPlugin::state>({.help = "In words"}),
        });
    return rows;
}

struct ShownLibTorch {
    const TorchState* torch;
    const LibTorch* place;

    std::string state() const { return state_of(*torch, *place); }
};
ResultType result_type(ResultOf<ShownLibTorch>) {
    static constexpr auto place = &ShownLibTorch::place;
    static constexpr auto rows = describe_result<ShownLibTorch>(
        {.name = "LibTorchPlace"},
        {
            part({.name = "source"}, [](const ShownLibTorch& of) { return of.place->source; }),
            part<place, &LibTorch::asked>({.help = "How it was found"}),
            part({.name = "root"},
                 [](const ShownLibTorch& of) { return unless_empty(of.place->root); }),
            part({.name = "version"},
                 [](const ShownLibTorch& of) { return unless_empty(of.place->version); }),
            part<place, &LibTorch::cuda>({.help = "True if it has a library for CUDA"}),
            part({.help = "Why no plug-in can be compiled for it", .name = "unusable"},
                 [](const ShownLibTorch& of) { return unless_empty(of.place->unusable); }),
            part<&ShownLibTorch::state>({.help = "In words"}),
        });
    return rows;
}

/// A row of csv.
struct TorchRow {
    std::string what, is;
    fs::path path;
    std::string state;
};
ResultType result_type(ResultOf<TorchRow>) {
    static constexpr auto rows = describe_result<TorchRow>(
        {.name = "TorchRow", .columns = "what,is,path,state"}, {
                                                                   part<&TorchRow::what>({}),
                                                                   part<&TorchRow::is>({}),
                                                                   part<&TorchRow::path>({}),
                                                                   part<&TorchRow::state>({}),
                                                               });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<FrameworkFile>) {
    static constexpr auto rows = describe_result<FrameworkFile>(
        {.name = "FrameworkFile", .help = "A plug-in that runs models"},
        {
            part<&FrameworkFile::file>({}),
            part<&FrameworkFile::framework>(
                {.help = "What runs its models: `LibTorch 1.13.1, ONNX`", .name = "is"}),
            part({.help = "The library that it was compiled for, unless it is the system's",
                  .name = "libtorch"},
                 [](const FrameworkFile& plugin) { return unless_empty(plugin.libtorch); }),
            part({.help = "Why it cannot be opened", .name = "problem"},
                 [](const FrameworkFile& plugin) { return unless_empty(plugin.problem); }),
        });
    return rows;
}

ResultType result_type(ResultOf<TorchState>) {
    static constexpr auto rows = describe_result<TorchState>(
        {.name = "TorchResult", .help = "What `assay torch` prints", .schema = "assay.torch/1"},
        {
            part({.help = "The plug-ins; the first is used", .name = "plugins"},
                 [](const TorchState& torch) {
                     std::vector<ShownTorchPlugin> out;
                     for (const FrameworkFile& file : torch.plugins) out.push_back({&torch, &file});
                     return out;
                 }),
            part({.help = "In the order of the search", .name = "libtorch"},
                 [](const TorchState& torch) {
                     std::vector<ShownLibTorch> out;
                     for (const LibTorch& place : torch.libtorch) out.push_back({&torch, &place});
                     return out;
                 }),
        });
    return rows;
}

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
    std::vector<TorchRow> records;
    for (const FrameworkFile& plugin : state.plugins) {
        plugins.add({plugin.framework, plugin.file.string(), state_of(state, plugin)});
        records.push_back({"plug-in", plugin.framework, plugin.file, state_of(state, plugin)});
    }
    if (state.plugins.empty()) plugins.notes.emplace_back(no_plugin_note);
    for (const LibTorch& place : state.libtorch) {
        places.add({place.asked, place.version + (place.cuda ? ", CUDA" : ""), place.root.string(),
                    state_of(state, place)});
        records.push_back({place.asked, place.version, place.root, state_of(state, place)});
    }
    Report report;
    report.records = table_of(records);
    report.sections.push_back(
        {.title = "", .blocks = {std::move(plugins), std::move(places)}, .sections = {}});
    report.result = json_of(state);
    return report;
}

}  // namespace assay
