// Unique names for models whose files have the same name.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "core/paths.h"
#include "model/python/source.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The names of the folders above a file, the nearest first.
std::vector<std::string> folders_of(const fs::path& file) {
    std::vector<std::string> folders;
    const fs::path absolute = absolute_path(file);
    for (fs::path folder = absolute.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        // Exports to ONNX put the network into a folder with this name, below the model's folder.
        if (folders.empty() && folder.filename() == "onnx") continue;
        folders.push_back(folder.filename().string());
    }
    return folders;
}

/// The nearest `depth` folders, the outermost first: "a-b". If there are not enough folders, the
/// stem is added.
std::string name_from(const ModelSpec& spec, std::size_t depth) {
    // A source has no folder. Two sources with the same name differ in the library that loads them.
    if (is_python_source(spec.path)) {
        const std::string first = fmt::format("{}-", kind_of_source(spec.source));
        return spec.name.starts_with(first) ? spec.name : first + spec.name;
    }
    const std::vector<std::string> folders = folders_of(spec.path);
    std::string name;
    for (std::size_t i = 0; i < std::min(depth, folders.size()); ++i)
        name = name.empty() ? folders[i] : folders[i] + "-" + name;
    return name.empty() ? spec.path.stem().string() : name;
}

/// The models that share a name, for each such name.
std::map<std::string, std::vector<std::size_t>> equal_names(const std::vector<ModelSpec>& specs) {
    std::map<std::string, std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < specs.size(); ++i) all[specs[i].name].push_back(i);
    std::erase_if(all, [](const auto& entry) { return entry.second.size() < 2; });
    return all;
}

}  // namespace

void name_apart(std::vector<ModelSpec>& specs) {
    constexpr std::size_t deepest = 64;
    std::vector<std::size_t> depth(specs.size(), 0);
    for (auto equal = equal_names(specs); !equal.empty(); equal = equal_names(specs)) {
        bool changed = false, renamed = false;
        for (const auto& [name, which] : equal) {
            for (const std::size_t i : which) {
                if (specs[i].named || depth[i] >= deepest) continue;
                const std::string before = specs[i].name;
                specs[i].name = name_from(specs[i], ++depth[i]);
                changed = changed || specs[i].name != before || depth[i] == 1;
            }
        }
        if (changed) continue;
        // Distinguishes one model in several formats in one folder by file names.
        for (const std::size_t i : equal.begin()->second) {
            if (specs[i].named || depth[i] > deepest || is_python_source(specs[i].path)) continue;
            specs[i].name = specs[i].path.filename().string();
            depth[i] = deepest + 1;
            renamed = true;
        }
        if (renamed) continue;
        const std::vector<std::size_t>& which = equal.begin()->second;
        throw Error(
            ErrorCode::usage,
            fmt::format("two models are named `{}` ({} and {}): give each its own name with --name",
                        equal.begin()->first, specs[which[0]].path.string(),
                        specs[which[1]].path.string()));
    }
}

}  // namespace assay
